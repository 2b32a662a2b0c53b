// Constraints name frames of a model: its bodies', added ones, and what copies with a change make
// of them.

#include "civita/constraint.h"

#include <Eigen/Geometry>
#include <utility>

#include "civita/constrained_dynamics.h"
#include "civita/frame_motion.h"
#include "civita/kinematics.h"
#include "civita/space_kinematics.h"
#include "gtest/gtest.h"
#include "tests/core/error_of.h"
#include "tests/oracles/compare.h"
#include "tests/oracles/random_case.h"

namespace civita {
namespace constraint_test {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

const Pose kTool{Eigen::AngleAxisd(0.7, Vector3d(1, -2, 2).normalized()).matrix(),
                 {0.5, 0.03, -0.02}};

/// Crank, coupler and rocker about y, which a loop closes.
Model MakeFourBar() {
  ModelBuilder b;
  const auto bar = [&b](const char* name, int parent, double x) {
    const int body = b.AddBody(name, parent, {.p = {x, 0, 0}},
                               {1, Vector3d(0.2, 0, 0), 0.02 * Eigen::Matrix3d::Identity()});
    b.AddJoint(body, JointType::kHinge, {.name = name, .axis = {0, 1, 0}});
    return body;
  };
  bar("coupler", bar("crank", ModelBuilder::kWorld, 0), 0.3);
  bar("rocker", ModelBuilder::kWorld, 0.8);
  return b.Build();
}

struct Mapped {
  VectorXd q;
  MatrixXd A, Adot;
};

Mapped MapOf(const Model& tree, const RigidConstraint& loop) {
  const VelocitySpace space(tree, {.rigid = {loop}},
                            {.independent = {"crank"}, .start = Vector3d(-1.2, 0.9, -1.6)});
  SpaceWorkspace<double> workspace(space);
  const VectorXd q = space.closed_start();
  EXPECT_TRUE(UpdateKinematics<double>(space, q, VectorXd::Ones(space.nw()), workspace).ok());
  return {q, workspace.map(space).A, workspace.map(space).Adot};
}

TEST(Constraint, OfLoopsTakesAddedFrames) {
  const Model bare = MakeFourBar();
  const Model tree = bare.WithFrame("pin", bare.FindFrame("coupler"), kTool);
  RigidConstraint loop{.name = "loop",
                       .A = tree.FindFrame("coupler"),
                       .B = tree.FindFrame("rocker"),
                       .point_A = kTool.p,
                       .point_B = {0.5, 0.03, 0.1}};
  const Mapped expected = MapOf(tree, loop);
  EXPECT_EQ(expected.A.cols(), 1);
  loop.A = tree.FindFrame("pin");
  loop.point_A.setZero();
  loop.stiffness = 100;  // Baumgarte terms change nothing
  loop.damping = 20;
  const Mapped mapped = MapOf(tree, loop);
  EXPECT_EQ(mapped.q, expected.q);
  EXPECT_EQ(mapped.A, expected.A);
  EXPECT_EQ(mapped.Adot, expected.Adot);
}

TEST(Constraint, AxesAreGivenInTheFrames) {
  const Case c = MakeCase(3);
  const Model model = c.model.WithFrame("tool", c.model.frames().back(), kTool);
  RigidConstraint weld{.name = "weld",
                       .A = model.frames().front(),
                       .B = model.frames().back(),
                       .point_B = kTool.p,
                       .axes_A = kTool.R.transpose(),
                       .axes_B = kTool.R,
                       .fixes_rotation = true};
  Workspace<double> workspace(model);
  UpdateKinematics(model, c.q, c.v, workspace);
  ConstrainedDynamics given(model, {.rigid = {weld}}, c.q);
  (void)given.Update(workspace);
  weld.A.X_BF.R = weld.A.X_BF.R * weld.axes_A;
  weld.B = model.FindFrame("tool");
  weld.point_B.setZero();
  weld.axes_A.setIdentity();
  weld.axes_B.setIdentity();
  ConstrainedDynamics turned(model, {.rigid = {weld}}, c.q);
  (void)turned.Update(workspace);
  EXPECT_GT(given.error().head<3>().norm(), 0.1);
  EXPECT_LE(RelativeError(given.J(), turned.J()), 1e-14);
  EXPECT_LE(RelativeError(given.J_rate_v(), turned.J_rate_v()), 1e-13);
  EXPECT_LE(RelativeError(given.error(), turned.error()), 1e-14);
}

Pose WorldPose(const Model& model, const Model::NamedFrame& frame, const VectorXd& q) {
  Workspace<double> workspace(model);
  UpdateKinematics<double>(model, q, VectorXd::Zero(model.nv()), workspace);
  return CalcFramePose<double>(model, frame, workspace);
}

TEST(Constraint, StaysWhereItIsWhenJointsAreLocked) {
  const Model bare = MakeFourBar();
  const Model tree = bare.WithFrame("pin", bare.FindFrame("coupler"), kTool);
  const VectorXd q = Vector3d(-1.2, 0.9, -1.6);
  RigidConstraint own{.name = "own", .A = tree.FindFrame("rocker"), .B = {}, .point_A = {1, 2, 3}};
  own.A.X_BF = kTool;
  const RigidConstraint pin{
      .name = "pin", .A = tree.FindFrame("coupler"), .B = tree.FindFrame("pin")};
  const Constraints loops{.rigid = {own, pin}};
  for (const std::string joint : {"crank", "coupler", "rocker"}) {
    const Model locked = tree.WithLockedJoints({joint}, q);
    VectorXd rest(2);
    int n = 0;
    for (const Model::NamedJoint& each : tree.joints()) {
      if (each.name != joint) rest[n++] = q[each.iq];
    }
    const Constraints left = LockJoints(loops, tree, {joint}, q);
    ASSERT_EQ(left.rigid.size(), 2);
    for (size_t i = 0; i < 2; ++i) {
      const RigidConstraint &before = loops.rigid[i], &after = left.rigid[i];
      EXPECT_EQ(after.A.name, before.A.name);
      EXPECT_EQ(after.point_A, before.point_A);
      const std::pair<const Model::NamedFrame&, const Model::NamedFrame&> sides[] = {
          {before.A, after.A}, {before.B, after.B}};
      for (const auto& [was, is] : sides) {
        const Pose one = WorldPose(tree, was, q), two = WorldPose(locked, is, rest);
        EXPECT_LT((one.R - two.R).norm() + (one.p - two.p).norm(), 1e-14) << joint << i;
      }
    }
  }
}

TEST(Constraint, OfLoopsIsRefusedWithoutItsFrame) {
  const Model tree = MakeFourBar();
  const auto refusal = [&](const RigidConstraint& loop) {
    return ErrorOf([&] { VelocitySpace(tree, Constraints{.rigid = {loop}}); });
  };
  EXPECT_EQ(refusal({.name = "pin", .A = tree.frames()[0]}), "loop 'pin': B is not set");
  EXPECT_EQ(refusal({.name = "pin", .A = {.name = "f", .body = 7, .X_BF = {}}, .B = {}}),
            "loop 'pin': A, 'f', is on no body of the model");
  RigidConstraint far{.name = "pin", .A = tree.frames()[0], .B = {}};
  far.point_B.x() = NAN;
  EXPECT_EQ(refusal(far), "loop 'pin': point_B must be finite");
}

}  // namespace constraint_test
}  // namespace civita
