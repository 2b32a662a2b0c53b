// Rows of constraints that depend on each other and contradict, and of which masses differ.

#include <Eigen/Geometry>
#include <utility>
#include <vector>

#include "civita/constrained_dynamics.h"
#include "civita/kinematics.h"
#include "gtest/gtest.h"
#include "tests/oracles/compare.h"
#include "tests/oracles/linear.h"

namespace civita {
namespace redundant_constraints_test {

using Eigen::Vector3d;
using Eigen::VectorXd;

/// A sledge that moves freely in space.
Model Sledge() {
  ModelBuilder b;
  const int body = b.AddBody("sledge", ModelBuilder::kWorld, Pose(),
                             {3, Vector3d(0.05, -0.02, 0.2), Vector3d(0.2, 0.3, 0.4).asDiagonal()});
  b.AddJoint(body, JointType::kFree, {.name = "base"});
  return b.Build();
}

/// Five points of its runners held where they are, in axes of the world that are turned by `turn`.
std::vector<RigidConstraint> Runners(const Model& model, double turn, double stiffness) {
  std::vector<RigidConstraint> constraints;
  const Pose axes{Eigen::AngleAxisd(turn, Vector3d(1, 2, -1).normalized()).matrix(),
                  Vector3d::Zero()};
  for (const Vector3d& p : {Vector3d(0.2, 0.1, 0), Vector3d(0.2, -0.1, 0), Vector3d(-0.3, 0.1, 0),
                            Vector3d(-0.3, -0.1, 0), Vector3d(0, 0, 0.07)}) {
    constraints.push_back({.name = "runner",
                           .A = {.name = "turned", .body = -1, .X_BF = axes},
                           .B = model.frames().back(),
                           .point_A = axes.Inverse() * Vector3d(p + 0.01 * p.cwiseAbs2()),
                           .point_B = p,
                           .stiffness = stiffness,
                           .damping = 0.1 * stiffness});
  }
  return constraints;
}

// Fifteen rows of rank six, which a body that turns cannot meet.
TEST(RedundantConstraints, RowsThatContradictAreMetInTheLeastSquares) {
  const Model model = Sledge();
  const VectorXd q = model.DefaultPosition(), tau = VectorXd::LinSpaced(6, -2, 7);
  VectorXd v(6);
  v << 0.3, -0.1, 0.2, 1.1, -0.7, 2.4;
  Workspace<double> workspace(model);
  UpdateKinematics(model, q, v, workspace);
  for (const double stiffness : {0.0, 150.0}) {
    VectorXd in_world;
    for (const double turn : {0.0, 0.5, 2.2}) {
      ConstrainedDynamics dynamics(model, {.rigid = Runners(model, turn, stiffness)}, q);
      ASSERT_EQ(dynamics.Update(workspace), Status::kOk);
      ASSERT_EQ(dynamics.rank(), 6);
      VectorXd vdot(6), lambda(15), damped(6), lambda_damped(15);
      const Status status = dynamics.CalcForwardDynamics(tau, workspace, vdot, lambda);
      ASSERT_EQ(status, Status::kOk);
      // Six free directions: the rows alone say what is least.
      const VectorXd target = dynamics.baumgarte() - dynamics.J_rate_v();
      const VectorXd least = linear::LeastSquares(dynamics.J(), target);
      EXPECT_LE(RelativeError(vdot, least), 1e-11);
      const double residual = (dynamics.J() * least - target).norm();
      EXPECT_GT(residual, 0.1);
      EXPECT_NEAR(status.residual, residual, 1e-11 * residual);
      VectorXd force(6);
      dynamics.CalcInverseDynamics(vdot, lambda, workspace, force);
      EXPECT_LE(RelativeError(force, tau), 1e-10);
      if (turn == 0) in_world = vdot;
      EXPECT_LE(RelativeError(vdot, in_world), 1e-11);
      ASSERT_EQ(dynamics.Update(workspace, 1e-9), Status::kOk);
      const Status of_damped = dynamics.CalcForwardDynamics(tau, workspace, damped, lambda_damped);
      EXPECT_LE(RelativeError(damped, vdot), 1e-6);
      EXPECT_NEAR(of_damped.residual, residual, 1e-6 * residual);
    }
  }
}

// A heavy slide and a feather, each held by a row and by a point of its own.
TEST(RedundantConstraints, RankIsOfRowsWhateverTheirMasses) {
  ModelBuilder b;
  for (const auto& [name, mass] : {std::pair{"ship", 7e6}, std::pair{"feather", 2e-8}}) {
    const int body = b.AddBody(name, ModelBuilder::kWorld, Pose(),
                               {mass, Vector3d::Zero(), 1e-3 * mass * Eigen::Matrix3d::Identity()});
    b.AddJoint(body, JointType::kSlide, {.name = name, .axis = {1, 0, 0}});
  }
  const Model model = b.Build();
  const VectorXd q = VectorXd::Zero(2), v = Eigen::Vector2d(0.2, -0.4);
  Constraints rows, points;
  for (int j = 0; j < 2; ++j) {
    const Model::NamedFrame& frame = model.frames()[static_cast<size_t>(j)];
    rows.joints.push_back({.name = frame.name, .joint = j, .damping = 5});
    points.rigid.push_back({.name = frame.name, .B = frame, .damping = 5});
  }
  for (const Constraints& constraints : {rows, points}) {
    ConstrainedDynamics dynamics(model, constraints, q);
    EXPECT_EQ(dynamics.expected_rank(), 2);
    Workspace<double> workspace(model);
    UpdateKinematics(model, q, v, workspace);
    ASSERT_EQ(dynamics.Update(workspace), Status::kOk);
    EXPECT_LT(dynamics.condition(), 2);
    VectorXd vdot(2), lambda(dynamics.num_rows());
    ASSERT_EQ(dynamics.CalcForwardDynamics(Eigen::Vector2d(3, 1e-9), workspace, vdot, lambda),
              Status::kOk);
    EXPECT_LE(RelativeError(vdot, VectorXd(-5 * v)), 1e-9);
  }
}

// Both directions of one point.
TEST(RedundantConstraints, RankIsOfRowsWhateverTheirMassesAtOnePoint) {
  ModelBuilder b;
  int parent = ModelBuilder::kWorld;
  for (const auto& [name, mass] : {std::pair{"bridge", 3e7}, std::pair{"pen", 1e-8}}) {
    parent = b.AddBody(name, parent, Pose(),
                       {mass, Vector3d::Zero(), 1e-3 * mass * Eigen::Matrix3d::Identity()});
    const Vector3d axis = Vector3d::Unit(parent);
    b.AddJoint(parent, JointType::kSlide, {.name = name, .axis = axis});
  }
  const Model model = b.Build();
  const VectorXd q = VectorXd::Zero(2), v = VectorXd::Ones(2);
  const RigidConstraint tip = {.name = "tip", .B = model.frames()[1], .damping = 3};
  ConstrainedDynamics dynamics(model, {.rigid = {tip}}, q);
  EXPECT_EQ(dynamics.expected_rank(), 2);
  Workspace<double> workspace(model);
  UpdateKinematics(model, q, v, workspace);
  ASSERT_EQ(dynamics.Update(workspace), Status::kOk);
  VectorXd vdot(2), lambda(3);
  ASSERT_EQ(dynamics.CalcForwardDynamics(v, workspace, vdot, lambda), Status::kOk);
  EXPECT_LE(RelativeError(vdot, VectorXd(-3 * v)), 1e-7);  // of a ratio of 3e15
}

}  // namespace redundant_constraints_test
}  // namespace civita
