// Derivatives of inverse and forward dynamics on random mechanisms with all joint types: by dual
// numbers, by differences on the manifold, and by the laws that relate them to C and g.

#include "civita/dual.h"
#include "civita/dynamics_derivatives.h"
#include "civita/error.h"
#include "civita/external_forces.h"
#include "civita/forward_dynamics.h"
#include "gtest/gtest.h"
#include "tests/oracles/compare.h"
#include "tests/oracles/dual_dynamics.h"
#include "tests/oracles/random_case.h"
#include "tests/oracles/seeds.h"
#include "tests/oracles/slow_dynamics.h"

namespace civita {
namespace dynamics_derivatives_laws_test {

const unsigned kSeeds = Seeds(40);
constexpr double kExact = 1e-13;
constexpr double kDifferences = 1e-9;

/// ∂τ/∂q, ∂τ/∂v, H of inverse dynamics, or those of forward dynamics.
struct Derivatives3 {
  explicit Derivatives3(int nv)
      : by_q(Eigen::MatrixXd::Constant(nv, nv, NAN)), by_v(by_q), by_last(by_q) {}
  Eigen::MatrixXd by_q, by_v, by_last;
};

class DynamicsDerivativesLaws : public testing::TestWithParam<unsigned> {
 protected:
  DynamicsDerivativesLaws() {
    std::mt19937 random(GetParam() + 70);
    vdot_ = RandomVector(nv(), &random);
  }
  int nv() const { return c_.model.nv(); }
  Eigen::VectorXd Unit(int k) const { return Eigen::VectorXd::Unit(nv(), k); }

  Derivatives3 Inverse(const Eigen::VectorXd& v, const Eigen::VectorXd& vdot) const {
    Derivatives3 d(nv());
    Workspace<double> workspace(c_.model);
    UpdateKinematics(c_.model, c_.q, v, workspace);
    CalcInverseDynamicsDerivatives(c_.model, vdot, workspace, d.by_q, d.by_v, d.by_last);
    return d;
  }

  /// The structure constants contracted: (ad_v)_lk = Σ_j c^l_jk v_j.
  Eigen::MatrixXd Ad(const Eigen::VectorXd& v) const {
    const std::vector<Eigen::MatrixXd> c = SlowStructureConstants(c_.spec);
    Eigen::MatrixXd ad(nv(), nv());
    for (int l = 0; l < nv(); ++l) ad.row(l) = v.transpose() * c[static_cast<size_t>(l)];
    return ad;
  }

