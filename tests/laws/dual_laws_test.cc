// Derivatives by dual numbers through the core's own algorithms, against the core's formulas for
// them: as accurate as the laws themselves, where differences lose half of the digits.

#include <Eigen/Geometry>

#include "civita/centroidal.h"
#include "civita/christoffel.h"
#include "civita/factorization_text.h"
#include "civita/forward_dynamics.h"
#include "civita/frame_motion.h"
#include "civita/passivity_rnea.h"
#include "civita/regressor.h"
#include "gtest/gtest.h"
#include "tests/oracles/compare.h"
#include "tests/oracles/dual_dynamics.h"
#include "tests/oracles/linear.h"
#include "tests/oracles/random_case.h"
#include "tests/oracles/seeds.h"
#include "tests/oracles/slow_dynamics.h"

namespace civita {
namespace dual_laws_test {

const unsigned kSeeds = Seeds(20);
constexpr double kExact = 1e-13;

class DualLaws : public testing::TestWithParam<unsigned> {
 protected:
  int nv() const { return c_.model.nv(); }
  /// A workspace at q ⊕ v ε, with velocities v + v̇ ε.
  Workspace<Dual> Along(const Eigen::VectorXd& vdot) const {
    Workspace<Dual> workspace(c_.model);
    UpdateKinematics(c_.model, DualAlong(c_.model, c_.q, c_.v), MakeDual(c_.v, vdot), workspace);
    return workspace;
  }
  Workspace<double> Plain() const {
    Workspace<double> workspace(c_.model);
    UpdateKinematics(c_.model, c_.q, c_.v, workspace);
    return workspace;
  }
  Eigen::VectorXd Random(unsigned seed) const {
    std::mt19937 random(seed + 100 * GetParam());
    return RandomVector(nv(), &random);
  }

