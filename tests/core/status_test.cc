// What cannot be made is said, with its place and number, and the results are as they were.

#include "civita/status.h"

#include <algorithm>
#include <numbers>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "civita/batch_dynamics.h"
#include "civita/constrained_dynamics.h"
#include "civita/coordinates.h"
#include "civita/coriolis.h"
#include "civita/dynamics_derivatives.h"
#include "civita/forward_dynamics.h"
#include "civita/frame_motion.h"
#include "civita/geometry/transport.h"
#include "civita/kinematics.h"
#include "civita/loop_drive.h"
#include "civita/mass_matrix.h"
#include "civita/product_of_exponentials.h"
#include "civita/regressor.h"
#include "civita/space_derivatives.h"
#include "civita/space_dynamics.h"
#include "civita/task_space.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace civita {
namespace status_test {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::Vector4d;
using Eigen::VectorXd;

static_assert(std::is_trivially_copyable_v<Status>);

constexpr double kRight = std::numbers::pi / 2;
const MassProperties kMass{1, {0.1, 0.3, 0}, 0.02 * Eigen::Matrix3d::Identity()};

int AddHinge(ModelBuilder& builder, int body, const Vector3d& axis) {
  static int count = 0;
  builder.AddJoint(body, JointType::kHinge, {.name = "h" + std::to_string(count++), .axis = axis});
  return body;
}

/// A body on three hinges about z, y and x: H is singular where the second is at a right angle.
void AddWrist(ModelBuilder& builder) {
  const int body = builder.AddBody("wrist", ModelBuilder::kWorld, {}, kMass);
  for (const int axis : {2, 1, 0}) AddHinge(builder, body, Vector3d::Unit(axis));
}
Model Wrist() {
  ModelBuilder builder;
  AddWrist(builder);
  return builder.Build();
}

/// The wrist, two hinges of which the second follows the first, and two of which the first follows
/// the second where `turned`: q₆ = q₅ + ½q₅², which stands still at q₅ = −1 and has q₆ ≥ −½.
VelocitySpace WristWithGears(bool turned) {
  ModelBuilder builder;
  AddWrist(builder);
  for (int i = 0; i < 4; ++i) {
    const int body = builder.AddBody("gear" + std::to_string(i), ModelBuilder::kWorld, {}, kMass);
    AddHinge(builder, body, Vector3d::UnitZ());
  }
  const Model tree = builder.Build();
  Constraints loops;
  loops.joints = {{.name = "even", .joint = 4, .leader = 3, .polynomial = {0, 1.5}},
                  {.name = "curved", .joint = 6, .leader = 5, .polynomial = {0, 1, 0.5}}};
  LoopOptions options;
  if (turned) options.independent = {tree.VelocityName(6)};
  return {tree, loops, options};
}

/// A chain of hinges about z, y, y and y, whose third link has two directions where it is
/// stretched.
Model Chain() {
  ModelBuilder builder;
  int body = ModelBuilder::kWorld;
  for (const int axis : {2, 1, 1, 1}) {
    const double length = body == ModelBuilder::kWorld ? 0 : 0.5;
    const Pose X{Eigen::Matrix3d::Identity(), Vector3d(length, 0, 0)};
    body = AddHinge(builder, builder.AddBody("link" + std::to_string(body + 1), body, X, kMass),
                    Vector3d::Unit(axis));
  }
  return builder.Build();
}

/// Results that a failure must leave as they are.
struct Kept {
  explicit Kept(Eigen::Index rows, Eigen::Index cols = 1)
      : M(MatrixXd::Constant(rows, cols, 7)), x(VectorXd::Constant(rows, 8)) {}
  bool IsKept() const { return (M.array() == 7).all() && (x.array() == 8).all(); }
  MatrixXd M;
  VectorXd x;
};

TEST(Status, ComparesAsItsCodeAndHasATextForEach) {
  const Status regular, singular = Status::kSingularTask;
  EXPECT_TRUE(regular.ok() && regular && regular == Status::kOk && regular.index == -1);
  EXPECT_FALSE(singular.ok() || singular || singular == Status::kOk);
  std::set<std::string> texts;
  for (int code = Status::kOk; code <= Status::kSingularBasis; ++code) {
    texts.insert(Describe(Status(static_cast<Status::Code>(code))));
  }
  EXPECT_EQ(texts.size(), 10u);
  EXPECT_EQ(texts.count(""), 0u);
}

TEST(Status, OfASingularMassMatrix) {
  const Model model = Wrist();
  const VectorXd q = Vector3d(0.3, kRight, -0.4), v = Vector3d(1, -2, 0.5);
  Workspace<double> workspace(model);
  MassMatrixCholesky<double> factor(model);
  MatrixXd H(3, 3), A(3, 3), B(3, 3), C(3, 3);
  Kept kept(3, 10);
  for (const bool is_singular : {true, false}) {
    UpdateKinematics(model, is_singular ? q : VectorXd(Vector3d::Zero()), v, workspace);
    CalcMassMatrix(model, workspace, H);
    const Status::Code code = is_singular ? Status::kSingularMassMatrix : Status::kOk;
    EXPECT_EQ(factor.Compute(workspace), code);
    EXPECT_EQ(factor.Compute(H), code);
    EXPECT_EQ(CalcForwardDynamics(model, v, workspace, factor, kept.x), code);
    EXPECT_EQ(CalcForwardDynamicsParameterDerivatives(model, model.frames(), v, workspace, factor,
                                                      kept.M.leftCols(10 * model.frames().size())),
              code);
    EXPECT_EQ(kept.IsKept(), is_singular);
    EXPECT_EQ(CalcForwardDynamicsDerivatives(model, v, workspace, factor, A, B, C), code);
  }
}

TEST(Status, OfABatchHasTheFirstState) {
  const Model model = Wrist();
  BatchDynamics batch(model, 2);
  for (const int first : {0, 3, 8}) {
    MatrixXd Q = MatrixXd::Constant(3, 8, 0.2), V = Q, A(3, 24), B(3, 24), C(3, 24);
    for (int state = first; state < 8; state += 2) Q(1, state) = kRight;
    const Status status = batch.CalcForwardDynamicsDerivatives(Q, V, V, A, B, C);
    EXPECT_EQ(status, first < 8 ? Status::kSingularMassMatrix : Status::kOk);
    EXPECT_EQ(status.index, first < 8 ? first : -1);
  }
}

TEST(Status, OfAProductOfExponentials) {
  poe::Lists lists;
  lists.M_list.assign(4, Eigen::Matrix4d::Identity());
  lists.G_list.assign(3, Matrix6<double>::Zero());
  lists.G_list.back().diagonal() << 0.1, 0.2, 0.25, 1, 1, 1;
  lists.S_list = MatrixXd::Zero(6, 3);
  for (int k = 0; k < 3; ++k) lists.S_list(2 - k, k) = 1;
  const poe::Robot robot(lists, Vector3d(0, 0, -9.8));
  Workspace<double> workspace(robot.model());
  MassMatrixCholesky<double> factor(robot.model());
  Kept kept(3);
  const VectorXd dtheta = Vector3d(1, 2, 3), F = VectorXd::Ones(6);
  for (const double pitch : {kRight, 0.0}) {
    EXPECT_EQ(poe::ForwardDynamicsCrba<double>(robot, Vector3d(0.3, pitch, 0.1), dtheta, dtheta, F,
                                               workspace, factor, kept.x),
              pitch > 0 ? Status::kSingularMassMatrix : Status::kOk);
    EXPECT_EQ(kept.IsKept(), pitch > 0);
  }
}

TEST(Status, OfAClosedChainsMassMatrix) {
  const VelocitySpace chain = WristWithGears(false);
  const int n = chain.nw();
  ASSERT_EQ(n, 5);
  SpaceWorkspace<double> workspace(chain);
  VectorXd q = chain.closed_start();
  q[1] = kRight;
  const VectorXd w = VectorXd::LinSpaced(n, -1, 1);
  ASSERT_TRUE(UpdateKinematics<double>(chain, q, w, workspace));
  const auto frames = chain.tree().frames();
  const auto columns = static_cast<Eigen::Index>(10 * frames.size());
  Kept kept(n, columns), of_q(n, n), of_w(n, n), of_tau(n, n);
  MatrixXd tree_Y(chain.nv(), columns);
  const Status status = CalcForwardDynamics(chain, w, workspace, kept.x);
  EXPECT_EQ(status, Status::kSingularMassMatrix);
  EXPECT_EQ(Describe(chain, status), "the mass matrix is singular");
  EXPECT_EQ(CalcForwardDynamicsDerivatives(chain, w, workspace, of_q.M, of_w.M, of_tau.M),
            Status::kSingularMassMatrix);
  EXPECT_EQ(CalcForwardDynamicsParameterDerivatives(chain, frames, w, workspace, tree_Y, kept.M),
            Status::kSingularMassMatrix);
  EXPECT_TRUE(kept.IsKept() && of_q.IsKept() && of_w.IsKept() && of_tau.IsKept());
}

// The second of two clusters.
TEST(Status, OfLoopsHasTheClusterAndItsNumber) {
  const VelocitySpace chain = WristWithGears(true);
  SpaceWorkspace<double> workspace(chain);
  VectorXd q = chain.closed_start();
  const VectorXd w = VectorXd::Ones(chain.nw()), v = VectorXd::Ones(chain.nv());
  Status status = UpdateKinematics<double>(chain, q, w, workspace);
  EXPECT_TRUE(status);
  EXPECT_THAT(Describe(chain, status), testing::StartsWith("worst cluster "));

  q[5] = -1 + 1e-9;
  q[6] = -0.5;
  for (const Status& singular : {UpdateKinematics<double>(chain, q, workspace),
                                 UpdateKinematics<double>(chain, q, w, workspace),
                                 UpdateKinematicsAlong<double>(chain, q, v, workspace)}) {
    EXPECT_EQ(singular, Status::kSingularLoops);
    EXPECT_EQ(singular.index, 1);
    EXPECT_GT(singular.condition, 1e8);
    EXPECT_LE(singular.residual, 1e-12);
    EXPECT_THAT(Describe(chain, singular), testing::HasSubstr("'curved' is singular here"));
  }
  Tensor3 Gamma(chain.nw());
  std::ranges::fill(Gamma.numbers(), 7);
  EXPECT_EQ(CalcConnection(chain, {}, q, workspace, Gamma), Status::kSingularLoops);
  EXPECT_TRUE(std::ranges::all_of(Gamma.numbers(), [](double x) { return x == 7; }));

  q[6] = -2;  // out of reach
  status = CloseLoops(chain, workspace, q);
  EXPECT_EQ(status, Status::kNotClosed);
  EXPECT_EQ(status.index, 1);
  EXPECT_NEAR(status.residual, 1.5, 1e-3);
  EXPECT_THAT(Describe(chain, status), testing::HasSubstr("'curved' does not close"));
}

TEST(Status, OfCoordinates) {
  const Model model = Chain();
  const VectorXd bent = Vector4d(0.2, 0.5, 0.7, 0.1), v = Vector4d(1, 2, 3, 4);
  const VectorXd stretched = Vector4d(0.2, 0.5, 0, 0.1);
  const Coordinates task = TaskCoordinates(model, model.frames().back(), false, bent);
  Workspace<double> tree(model);
  VelocityMap<double> map(4, 4);
  UpdateKinematics(model, bent, v, tree);
  EXPECT_TRUE(task.update(tree, map));
  UpdateKinematics(model, stretched, v, tree);
  EXPECT_EQ(task.update(tree, map), Status::kSingularTask);

  const VelocitySpace space(model, task);
  SpaceWorkspace<double> workspace(space);
  EXPECT_TRUE(UpdateKinematics<double>(space, bent, v, workspace));
  const Status status = UpdateKinematics<double>(space, stretched, v, workspace);
  EXPECT_EQ(status, Status::kSingularCoordinates);
  EXPECT_EQ(UpdateKinematicsAlong<double>(space, stretched, v, workspace),
            Status::kSingularCoordinates);
  EXPECT_THAT(Describe(space, status), testing::HasSubstr("do not exist: A is singular"));
}

TEST(Status, OfATask) {
  const Model model = Chain();
  Workspace<double> workspace(model);
  UpdateKinematics(model, Vector4d(0.2, 0.5, 0.7, 0.1), Vector4d(1, 2, 3, 4), workspace);
  MatrixXd C(4, 4), H(4, 4);
  CalcCoriolisMatrix(model, {}, workspace, {.C = C, .H = H});
  const MatrixXd zero = MatrixXd::Zero(4, 4), Jdot = MatrixXd::Constant(2, 4, 0.1);
  MatrixXd J(2, 4), dependent(2, 4), other = MatrixXd::Zero(2, 4);
  J << 1, 0.5, 0.2, 0.1, 0.3, 2, 0.1, -0.2;
  dependent << J.row(0), -2 * J.row(0);
  TaskSpace<double> task(model, J);
  for (int r = 0; r < 2; ++r) other(r, task.independent[static_cast<size_t>(r)]) = 1;
  ASSERT_TRUE(task.Update({.C = C, .H = H}, J, Jdot));
  const TaskSpace<double> before = task;
  EXPECT_EQ(task.Update({.C = C, .H = zero}, dependent, Jdot), Status::kSingularMassMatrix);
  EXPECT_EQ(task.Update({.C = C, .H = H}, dependent, Jdot), Status::kSingularTask);
  EXPECT_EQ(task.Lambda, before.Lambda);
  EXPECT_EQ(task.A_x, before.A_x);
  EXPECT_EQ(task.Update({.C = C, .H = H}, C + C.transpose(), other, Jdot), Status::kSingularBasis);
  EXPECT_EQ(task.null_space.A, before.null_space.A);
  EXPECT_EQ(task.null_space.Adot, before.null_space.Adot);
  EXPECT_EQ(task.H_nn, before.H_nn);
  EXPECT_EQ(task.C_xx, before.C_xx);
  EXPECT_EQ(task.C_nx, before.C_nx);
}

TEST(Status, OfConstraints) {
  const Model model = Chain();
  RigidConstraint held;
  held.B = model.frames().back();
  const VectorXd bent = Vector4d(0.2, 0.5, 0.7, 0.1), v = Vector4d(1, 2, 3, 4);
  ConstrainedDynamics dynamics(model, {.rigid = {held}}, bent);
  Workspace<double> workspace(model);
  UpdateKinematics(model, bent, v, workspace);
  Status status = dynamics.Update(workspace);
  EXPECT_TRUE(status);
  EXPECT_EQ(status.condition, dynamics.condition());
  UpdateKinematics(model, Vector4d(0.2, 0.5, 0, 0.1), v, workspace);
  status = dynamics.Update(workspace);
  EXPECT_EQ(status, Status::kSingularConstraints);
  EXPECT_GT(status.condition, 1e6);
  Kept of_v(4), of_rows(3, 3);
  EXPECT_EQ(dynamics.CalcForwardDynamics(v, workspace, of_v.x, of_rows.x),
            Status::kSingularConstraints);
  EXPECT_EQ(dynamics.CalcImpulse(v, 0, of_v.x, of_rows.x), Status::kSingularConstraints);
  EXPECT_EQ(dynamics.CalcOperationalSpaceInertia(of_rows.M), Status::kSingularConstraints);
  EXPECT_TRUE(of_v.IsKept() && of_rows.IsKept());

  const Model wrist = Wrist();
  held.B = wrist.frames().back();
  held.point_B = Vector3d(0.1, 0.2, 0.3);
  ConstrainedDynamics of_wrist(wrist, {.rigid = {held}}, Vector3d::Zero());
  Workspace<double> singular(wrist);
  UpdateKinematics(wrist, Vector3d(0.3, kRight, 0.1), Vector3d::Ones(), singular);
  EXPECT_EQ(of_wrist.Update(singular), Status::kSingularMassMatrix);
  Kept of_wrist_v(3);
  EXPECT_EQ(of_wrist.CalcForwardDynamics(Vector3d::Ones(), singular, of_wrist_v.x, of_rows.x),
            Status::kSingularMassMatrix);
  EXPECT_TRUE(of_wrist_v.IsKept() && of_rows.IsKept());
}

TEST(Status, OfMotors) {
  const VelocitySpace chain = WristWithGears(false);
  std::vector<bool> own(7, true);
  own[5] = false;  // it is driven by way of what follows it
  LoopDrive drive(chain, Transmission(own, MatrixXd(7, 0)), "law");
  SpaceWorkspace<double> workspace(chain);
  VectorXd q = chain.closed_start(), tau_w = VectorXd::Ones(5);
  MatrixXd H_w(5, 5), H(7, 7);
  Kept kept(7);
  for (const double x : {-1.0, 0.2}) {
    q[5] = x;
    q[6] = x + x * x / 2;
    ASSERT_TRUE(UpdateKinematics<double>(chain, q, tau_w, workspace));
    CalcMassMatrix<double>(chain, workspace, H_w);
    CalcMassMatrix<double>(chain.tree(), workspace.tree(), H);
    EXPECT_EQ(drive.Distribute(workspace.map(chain), H, H_w, tau_w, kept.x),
              x < 0 ? Status::kSingularDrive : Status::kOk);
    EXPECT_EQ(kept.IsKept(), x < 0);
  }

  const MatrixXd shared = Vector3d(0, 1, 1);
  TorqueFit fit(Transmission({true, false, false}, shared));
  Kept tau(3);
  EXPECT_EQ(fit.Fit(-MatrixXd::Identity(3, 3), tau.x), Status::kSingularMassMatrix);
  EXPECT_TRUE(tau.IsKept());
  EXPECT_TRUE(fit.Fit(MatrixXd::Identity(3, 3), tau.x));
}

TEST(Status, OfTransport) {
  const Model model = Wrist();
  const VectorXd at = Vector3d(0.1, 0.2, 0.3);
  double inertia = -1;
  const ConnectionFunction connection = [&](const VectorXd&, const VectorXd&,
                                            CoriolisOut<double> out) {
    out.C.setConstant(0.1);
    out.H = inertia * MatrixXd::Identity(3, 3);
  };
  const CurveFunction curve = [&](double t, VectorXd& q, VectorXd& v) { q = (1 + t) * (v = at); };
  MatrixXd C(3, 3), H(3, 3);
  Kept kept(3);
  connection(at, at, {.C = C, .H = H});
  EXPECT_EQ(CovariantDerivative({.C = C, .H = H}, at, at, kept.x), Status::kSingularMassMatrix);
  EXPECT_TRUE(kept.IsKept());
  VectorXd on_argument = at;
  EXPECT_TRUE(CovariantDerivative({.C = C, .H = -H}, at, at, kept.x));
  EXPECT_TRUE(CovariantDerivative({.C = C, .H = -H}, on_argument, at, on_argument));
  EXPECT_EQ(on_argument, kept.x);

  for (const bool is_singular : {true, false}) {
    inertia = is_singular ? -1 : 1;
    const Status::Code code = is_singular ? Status::kSingularMassMatrix : Status::kOk;
    MatrixXd carried = at, W = at;
    VectorXd q = at;
    EXPECT_EQ(StepTransport(connection, curve, {.t = 0, .dt = 0.1}, carried), code);
    EXPECT_EQ(StepGeodesic(model, connection, 0.1, q, W), code);
    for (const MatrixXd& x : {carried, W, MatrixXd(q)}) {
      EXPECT_TRUE(is_singular ? x.array().isNaN().all() : x.allFinite());
    }
  }
}

}  // namespace status_test
}  // namespace civita
