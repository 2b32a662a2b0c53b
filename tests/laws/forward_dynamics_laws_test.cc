// Forward dynamics by articulated bodies and by H's factor: both invert the inverse dynamics and
// agree with each other, with and without external forces.

#include <Eigen/Geometry>

#include "civita/error.h"
#include "civita/forward_dynamics.h"
#include "gtest/gtest.h"
#include "tests/oracles/compare.h"
#include "tests/oracles/linear.h"
#include "tests/oracles/random_case.h"
#include "tests/oracles/seeds.h"
#include "tests/oracles/slow_dynamics.h"

namespace civita {
namespace forward_dynamics_laws_test {

constexpr double kExact = 1e-13;

/// Solutions lose as many digits as H's condition number has.
double SolutionTolerance(const TreeSpec& spec, const Eigen::VectorXd& q, double rounding = 2e-15) {
  const Eigen::VectorXd eigenvalues = linear::SymmetricEigenvalues(SlowMassMatrix(spec, q));
  return rounding * eigenvalues.maxCoeff() / eigenvalues.minCoeff();
}

Eigen::VectorXd Articulated(const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                            const Eigen::VectorXd& tau, ExternalForces<double> forces = {}) {
  Workspace<double> workspace(model);
  UpdateKinematics(model, q, v, workspace);
  Eigen::VectorXd vdot = Eigen::VectorXd::Constant(model.nv(), NAN);
  CalcForwardDynamics(model, tau, workspace, vdot, forces);
  return vdot;
}

Eigen::VectorXd Factored(const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                         const Eigen::VectorXd& tau, ExternalForces<double> forces = {}) {
  Workspace<double> workspace(model);
  UpdateKinematics(model, q, v, workspace);
  MassMatrixCholesky<double> factor(model);
  Eigen::VectorXd vdot = Eigen::VectorXd::Constant(model.nv(), NAN);
  EXPECT_TRUE(CalcForwardDynamics(model, tau, workspace, factor, vdot, forces));
  return vdot;
}

/// One force on every frame, through its centre of mass.
std::vector<ExternalForce<double>> RandomForces(const Case& c, std::mt19937* random) {
  std::vector<ExternalForce<double>> forces;
  for (size_t b = 0; b < c.spec.bodies.size(); ++b) {
    const Model::NamedFrame& frame = c.model.frames()[b];
    forces.push_back({.body = frame.body,
                      .point = frame.X_BF.R * c.spec.bodies[b].mass.com + frame.X_BF.p,
                      .moment = RandomVector(3, random),
                      .force = 5 * RandomVector(3, random)});
  }
  return forces;
}

class ForwardDynamicsLaws : public testing::TestWithParam<unsigned> {
 protected:
  ForwardDynamicsLaws() : c_(MakeCase(GetParam())), random_(GetParam()) {
    forces_ = RandomForces(c_, &random_);
    vdot_ = RandomVector(c_.spec.nv, &random_);
    tau_ = 10 * RandomVector(c_.spec.nv, &random_);
    tolerance_ = SolutionTolerance(c_.spec, c_.q);
  }
  Case c_;
  std::mt19937 random_;
  std::vector<ExternalForce<double>> forces_;
  Eigen::VectorXd vdot_, tau_;
  double tolerance_;
};

TEST_P(ForwardDynamicsLaws, UndoesInverseDynamics) {
  const Eigen::VectorXd tau = CalcCoreInverseDynamics(c_.model, c_.q, c_.v, vdot_);
  EXPECT_LE(RelativeError(Articulated(c_.model, c_.q, c_.v, tau), vdot_), tolerance_);
  EXPECT_LE(RelativeError(Factored(c_.model, c_.q, c_.v, tau), vdot_), tolerance_);
}

TEST_P(ForwardDynamicsLaws, UndoesInverseDynamicsWithExternalForces) {
  Workspace<double> workspace(c_.model);
  UpdateKinematics(c_.model, c_.q, c_.v, workspace);
  Eigen::VectorXd tau(c_.spec.nv);
  CalcInverseDynamics(c_.model, vdot_, workspace, tau, forces_);
  EXPECT_LE(RelativeError(Articulated(c_.model, c_.q, c_.v, tau, forces_), vdot_), tolerance_);
  EXPECT_LE(RelativeError(Factored(c_.model, c_.q, c_.v, tau, forces_), vdot_), tolerance_);
  // The forces have an effect.
  EXPECT_GT(RelativeError(Articulated(c_.model, c_.q, c_.v, tau), vdot_), 1e-3);
}

TEST_P(ForwardDynamicsLaws, SolvesTheDenseEquationOfMotion) {
  const CoreDynamics d = CalcCoreDynamics(c_.model, c_.q, c_.v);
  const Eigen::VectorXd expected =
      linear::SolvePositive(SlowMassMatrix(c_.spec, c_.q), tau_ - d.bias);
  EXPECT_LE(RelativeError(Articulated(c_.model, c_.q, c_.v, tau_), expected), tolerance_);
  EXPECT_LE(RelativeError(Factored(c_.model, c_.q, c_.v, tau_), expected), tolerance_);
}

TEST_P(ForwardDynamicsLaws, ForcesInPlaceOfTorques) {
  Workspace<double> workspace(c_.model);
  UpdateKinematics(c_.model, c_.q, c_.v, workspace);
  Eigen::VectorXd tau = tau_;
  CalcForwardDynamics(c_.model, tau, workspace, tau);  // vdot may be tau
  EXPECT_EQ(tau, Articulated(c_.model, c_.q, c_.v, tau_));
}

// Jᵀf with the oracle's Jacobians about the world's origin.
TEST_P(ForwardDynamicsLaws, GeneralizedForces) {
  Workspace<double> workspace(c_.model);
  UpdateKinematics(c_.model, c_.q, workspace);
  Eigen::VectorXd tau = Eigen::VectorXd::Constant(c_.spec.nv, NAN);
  CalcGeneralizedForces(c_.model, forces_, workspace, tau);
  Eigen::VectorXd expected = Eigen::VectorXd::Zero(c_.spec.nv);
  const std::vector<SlowBody> bodies = SlowBodies(c_.spec, c_.q);
  for (size_t b = 0; b < bodies.size(); ++b) {
    const Eigen::Vector3d p = bodies[b].X_WB.R * c_.spec.bodies[b].mass.com + bodies[b].X_WB.p;
    Vector6<double> wrench;
    wrench << forces_[b].moment + p.cross(forces_[b].force), forces_[b].force;
    expected += bodies[b].J.transpose() * wrench;
  }
  EXPECT_LE(RelativeError(tau, expected), kExact);
}

TEST_P(ForwardDynamicsLaws, TheFactorIsTheMassMatrixs) {
  const Eigen::MatrixXd H = SlowMassMatrix(c_.spec, c_.q);
  Workspace<double> workspace(c_.model);
  UpdateKinematics(c_.model, c_.q, workspace);
  MassMatrixCholesky<double> factor(c_.model);
  ASSERT_TRUE(factor.Compute(workspace));
  Eigen::MatrixXd X = H;
  factor.SolveInPlace(X);
  EXPECT_LE(RelativeError(X, Eigen::MatrixXd::Identity(c_.spec.nv, c_.spec.nv)), tolerance_);
  factor.CalcInverse(X);
  EXPECT_LE(RelativeError(X, Eigen::MatrixXd(X.transpose())), tolerance_);
  EXPECT_LE(RelativeError(X * H, Eigen::MatrixXd::Identity(c_.spec.nv, c_.spec.nv)), tolerance_);
  X = H.topRows(1);
  factor.SolveRowsInPlace(X);
  EXPECT_LE(RelativeError(X, Eigen::MatrixXd::Identity(1, c_.spec.nv)), tolerance_);

  Eigen::VectorXd half = tau_;
  factor.SolveTransposedFactorInPlace(half);
  double energy = 0;
  for (int k = 0; k < c_.spec.nv; ++k) energy += half[k] * half[k] / factor.pivot(k);
  const Eigen::VectorXd solved = linear::SolvePositive(H, tau_);
  EXPECT_LE(RelativeError(energy, tau_.dot(solved)), tolerance_);
}

TEST_P(ForwardDynamicsLaws, TheFactorOfAnotherMatrixOfThatPattern) {
  Eigen::MatrixXd H = SlowMassMatrix(c_.spec, c_.q);
  H.diagonal() += RandomVector(c_.spec.nv, &random_).cwiseAbs();
  MassMatrixCholesky<double> factor(c_.model);
  ASSERT_TRUE(factor.Compute(H));
  Eigen::VectorXd x = tau_;
  factor.SolveInPlace(x);
  EXPECT_LE(RelativeError(x, linear::SolvePositive(H, tau_)), tolerance_);
}

TEST_P(ForwardDynamicsLaws, FloatKeepsItsDigits) {
  const Eigen::VectorXd expected = Articulated(c_.model, c_.q, c_.v, tau_, forces_);
  const double tolerance = SolutionTolerance(c_.spec, c_.q, 1e-6);
  std::vector<ExternalForce<float>> forces;
  for (const ExternalForce<double>& force : forces_) {
    forces.push_back({force.body, force.point.cast<float>(), force.moment.cast<float>(),
                      force.force.cast<float>()});
  }
  Workspace<float> workspace(c_.model);
  UpdateKinematics(c_.model, c_.q.cast<float>(), c_.v.cast<float>(), workspace);
  Eigen::VectorXf vdot(c_.spec.nv);
  CalcForwardDynamics(c_.model, tau_.cast<float>(), workspace, vdot, forces);
  EXPECT_LE(RelativeError(vdot.cast<double>(), expected), tolerance);
  MassMatrixCholesky<float> factor(c_.model);
  ASSERT_TRUE(CalcForwardDynamics(c_.model, tau_.cast<float>(), workspace, factor, vdot, forces));
  EXPECT_LE(RelativeError(vdot.cast<double>(), expected), tolerance);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ForwardDynamicsLaws, testing::Range(0u, Seeds(40)));

// Without armature, which is on the diagonal of H alone, the result differs.
TEST(ForwardDynamics, ArmatureCounts) {
  int seen = 0;
  for (unsigned seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case c = MakeCase(seed);
    TreeSpec bare = c.spec;
    for (TreeSpec::Body& body : bare.bodies) {
      for (TreeSpec::Joint& joint : body.joints) joint.properties.armature = 0;
    }
    const Eigen::VectorXd tau = Eigen::VectorXd::Ones(c.spec.nv);
    seen += RelativeError(Articulated(BuildTree(bare), c.q, c.v, tau),
                          Articulated(c.model, c.q, c.v, tau)) > 1e-2
                ? 1
                : 0;
  }
  EXPECT_GE(seen, 8);
}

/// Joints that are added from the tips inwards number their coordinates against the tree.
TEST(ForwardDynamics, CoordinatesInAnyOrder) {
  const TreeSpec forward = RandomTree(3);
  TreeSpec spec = forward;
  spec.nq = spec.nv = 0;
  for (TreeSpec::Body& body : spec.bodies) body.joints.clear();
  ModelBuilder builder;
  for (const TreeSpec::Body& body : forward.bodies) {
    builder.AddBody(body.name, body.parent, body.X_PB, body.mass);
  }
  builder.set_gravity(forward.gravity);
  for (size_t b = forward.bodies.size(); b-- > 0;) {
    for (const TreeSpec::Joint& joint : forward.bodies[b].joints) {
      spec.AddJoint(static_cast<int>(b), joint.type, joint.properties);
      builder.AddJoint(static_cast<int>(b), joint.type, joint.properties);
    }
  }
  const Model model = builder.Build();
  std::mt19937 random(3);
  const Eigen::VectorXd q = RandomPosition(spec, &random);
  const Eigen::VectorXd v = RandomVector(spec.nv, &random);
  const Eigen::VectorXd tau = RandomVector(spec.nv, &random);
  const Eigen::VectorXd bias = CalcCoreDynamics(model, q, v).bias;
  const Eigen::VectorXd expected = linear::SolvePositive(SlowMassMatrix(spec, q), tau - bias);
  EXPECT_LE(RelativeError(Articulated(model, q, v, tau), expected), SolutionTolerance(spec, q));
  EXPECT_LE(RelativeError(Factored(model, q, v, tau), expected), SolutionTolerance(spec, q));
}

/// Two hinges about one axis with no mass between them.
Model TwoHingesAboutOneAxis(double armature) {
  ModelBuilder builder;
  const MassProperties mass{1, {0.1, 0.3, 0}, 0.01 * Eigen::Matrix3d::Identity()};
  const int body = builder.AddBody("body", ModelBuilder::kWorld, {}, mass);
  builder.AddJoint(body, JointType::kHinge, {.name = "a", .axis = {1, 2, 3}});
  builder.AddJoint(body, JointType::kHinge, {.name = "b", .axis = {1, 2, 3}, .armature = armature});
  return builder.Build();
}

// Also where rounding leaves a small pivot instead of zero.
TEST(ForwardDynamics, SingularMassMatrixIsSaid) {
  for (const double armature : {0.0, 1e-6}) {
    const Model model = TwoHingesAboutOneAxis(armature);
    Workspace<double> workspace(model);
    MassMatrixCholesky<double> factor(model);
    for (int i = 0; i < 20; ++i) {
      UpdateKinematics(model, Eigen::Vector2d(0.3 * i, 0.4 * i), Eigen::Vector2d(1, 2), workspace);
      EXPECT_EQ(factor.Compute(workspace).ok(), armature > 0);
      Eigen::Vector2d vdot;
      EXPECT_EQ(CalcForwardDynamics(model, Eigen::Vector2d(1, 0), workspace, factor, vdot).ok(),
                armature > 0);
    }
  }
}

TEST(ForwardDynamics, Contracts) {
  const Case c = MakeCase(1);
  Workspace<double> workspace(c.model);
  MassMatrixCholesky<double> factor(c.model);
  Eigen::VectorXd tau = Eigen::VectorXd::Zero(c.spec.nv), vdot(c.spec.nv), short_one(1);
  EXPECT_THROW((void)factor.Compute(workspace), ContractError);
  UpdateKinematics(c.model, c.q, workspace);
  EXPECT_THROW(CalcForwardDynamics(c.model, tau, workspace, vdot), ContractError);
  UpdateKinematics(c.model, c.q, c.v, workspace);
  EXPECT_THROW(CalcForwardDynamics(c.model, short_one, workspace, vdot), ContractError);
  EXPECT_THROW(factor.SolveInPlace(short_one), ContractError);
  EXPECT_THROW(factor.SolveRowsInPlace(short_one), ContractError);
  EXPECT_THROW(factor.CalcInverse(short_one), ContractError);
  const std::vector<ExternalForce<double>> nowhere{{.body = c.model.num_bodies()}};
  EXPECT_THROW(CalcGeneralizedForces(c.model, nowhere, workspace, tau), ContractError);
}

}  // namespace forward_dynamics_laws_test
}  // namespace civita