  Case c_ = MakeCase(GetParam());
  CoreDynamics core_ = CalcCoreDynamics(c_.model, c_.q, c_.v);
};

TEST_P(DualLaws, RateOfTheMassMatrix) {
  const MatrixX<Dual> H = DualMassMatrix(c_.model, c_.q, c_.v);
  EXPECT_LE(RelativeError(Values(H), core_.H), kExact);
  const Eigen::MatrixXd Hdot = Derivatives(H);
  EXPECT_LE(RelativeError(core_.Hdot, Hdot), kExact);
  for (const Factorization& factorization : AllFactorizations(c_, GetParam())) {
    SCOPED_TRACE(ToString(factorization));
    const Eigen::MatrixXd C = CalcCoreDynamics(c_.model, c_.q, c_.v, factorization).C;
    EXPECT_LE(RelativeError(C + C.transpose(), Hdot), kExact);
  }
}

TEST_P(DualLaws, KoszulsFormulaGivesTheChristoffelSymbols) {
  const size_t n = static_cast<size_t>(nv());
  std::vector<double> numbers(n * n * n, NAN);
  Workspace<double> workspace = Plain();
  CalcChristoffelSymbols(c_.model, workspace, std::span<double>(numbers));
  const std::vector<Eigen::MatrixXd> symbols = DualKoszulSymbols(c_.model, c_.spec, c_.q);
  for (int j = 0; j < nv(); ++j) {
    Eigen::MatrixXd slice(nv(), nv());
    for (int k = 0; k < nv(); ++k) {
      for (int i = 0; i < nv(); ++i) slice(i, k) = numbers[ChristoffelIndex(nv(), i, j, k)];
    }
    EXPECT_LE(RelativeError(slice, symbols[static_cast<size_t>(j)]), kExact)
        << "direction " << j << " (" << c_.model.VelocityName(j) << ")";
  }
}

/// ∂(C v)/∂v = 2C − H ad_v, (ad_v)_lk = Σ_j c^l_jk v_j, with the torsion-free C.
TEST_P(DualLaws, DerivativeOfTheBiasForcesByVelocity) {
  const std::vector<Eigen::MatrixXd> c = SlowStructureConstants(c_.spec);
  Eigen::MatrixXd ad(nv(), nv());
  for (int l = 0; l < nv(); ++l) ad.row(l) = c_.v.transpose() * c[static_cast<size_t>(l)];
  Eigen::MatrixXd derivative(nv(), nv());
  for (int k = 0; k < nv(); ++k) {
    Workspace<Dual> workspace(c_.model);
    VectorX<Dual> bias(nv());
    UpdateKinematics(c_.model, c_.q.cast<Dual>(), MakeDual(c_.v, Eigen::VectorXd::Unit(nv(), k)),
                     workspace);
    CalcBiasForces(c_.model, workspace, bias);
    derivative.col(k) = Derivatives(bias);
  }
  EXPECT_LE(RelativeError(2 * core_.C - core_.H * ad, derivative), kExact);
}

/// The power of all forces is the rate of the energy: d/dt (T + U) = vᵀτ.
TEST_P(DualLaws, RateOfTheEnergyIsThePower) {
  const Eigen::VectorXd vdot = Random(1);
  Workspace<Dual> workspace = Along(vdot);
  const Dual energy =
      CalcKineticEnergy(c_.model, workspace) + CalcPotentialEnergy(c_.model, workspace);
  const Eigen::VectorXd tau = CalcCoreInverseDynamics(c_.model, c_.q, c_.v, vdot);
  EXPECT_LE(std::abs(energy.derivative - c_.v.dot(tau)),
            kExact * (1 + c_.v.cwiseAbs().dot(tau.cwiseAbs())));
}

/// With τ held, H dv̇ + d(ID) = 0 for both routes of forward dynamics.
TEST_P(DualLaws, ForwardDynamicsChangesAgainstInverseDynamics) {
  const Eigen::VectorXd tau = 10 * Random(2);
  Workspace<Dual> workspace = Along(Random(3));
  VectorX<Dual> vdot(nv()), by_factor(nv()), back(nv());
  CalcForwardDynamics(c_.model, tau.cast<Dual>(), workspace, vdot);
  MassMatrixCholesky<Dual> factor(c_.model);
  ASSERT_TRUE(CalcForwardDynamics(c_.model, tau.cast<Dual>(), workspace, factor, by_factor));
  CalcInverseDynamics(c_.model, Values(vdot).cast<Dual>(), workspace, back);
  const Eigen::VectorXd rate = -linear::SolvePositive(core_.H, Derivatives(back));
  const double tolerance = 1e-11;  // proportional to H's condition number
  EXPECT_LE(RelativeError(Derivatives(vdot), rate), tolerance);
  EXPECT_LE(RelativeError(Derivatives(by_factor), rate), tolerance);
  EXPECT_LE(RelativeError(Values(back), tau), tolerance);
}

TEST_P(DualLaws, RatesOfJacobians) {
  Workspace<double> plain = Plain();
  Workspace<Dual> along = Along(Eigen::VectorXd::Zero(nv()));
  const Eigen::Vector3d point(0.3, -0.2, 0.5);
  Eigen::MatrixXd Jdot(6, nv()), com_rate(3, nv());
  MatrixX<Dual> J(6, nv()), com(3, nv()), A(6, nv());
  for (const Model::NamedFrame& frame : c_.model.frames()) {
    CalcFrameJacobianDerivative(c_.model, {frame, point}, plain, Jdot);
    CalcFrameJacobian(c_.model, {frame, point}, along, J);
    EXPECT_LE(RelativeError(Jdot, Derivatives(J)), kExact) << frame.name;
    const Vector6<Dual> velocity = CalcFrameVelocity(c_.model, {frame, point}, along);
    EXPECT_LE(RelativeError(CalcFrameBiasAcceleration(c_.model, {frame, point}, plain),
                            Derivatives(velocity)),
              kExact)
        << frame.name;
    const RigidTransform<Dual> pose = CalcFramePose(c_.model, frame, along);
    EXPECT_LE(RelativeError(
                  Derivatives(pose.p) + Values(velocity).head<3>().cross(Values(pose.R) * point),
                  Values(velocity).tail<3>()),
              kExact)
        << frame.name;
  }
  CalcCenterOfMassJacobianDerivative(c_.model, plain, com_rate);
  CalcCenterOfMassJacobian(c_.model, along, com);
  EXPECT_LE(RelativeError(com_rate, Derivatives(com)), kExact);
  CalcCentroidalMomentumMatrix(c_.model, along, A);
  Eigen::MatrixXd A_rate(6, c_.spec.nv);
  CalcCentroidalMomentumMatrixDerivative(c_.model, plain, A_rate);
  EXPECT_LE(RelativeError(A_rate, Derivatives(A)), kExact);
}

/// Y π + y_0 and the two-velocity inverse dynamics have equal rates, for a C with torsion, and so
/// have C itself and Cᵀ w.
TEST_P(DualLaws, TwoVelocityFunctionsChangeAlike) {
  const Factorization factorization = AllFactorizations(c_, GetParam()).back();
  Factorization family;  // the family that the regressor supports
  family.t = 0.7;
  const VectorX<Dual> v_r = Random(4).cast<Dual>(), vdot_r = Random(5).cast<Dual>();
  Workspace<Dual> workspace = Along(Random(6));
  MatrixX<Dual> C(nv(), nv()), H(nv(), nv());
  VectorX<Dual> tau(nv()), g(nv()), transposed(nv());
  CalcCoriolisMatrix(c_.model, factorization, workspace, {.C = C, .H = H});
  CalcGravityForces(c_.model, workspace, g);
  CalcPassivityInverseDynamics(c_.model, factorization, v_r, vdot_r, workspace, tau);
  const VectorX<Dual> expected = H * vdot_r + C * v_r + g;
  EXPECT_LE(RelativeError(Derivatives(tau), Derivatives(expected)), kExact);
  CalcCoriolisTransposeProduct(c_.model, factorization, v_r, workspace, transposed);
  EXPECT_LE(RelativeError(Derivatives(transposed), Derivatives(VectorX<Dual>(C.transpose() * v_r))),
            kExact);

  const Eigen::VectorXd parameters = CalcModelParameters(c_.model, c_.model.frames());
  MatrixX<Dual> Y(nv(), parameters.size());
  VectorX<Dual> y_0(nv());
  CalcRegressor(c_.model, family, c_.model.frames(), v_r, vdot_r, workspace, Y, y_0);
  CalcPassivityInverseDynamics(c_.model, family, v_r, vdot_r, workspace, tau);
  EXPECT_LE(RelativeError(Derivatives(Y) * parameters + Derivatives(y_0), Derivatives(tau)),
            kExact);
}

INSTANTIATE_TEST_SUITE_P(Seeds, DualLaws, testing::Range(0u, kSeeds));

}  // namespace dual_laws_test
}  // namespace civita