  Case c_ = MakeCase(GetParam());
  Eigen::VectorXd vdot_;
};

TEST_P(DynamicsDerivativesLaws, InverseDynamicsByDualNumbers) {
  const Derivatives3 d = Inverse(c_.v, vdot_);
  Eigen::MatrixXd by_q(nv(), nv()), by_v(nv(), nv());
  Workspace<Dual> workspace(c_.model);
  VectorX<Dual> tau(nv());
  for (int k = 0; k < nv(); ++k) {
    UpdateKinematics(c_.model, DualAlong(c_.model, c_.q, Unit(k)), c_.v.cast<Dual>(), workspace);
    CalcInverseDynamics(c_.model, vdot_.cast<Dual>(), workspace, tau);
    by_q.col(k) = Derivatives(tau);
    UpdateKinematics(c_.model, c_.q.cast<Dual>(), MakeDual(c_.v, Unit(k)), workspace);
    CalcInverseDynamics(c_.model, vdot_.cast<Dual>(), workspace, tau);
    by_v.col(k) = Derivatives(tau);
  }
  EXPECT_LE(RelativeError(d.by_q, by_q), kExact);
  EXPECT_LE(RelativeError(d.by_v, by_v), kExact);
  EXPECT_LE(RelativeError(d.by_last, CalcCoreDynamics(c_.model, c_.q, c_.v).H), kExact);
}

TEST_P(DynamicsDerivativesLaws, InverseDynamicsByDifferencesOnTheManifold) {
  const Derivatives3 d = Inverse(c_.v, vdot_);
  for (int j = 0; j < nv(); ++j) {
    const Eigen::VectorXd rate = SlowRate(c_.spec, c_.q, Unit(j), [&](const Eigen::VectorXd& at) {
      return CalcCoreInverseDynamics(c_.model, at, c_.v, vdot_);
    });
    EXPECT_LE(RelativeError(d.by_q.col(j), rate), kDifferences) << c_.model.VelocityName(j);
  }
}

/// ∂(C v)/∂v = 2C − H ad_v with the torsion-free C.
TEST_P(DynamicsDerivativesLaws, VelocityDerivativeIsTwiceTheCoriolisMatrixLessTheBrackets) {
  const CoreDynamics core = CalcCoreDynamics(c_.model, c_.q, c_.v);
  EXPECT_LE(RelativeError(Inverse(c_.v, vdot_).by_v, 2 * core.C - core.H * Ad(c_.v)), kExact);
}

/// ∂_j g_i − ∂_i g_j = Σ_l c^l_ji g_l: g is a gradient.
TEST_P(DynamicsDerivativesLaws, GravityIsAGradient) {
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(nv());
  const Eigen::MatrixXd by_q = Inverse(zero, zero).by_q;
  const Eigen::VectorXd g = CalcCoreDynamics(c_.model, c_.q, zero).g;
  const std::vector<Eigen::MatrixXd> c = SlowStructureConstants(c_.spec);
  Eigen::MatrixXd brackets = Eigen::MatrixXd::Zero(nv(), nv());
  for (int l = 0; l < nv(); ++l) brackets += c[static_cast<size_t>(l)].transpose() * g[l];
  EXPECT_LE(RelativeError(by_q - by_q.transpose(), brackets), kExact * (1 + by_q.norm()));
}

TEST_P(DynamicsDerivativesLaws, ForwardDynamicsByDualNumbers) {
  std::mt19937 random(GetParam());
  const Eigen::VectorXd tau = 10 * RandomVector(nv(), &random);
  Workspace<double> plain(c_.model);
  MassMatrixCholesky<double> factor(c_.model);
  Eigen::VectorXd vdot(nv());
  UpdateKinematics(c_.model, c_.q, c_.v, plain);
  CalcForwardDynamics(c_.model, tau, plain, vdot);
  Derivatives3 d(nv());
  ASSERT_TRUE(
      CalcForwardDynamicsDerivatives(c_.model, vdot, plain, factor, d.by_q, d.by_v, d.by_last));
  Derivatives3 expected(nv());
  Workspace<Dual> workspace(c_.model);
  VectorX<Dual> out(nv());
  for (int k = 0; k < nv(); ++k) {
    UpdateKinematics(c_.model, DualAlong(c_.model, c_.q, Unit(k)), c_.v.cast<Dual>(), workspace);
    CalcForwardDynamics(c_.model, tau.cast<Dual>(), workspace, out);
    expected.by_q.col(k) = Derivatives(out);
    UpdateKinematics(c_.model, c_.q.cast<Dual>(), MakeDual(c_.v, Unit(k)), workspace);
    CalcForwardDynamics(c_.model, tau.cast<Dual>(), workspace, out);
    expected.by_v.col(k) = Derivatives(out);
    UpdateKinematics(c_.model, c_.q.cast<Dual>(), c_.v.cast<Dual>(), workspace);
    CalcForwardDynamics(c_.model, MakeDual(tau, Unit(k)), workspace, out);
    expected.by_last.col(k) = Derivatives(out);
  }
  const double tolerance = 1e-10;  // proportional to H's condition number
  EXPECT_LE(RelativeError(d.by_q, expected.by_q), tolerance);
  EXPECT_LE(RelativeError(d.by_v, expected.by_v), tolerance);
  EXPECT_LE(RelativeError(d.by_last, expected.by_last), tolerance);
}

/// Forces at points of all frames, two at one of them.
template <typename T>
std::vector<ExternalForce<T>> RandomForces(const Model& model, unsigned seed) {
  std::mt19937 random(seed + 900);
  std::vector<ExternalForce<T>> forces;
  const auto add = [&](const Model::NamedFrame& frame) {
    const Eigen::Vector3d point = RandomVector(3, &random), moment = 5 * RandomVector(3, &random),
                          force = 5 * RandomVector(3, &random);
    forces.push_back(
        ForceOnFrame<T>(frame, point, moment.template cast<T>(), force.template cast<T>()));
  };
  for (const Model::NamedFrame& frame : model.frames()) add(frame);
  add(model.frames().back());
  return forces;
}

TEST_P(DynamicsDerivativesLaws, UnderExternalForcesByDualNumbers) {
  const auto forces = RandomForces<double>(c_.model, GetParam());
  const auto dual_forces = RandomForces<Dual>(c_.model, GetParam());
  Derivatives3 inverse(nv()), forward(nv());
  Eigen::MatrixXd inverse_by_q(nv(), nv()), forward_by_q(nv(), nv());
  Workspace<double> plain(c_.model);
  MassMatrixCholesky<double> factor(c_.model);
  UpdateKinematics(c_.model, c_.q, c_.v, plain);
  CalcInverseDynamicsDerivatives<double>(c_.model, vdot_, plain, inverse.by_q, inverse.by_v,
                                         inverse.by_last, forces);
  Eigen::VectorXd tau(nv());
  CalcInverseDynamics<double>(c_.model, vdot_, plain, tau, forces);
  ASSERT_TRUE(CalcForwardDynamicsDerivatives<double>(c_.model, vdot_, plain, factor, forward.by_q,
                                                     forward.by_v, forward.by_last, forces));
  Workspace<Dual> workspace(c_.model);
  VectorX<Dual> out(nv());
  for (int k = 0; k < nv(); ++k) {
    UpdateKinematics(c_.model, DualAlong(c_.model, c_.q, Unit(k)), c_.v.cast<Dual>(), workspace);
    CalcInverseDynamics<Dual>(c_.model, vdot_.cast<Dual>(), workspace, out, dual_forces);
    inverse_by_q.col(k) = Derivatives(out);
    CalcForwardDynamics<Dual>(c_.model, tau.cast<Dual>(), workspace, out, dual_forces);
    forward_by_q.col(k) = Derivatives(out);
  }
  EXPECT_LE(RelativeError(inverse.by_q, inverse_by_q), kExact);
  EXPECT_LE(RelativeError(inverse.by_v, Inverse(c_.v, vdot_).by_v), kExact);
  EXPECT_LE(RelativeError(forward.by_q, forward_by_q), 1e-10);
}

INSTANTIATE_TEST_SUITE_P(Seeds, DynamicsDerivativesLaws, testing::Range(0u, kSeeds));

TEST(DynamicsDerivatives, CheckTheirArguments) {
  const Case c = MakeCase(1);
  const int nv = c.model.nv();
  Workspace<double> workspace(c.model);
  Eigen::MatrixXd A(nv, nv), B(nv, nv), H(nv, nv), small(1, 1);
  UpdateKinematics(c.model, c.q, workspace);
  EXPECT_THROW(CalcInverseDynamicsDerivatives(c.model, c.v, workspace, A, B, H), ContractError);
  UpdateKinematics(c.model, c.q, c.v, workspace);
  EXPECT_THROW(CalcInverseDynamicsDerivatives(c.model, c.v, workspace, small, B, H), ContractError);
  EXPECT_THROW(CalcInverseDynamicsDerivatives(c.model, c.v, workspace, A, small, H), ContractError);
  EXPECT_THROW(CalcInverseDynamicsDerivatives(c.model, c.v, workspace, A, B, small), ContractError);
  EXPECT_THROW(CalcInverseDynamicsDerivatives(c.model, Eigen::VectorXd(1), workspace, A, B, H),
               ContractError);
}

TEST(DynamicsDerivatives, SayWhenTheMassMatrixIsSingular) {
  ModelBuilder builder;
  const int link = builder.AddBody("link", ModelBuilder::kWorld, {}, {});
  builder.AddJoint(link, JointType::kHinge, {.name = "q"});
  const Model model = builder.Build();
  Workspace<double> workspace(model);
  MassMatrixCholesky<double> factor(model);
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(1);
  UpdateKinematics(model, zero, zero, workspace);
  Eigen::MatrixXd A(1, 1), B(1, 1), inverse(1, 1);
  EXPECT_FALSE(CalcForwardDynamicsDerivatives(model, zero, workspace, factor, A, B, inverse));
}

}  // namespace dynamics_derivatives_laws_test
}  // namespace civita
