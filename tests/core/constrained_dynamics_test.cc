// Dynamics under constraints, against dense KKT systems solved by an orthogonal decomposition.

#include "civita/constrained_dynamics.h"

#include <cmath>
#include <utility>
#include <vector>

#include "civita/error.h"
#include "civita/forward_dynamics.h"
#include "civita/kinematics.h"
#include "civita/manifold.h"
#include "civita/mass_matrix.h"
#include "civita/rnea.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/core/error_of.h"
#include "tests/oracles/compare.h"
#include "tests/oracles/linear.h"
#include "tests/oracles/random_case.h"
#include "tests/oracles/seeds.h"

namespace civita {
namespace constrained_dynamics_test {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

/// The last body at a point of the world, and where there is another branch or tree a loop.
std::vector<RigidConstraint> ConstraintsOf(const Model& model, bool fixes_rotation) {
  RigidConstraint contact;
  contact.B = model.frames().back();
  contact.point_B = Vector3d(0.3, -0.2, 0.1);
  contact.fixes_rotation = fixes_rotation;
  contact.stiffness = 9;
  contact.damping = 2;
  RigidConstraint loop;
  loop.A = model.frames().front();
  loop.A.X_BF.R = Eigen::AngleAxisd(0.4, Vector3d::UnitX()).matrix();
  loop.B = model.frames()[model.frames().size() / 2];
  loop.point_A = Vector3d(0.1, 0.1, 0);
  return {contact, loop};
}

/// [v̇; λ] of least norm of [H −Jᵀ; J 0] [v̇; λ] = [force; rate].
VectorXd SolveKkt(const MatrixXd& H, const MatrixXd& J, const VectorXd& force,
                  const VectorXd& rate) {
  const Eigen::Index n = H.rows(), m = J.rows();
  MatrixXd kkt = MatrixXd::Zero(n + m, n + m);
  kkt << H, -J.transpose(), J, MatrixXd::Zero(m, m);
  VectorXd right(n + m);
  right << force, rate;
  return linear::LeastSquares(kkt, right, 1e-10);
}

struct Solution {
  VectorXd vdot, lambda;
};

Solution Solve(const Model& model, ConstrainedDynamics& dynamics, const VectorXd& tau,
               Workspace<double>& workspace) {
  Solution x{VectorXd::Constant(model.nv(), NAN), VectorXd::Constant(dynamics.num_rows(), NAN)};
  EXPECT_EQ(dynamics.CalcForwardDynamics(tau, workspace, x.vdot, x.lambda), Status::kOk);
  return x;
}

VectorXd BiasOf(const Model& model, Workspace<double>& workspace) {
  VectorXd bias(model.nv());
  CalcBiasForces(model, workspace, bias);
  return bias;
}

MatrixXd MassMatrixOf(const Model& model, Workspace<double>& workspace) {
  MatrixXd H(model.nv(), model.nv());
  CalcMassMatrix(model, workspace, H);
  return H;
}

class ConstrainedDynamicsLaws : public testing::TestWithParam<unsigned> {
 protected:
  ConstrainedDynamicsLaws()
      : c_(MakeCase(GetParam())),
        workspace_(c_.model),
        dynamics_(c_.model, {.rigid = ConstraintsOf(c_.model, GetParam() % 2 == 0)}, c_.q) {
    UpdateKinematics(c_.model, c_.q, c_.v, workspace_);
    EXPECT_EQ(dynamics_.Update(workspace_), Status::kOk);
    std::mt19937 random(GetParam());
    tau_ = RandomVector(c_.spec.nv, &random);
  }

  Case c_;
  Workspace<double> workspace_;
  ConstrainedDynamics dynamics_;
  VectorXd tau_;
};

TEST_P(ConstrainedDynamicsLaws, SolvesTheKktSystem) {
  const Solution x = Solve(c_.model, dynamics_, tau_, workspace_);
  VectorXd rate = -dynamics_.J_rate_v();
  Eigen::Index row = 0;
  for (const RigidConstraint& c : dynamics_.constraints().rigid) {
    const int m = c.num_rows();
    rate.segment(row, m) -= c.damping * dynamics_.J().middleRows(row, m) * c_.v +
                            c.stiffness * dynamics_.error().segment(row, m);
    row += m;
  }
  const MatrixXd H = MassMatrixOf(c_.model, workspace_);
  if (dynamics_.rank() == dynamics_.num_rows()) {
    const VectorXd expected = SolveKkt(H, dynamics_.J(), tau_ - BiasOf(c_.model, workspace_), rate);
    EXPECT_LE(RelativeError(x.vdot, expected.head(c_.spec.nv)), 1e-8);
    EXPECT_LE(RelativeError(x.lambda, expected.tail(rate.size())), 1e-8);
  }
  VectorXd tau(c_.spec.nv);
  dynamics_.CalcInverseDynamics(x.vdot, x.lambda, workspace_, tau);
  EXPECT_LE(RelativeError(tau, tau_), 1e-9 * (1 + x.lambda.norm()));
}

TEST_P(ConstrainedDynamicsLaws, RowsAreTheRatesOfTheErrors) {
  constexpr double kStep = 1e-6;
  const auto error = [&](double t) {
    VectorXd q(c_.model.nq());
    IntegratePosition(c_.model, c_.q, c_.v, t, q);
    Workspace<double> at(c_.model);
    UpdateKinematics(c_.model, q, c_.v, at);
    ConstrainedDynamics moved = dynamics_;
    (void)moved.Update(at);
    return std::pair(moved.error(), VectorXd(moved.J() * c_.v));
  };
  const auto later = error(kStep), before = error(-kStep);
  const VectorXd rate = (later.first - before.first) / (2 * kStep);
  // The rotation vector's rate is its own; of the points, it is the rows'.
  const Eigen::Index turns = dynamics_.constraints().rigid.front().fixes_rotation ? 3 : 0;
  const VectorXd expected = dynamics_.J() * c_.v;
  EXPECT_LE(RelativeError(rate.tail(rate.size() - turns), expected.tail(rate.size() - turns)),
            1e-6);
  EXPECT_LE(
      RelativeError(VectorXd((later.second - before.second) / (2 * kStep)), dynamics_.J_rate_v()),
      1e-6);
}

TEST_P(ConstrainedDynamicsLaws, ImpulsesStopTheConstraints) {
  const MatrixXd H = MassMatrixOf(c_.model, workspace_);
  VectorXd v(c_.spec.nv), Lambda(dynamics_.num_rows());
  ASSERT_EQ(dynamics_.CalcImpulse(c_.v, 0.3, v, Lambda), Status::kOk);
  if (dynamics_.rank() == dynamics_.num_rows()) {
    EXPECT_LE(RelativeError(VectorXd(dynamics_.J() * v), VectorXd(-0.3 * dynamics_.J() * c_.v)),
              1e-8);
  }
  EXPECT_LE(RelativeError(VectorXd(H * (v - c_.v)), VectorXd(dynamics_.J().transpose() * Lambda)),
            1e-9 * (1 + Lambda.norm()));
  ASSERT_EQ(dynamics_.CalcImpulse(c_.v, 0, v, Lambda), Status::kOk);
  EXPECT_LE(v.dot(H * v), c_.v.dot(H * c_.v) * (1 + 1e-12));
  VectorXd in_place = c_.v;  // the result may lie on the argument
  ASSERT_EQ(dynamics_.CalcImpulse(in_place, 0, in_place, Lambda), Status::kOk);
  EXPECT_EQ(in_place, v);
}

TEST_P(ConstrainedDynamicsLaws, OperationalSpaceInertiaIsTheInverse) {
  MatrixXd inertia(dynamics_.num_rows(), dynamics_.num_rows());
  if (dynamics_.rank() < dynamics_.num_rows()) {
    EXPECT_EQ(dynamics_.CalcOperationalSpaceInertia(inertia), Status::kSingularConstraints);
    return;
  }
  ASSERT_EQ(dynamics_.CalcOperationalSpaceInertia(inertia), Status::kOk);
  const MatrixXd H = MassMatrixOf(c_.model, workspace_);
  const MatrixXd inverse = dynamics_.J() * linear::SolvePositive(H, dynamics_.J().transpose());
  EXPECT_LE(RelativeError(inverse * inertia, MatrixXd::Identity(inertia.rows(), inertia.cols())),
            1e-7);
}

TEST_P(ConstrainedDynamicsLaws, DampingIsAddedToTheDiagonal) {
  constexpr double kDamping = 0.01;
  ASSERT_EQ(dynamics_.Update(workspace_, kDamping), Status::kOk);
  MatrixXd inertia(dynamics_.num_rows(), dynamics_.num_rows());
  ASSERT_EQ(dynamics_.CalcOperationalSpaceInertia(inertia), Status::kOk);
  const MatrixXd H = MassMatrixOf(c_.model, workspace_);
  MatrixXd damped = dynamics_.J() * linear::SolvePositive(H, dynamics_.J().transpose());
  damped.diagonal().array() += kDamping;
  EXPECT_LE(RelativeError(damped * inertia, MatrixXd::Identity(inertia.rows(), inertia.cols())),
            1e-8);
}

TEST_P(ConstrainedDynamicsLaws, ExternalForcesActAsTheirsDo) {
  const std::vector<ExternalForce<double>> forces = {
      ForceOnFrame(c_.model.frames().back(), Vector3d(0.1, 0, 0), {1, 2, 3}, {-4, 5, 6})};
  VectorXd of_forces(c_.spec.nv), vdot(c_.spec.nv), lambda(dynamics_.num_rows());
  CalcGeneralizedForces(c_.model, forces, workspace_, of_forces);
  const Solution expected = Solve(c_.model, dynamics_, VectorXd(tau_ + of_forces), workspace_);
  ASSERT_EQ(dynamics_.CalcForwardDynamics(tau_, workspace_, vdot, lambda, forces), Status::kOk);
  EXPECT_LE(RelativeError(vdot, expected.vdot), 1e-9 * (1 + lambda.norm()));
}

INSTANTIATE_TEST_SUITE_P(Seeds, ConstrainedDynamicsLaws, testing::Range(0u, Seeds(16)));

/// A chain of hinges about y with links along x, 0.5 m each.
Model PlanarChain(int links) {
  ModelBuilder b;
  const MassProperties mass{1, Vector3d(0.25, 0, 0), 0.01 * Eigen::Matrix3d::Identity()};
  int parent = ModelBuilder::kWorld;
  for (int i = 0; i < links; ++i) {
    const Pose X{Eigen::Matrix3d::Identity(), Vector3d(i == 0 ? 0 : 0.5, 0, 0)};
    parent = b.AddBody("link" + std::to_string(i), parent, X, mass);
    b.AddJoint(parent, JointType::kHinge, {.name = {}, .axis = {0, 1, 0}});
  }
  return b.Build();
}

RigidConstraint TipOf(const Model& model, bool fixes_rotation) {
  RigidConstraint tip;
  tip.name = "tip";
  tip.B = model.frames().back();
  tip.point_B = Vector3d(0.5, 0, 0);
  tip.fixes_rotation = fixes_rotation;
  return tip;
}

// Of the six rows of a planar loop in space three depend on the others, or are zero.
TEST(ConstrainedDynamicsTest, RowsOfAPlanarLoopInSpaceAreRedundant) {
  const Model model = PlanarChain(5);
  const VectorXd q = VectorXd::LinSpaced(5, 0.3, -0.9), v = VectorXd::LinSpaced(5, -1, 1);
  // The same constraint twice besides.
  ConstrainedDynamics dynamics(model, {.rigid = {TipOf(model, true), TipOf(model, false)}}, q);
  Workspace<double> workspace(model);
  UpdateKinematics(model, q, v, workspace);
  ASSERT_EQ(dynamics.Update(workspace), Status::kOk);
  EXPECT_EQ(dynamics.num_rows(), 9);
  EXPECT_EQ(dynamics.rank(), 3);
  EXPECT_LT(dynamics.condition(), 100);
  const VectorXd tau = VectorXd::LinSpaced(5, 2, -3);
  const Solution x = Solve(model, dynamics, tau, workspace);
  const VectorXd expected = SolveKkt(MassMatrixOf(model, workspace), dynamics.J(),
                                     tau - BiasOf(model, workspace), -dynamics.J_rate_v());
  EXPECT_LE(RelativeError(x.vdot, expected.head<5>()), 1e-10);
  EXPECT_LE(RelativeError(x.lambda, expected.tail<9>()), 1e-10);
}

TEST(ConstrainedDynamicsTest, ALostRankLeavesResultsAsTheyAre) {
  const Model model = PlanarChain(2);
  ConstrainedDynamics dynamics(model, {.rigid = {TipOf(model, false)}}, Eigen::Vector2d(0.3, 0.7));
  EXPECT_EQ(dynamics.expected_rank(), 2);
  Workspace<double> workspace(model);
  const VectorXd v = Eigen::Vector2d(1, 0), tau = Eigen::Vector2d(1, 2);
  UpdateKinematics(model, Eigen::Vector2d(0.3, 0), v, workspace);  // stretched
  EXPECT_EQ(dynamics.Update(workspace), Status::kSingularConstraints);
  EXPECT_EQ(dynamics.rank(), 1);
  EXPECT_GT(dynamics.condition(), 1e6);
  VectorXd vdot = Eigen::Vector2d(7, 8), lambda = Eigen::Vector3d(9, 10, 11);
  EXPECT_EQ(dynamics.CalcForwardDynamics(tau, workspace, vdot, lambda),
            Status::kSingularConstraints);
  EXPECT_EQ(dynamics.CalcImpulse(v, 0, vdot, lambda), Status::kSingularConstraints);
  EXPECT_EQ(vdot, Eigen::Vector2d(7, 8));
  EXPECT_EQ(lambda, Eigen::Vector3d(9, 10, 11));
  ASSERT_EQ(dynamics.Update(workspace, 1e-4), Status::kOk);
  ASSERT_EQ(dynamics.CalcForwardDynamics(tau, workspace, vdot, lambda), Status::kOk);
  EXPECT_TRUE(vdot.allFinite() && lambda.norm() < 1e5);
  UpdateKinematics(model, Eigen::Vector2d(0.3, 0.7), v, workspace);
  EXPECT_EQ(dynamics.Update(workspace), Status::kOk);
}

TEST(ConstrainedDynamicsTest, BaumgarteTermsCloseALoop) {
  const Model model = PlanarChain(4);
  RigidConstraint tip = TipOf(model, false);
  tip.point_A = Vector3d(1.2, 0, 0.1);
  tip.stiffness = 400;
  tip.damping = 40;
  VectorXd q = VectorXd::LinSpaced(4, -0.9, 0.9), v = VectorXd::Zero(4), vdot(4), lambda(3);
  ConstrainedDynamics dynamics(model, {.rigid = {tip}}, q);
  Workspace<double> workspace(model);
  double first = 0;
  for (int step = 0; step < 2000; ++step) {
    UpdateKinematics(model, q, v, workspace);
    ASSERT_EQ(dynamics.Update(workspace), Status::kOk);
    if (step == 0) first = dynamics.error().norm();
    ASSERT_EQ(dynamics.CalcForwardDynamics(VectorXd(-0.5 * v), workspace, vdot, lambda),
              Status::kOk);
    v += 5e-4 * vdot;
    q += 5e-4 * v;
  }
  EXPECT_GT(first, 0.1);
  EXPECT_LT(dynamics.error().norm(), 0.02 * first);  // what the steps leave
}

/// The last joint follows the first by a polynomial of fourth degree, the second is fixed.
Constraints CouplingsOf(const Model& model) {
  const int last = static_cast<int>(model.joints().size()) - 1;
  const JointConstraint follows{.name = "follows",
                                .joint = last,
                                .leader = 0,
                                .polynomial = {0.1, -0.7, 0.5, 0.4, -0.3},
                                .reference = 0.2,
                                .leader_reference = -0.3,
                                .stiffness = 9,
                                .damping = 2};
  const JointConstraint fixed{.name = "fixed", .joint = 1, .polynomial = {0.3}};
  return {{}, {follows, fixed}};
}

TEST(ConstrainedDynamicsTest, RowsOfJointsAreTheRatesOfTheirErrors) {
  constexpr double kStep = 1e-5;
  const Model model = PlanarChain(4);
  const VectorXd q = VectorXd::LinSpaced(4, 0.3, -0.9), v = VectorXd::LinSpaced(4, -1, 1.5);
  ConstrainedDynamics dynamics(model, CouplingsOf(model), q);
  ASSERT_EQ(dynamics.num_rows(), 2);
  Workspace<double> workspace(model);
  const auto at = [&](double t) {
    UpdateKinematics(model, q + t * v, v, workspace);
    EXPECT_EQ(dynamics.Update(workspace), Status::kOk);
    return std::pair(VectorXd(dynamics.error()), VectorXd(dynamics.J() * v));
  };
  const auto later = at(kStep), before = at(-kStep), now = at(0);
  EXPECT_NEAR(now.first[1], q[1] - 0.3, 1e-15);
  EXPECT_LE(RelativeError((later.first - before.first) / (2 * kStep), now.second), 1e-9);
  EXPECT_LE(RelativeError((later.second - before.second) / (2 * kStep), dynamics.J_rate_v()), 1e-9);
  const VectorXd tau = VectorXd::LinSpaced(4, 2, -3);
  const Solution x = Solve(model, dynamics, tau, workspace);
  VectorXd rate = -dynamics.J_rate_v();
  rate[0] -= 2 * now.second[0] + 9 * now.first[0];
  const VectorXd expected =
      SolveKkt(MassMatrixOf(model, workspace), dynamics.J(), tau - BiasOf(model, workspace), rate);
  EXPECT_LE(RelativeError(x.vdot, expected.head<4>()), 1e-10);
  EXPECT_LE(RelativeError(x.lambda, expected.tail<2>()), 1e-10);
}

// With directions left in which the forces act: of all that meet the rows best that which is
// nearest to the free acceleration in H, and λ the least.
TEST(ConstrainedDynamicsTest, ContradictoryRowsLeaveTheOtherDirectionsToTheForces) {
  const Model model = PlanarChain(5);
  const VectorXd q = VectorXd::LinSpaced(5, 0.2, -0.7), v = VectorXd::LinSpaced(5, 2, -1),
                 tau = VectorXd::LinSpaced(5, -4, 3);
  RigidConstraint here = TipOf(model, false), there = here;
  here.stiffness = 30;
  there.stiffness = 80;
  there.point_A = Vector3d(0.4, 0.2, 0.1);
  ConstrainedDynamics dynamics(model, {.rigid = {here, there}}, q);
  Workspace<double> workspace(model);
  UpdateKinematics(model, q, v, workspace);
  ASSERT_EQ(dynamics.Update(workspace), Status::kOk);
  ASSERT_EQ(dynamics.rank(), 2);
  const Solution x = Solve(model, dynamics, tau, workspace);
  const MatrixXd H = MassMatrixOf(model, workspace);
  const VectorXd target = dynamics.baumgarte() - dynamics.J_rate_v();
  const VectorXd free = linear::SolvePositive(H, tau - BiasOf(model, workspace));
  const MatrixXd along = linear::SolvePositive(H, dynamics.J().transpose());
  const VectorXd lambda =
      linear::LeastSquares(dynamics.J() * along, target - dynamics.J() * free, 1e-10);
  EXPECT_LE(RelativeError(x.lambda, lambda), 1e-9);
  EXPECT_LE(RelativeError(x.vdot, free + along * lambda), 1e-9);
}

TEST(ConstrainedDynamicsTest, RowsThatAgreeLeaveNoResidual) {
  const Model model = PlanarChain(5);
  const VectorXd q = VectorXd::LinSpaced(5, 0.3, -0.9), v = VectorXd::LinSpaced(5, -3, 4);
  ConstrainedDynamics dynamics(model, {.rigid = {TipOf(model, true), TipOf(model, false)}}, q);
  Workspace<double> workspace(model);
  UpdateKinematics(model, q, v, workspace);
  ASSERT_EQ(dynamics.Update(workspace), Status::kOk);
  ASSERT_LT(dynamics.rank(), dynamics.num_rows());
  VectorXd vdot(5), lambda(9);
  EXPECT_EQ(dynamics.CalcForwardDynamics(VectorXd::Ones(5), workspace, vdot, lambda).residual, 0);
  EXPECT_EQ(dynamics.CalcImpulse(v, 0.5, vdot, lambda).residual, 0);
}

TEST(ConstrainedDynamicsTest, WithoutConstraintsItIsForwardDynamics) {
  const Model model = PlanarChain(3);
  const VectorXd q = Vector3d(0.3, 0.7, -0.2), v = Vector3d(1, -1, 0.5), tau = Vector3d(1, 2, 3);
  ConstrainedDynamics dynamics(model, {}, q);
  Workspace<double> workspace(model);
  UpdateKinematics(model, q, v, workspace);
  VectorXd vdot(3), lambda(0), expected(3);
  ASSERT_EQ(dynamics.Update(workspace), Status::kOk);
  ASSERT_EQ(dynamics.CalcForwardDynamics(tau, workspace, vdot, lambda), Status::kOk);
  CalcForwardDynamics(model, tau, workspace, expected);
  EXPECT_LE((vdot - expected).norm(), 1e-12 * expected.norm());
}

TEST(ConstrainedDynamicsTest, AStateThatWasNotUpdatedIsRefused) {
  const Model model = PlanarChain(3);
  const VectorXd q = Vector3d(0.3, 0.7, -0.2), v = Vector3d(1, -1, 0.5), tau = Vector3d(1, 2, 3);
  ConstrainedDynamics dynamics(model, {.rigid = {TipOf(model, false)}}, q);
  Workspace<double> workspace(model), other(model);
  VectorXd vdot(3), lambda = Vector3d::Zero(), force(3);
  UpdateKinematics(model, q, v, workspace);
  EXPECT_THROW(dynamics.CalcInverseDynamics(v, lambda, workspace, force), ContractError);
  ASSERT_EQ(dynamics.Update(workspace), Status::kOk);
  UpdateKinematics(model, q, v, other);  // the same state serves
  EXPECT_EQ(dynamics.CalcForwardDynamics(tau, other, vdot, lambda), Status::kOk);
  for (const bool moved : {true, false}) {
    UpdateKinematics(model, moved ? VectorXd(0.5 * q) : q, moved ? v : VectorXd(0.5 * v),
                     workspace);
    EXPECT_THROW((void)dynamics.CalcForwardDynamics(tau, workspace, vdot, lambda), ContractError);
    EXPECT_THROW(dynamics.CalcInverseDynamics(vdot, lambda, workspace, force), ContractError);
  }
}

TEST(ConstrainedDynamicsTest, RefusesWhatIsNoConstraint) {
  const Model model = PlanarChain(2);
  const Eigen::Vector2d q(0.3, 0.7);
  const RigidConstraint tip = TipOf(model, false);
  const auto refusal = [&](const RigidConstraint& constraint, double max_condition = 1e6) {
    return ErrorOf([&] { ConstrainedDynamics(model, {.rigid = {constraint}}, q, max_condition); });
  };
  EXPECT_EQ(refusal(tip), "");
  for (const double condition : {1.0, 0.0, -1.0, std::nan("")}) {
    EXPECT_THAT(refusal(tip, condition), testing::StartsWith("max_condition must be a number > 1"));
  }
  EXPECT_EQ(refusal({.name = "foot", .point_B = {0.1, 0, 0}}), "constraint 'foot': B is not set");
  RigidConstraint wrong = tip;
  wrong.B.X_BF.R *= 1.5;
  EXPECT_THAT(refusal(wrong),
              testing::StartsWith("constraint 'tip': B has no rotation matrix: RᵀR differs"));
  wrong = tip;
  wrong.A.body = 5;
  EXPECT_EQ(refusal(wrong), "constraint 'tip': A, '', is on no body of the model");
  wrong = tip;
  wrong.point_A.z() = NAN;
  EXPECT_EQ(refusal(wrong), "constraint 'tip': point_A must be finite");
  ConstrainedDynamics dynamics(model, {.rigid = {tip}}, q);
  VectorXd v(2), Lambda(3);
  for (const double restitution : {std::nan(""), -0.5}) {
    EXPECT_THROW((void)dynamics.CalcImpulse(q, restitution, v, Lambda), ContractError);
  }
}

TEST(ConstrainedDynamicsTest, SaysWhatIsWrong) {
  const Model model = PlanarChain(2);
  RigidConstraint tip = TipOf(model, false);
  tip.stiffness = -1;
  try {
    ConstrainedDynamics(model, {.rigid = {tip}}, Eigen::Vector2d(0.3, 0.7));
    FAIL();
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), "constraint 'tip': stiffness must be a number ≥ 0, not -1");
  }
  ModelBuilder ball;
  const int link = ball.AddBody("link", ModelBuilder::kWorld, Pose(),
                                {1, Vector3d(0.1, 0, 0), Eigen::Matrix3d::Identity()});
  ball.AddJoint(link, JointType::kBall, {.name = "shoulder"});
  const Model turning = ball.Build();
  try {
    ConstrainedDynamics(turning, Constraints{{}, {{.name = "gear", .joint = 0}}},
                        turning.DefaultPosition());
    FAIL();
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(),
                 "constraint 'gear': joint 'shoulder' has several coordinates; a coupling is one "
                 "of joints with one");
  }
  ConstrainedDynamics dynamics(model, {.rigid = {TipOf(model, false)}}, Eigen::Vector2d(0.3, 0.7));
  Workspace<double> workspace(model);
  EXPECT_THROW((void)dynamics.Update(workspace), ContractError);
  UpdateKinematics(model, Eigen::Vector2d(0.3, 0.7), Eigen::Vector2d(0, 0), workspace);
  ASSERT_EQ(dynamics.Update(workspace), Status::kOk);
  EXPECT_THROW((void)dynamics.Update(workspace, -1), ContractError);
  VectorXd vdot(2), lambda(2);
  EXPECT_THROW((void)dynamics.CalcForwardDynamics(vdot, workspace, vdot, lambda), ContractError);
}

}  // namespace constrained_dynamics_test
}  // namespace civita
