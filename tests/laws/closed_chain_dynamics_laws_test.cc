// Forward dynamics, products, Jacobians, momenta and the regressor of random closed chains in their
// independent velocities: against the tree under constraint forces (a dense KKT system), by dual
// numbers along the motion, and by the laws that relate them.

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "civita/centroidal.h"
#include "civita/constrained_dynamics.h"
#include "civita/dual.h"
#include "civita/error.h"
#include "civita/factorization_text.h"
#include "civita/kinematics.h"
#include "civita/regressor.h"
#include "civita/rnea.h"
#include "civita/space_dynamics.h"
#include "civita/space_motion.h"
#include "tests/oracles/compare.h"
#include "tests/oracles/dense_chain.h"
#include "tests/oracles/dual_dynamics.h"
#include "tests/oracles/linear.h"
#include "tests/oracles/random_chain_laws.h"
#include "tests/oracles/seeds.h"

namespace civita {
namespace closed_chain_dynamics_laws_test {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kExact = 1e-10;
constexpr double kDifferences = 1e-8;  // of fourth order

class ClosedChainDynamicsLaws : public RandomChainLaws {
 protected:
  ClosedChainDynamicsLaws() { EXPECT_TRUE(UpdateKinematics(model(), q(), w_, workspace_).ok()); }
  const VectorXd& q() const { return model().closed_start(); }

  MatrixXd H() {
    MatrixXd H(nw(), nw());
    CalcMassMatrix(model(), workspace_, H);
    return H;
  }
  VectorXd ForwardDynamics(const VectorXd& tau, ExternalForces<double> forces = {}) {
    VectorXd wdot = VectorXd::Constant(nw(), NAN);
    EXPECT_TRUE(CalcForwardDynamics(model(), tau, workspace_, wdot, forces));
    return wdot;
  }
  VectorXd Reduced(const VectorXd& tau) {
    VectorXd reduced(nw());
    CalcReducedForces(model(), tau, workspace_, reduced);
    return reduced;
  }

  /// The rate of what calc(workspace, out) computes at `rows` × nw numbers, where the chain moves
  /// with w.
  MatrixXd RateOf(int rows,
                  const std::function<void(SpaceWorkspace<Dual>&, MatrixX<Dual>&)>& calc) const {
    SpaceWorkspace<Dual> moving(model());
    const VectorX<Dual> along = DualAlong(tree(), q(), A() * w_);
    EXPECT_TRUE(UpdateKinematics(model(), along, w_.cast<Dual>(), moving).ok());
    MatrixX<Dual> out = MatrixX<Dual>::Constant(rows, nw(), Dual(0));
    calc(moving, out);
    return Derivatives(out);
  }

  VectorXd x_ = RandomVector(nw(), &random_), tau_ = RandomVector(nv(), &random_);
};

TEST_P(ClosedChainDynamicsLaws, ForwardDynamicsIsThatOfTheTreeUnderConstraintForces) {
  const DenseChain dense(model(), chain_.loops);
  const VectorXd v = A() * w_;
  const MatrixXd K = dense.K(q());
  const Eigen::Index m = K.rows();
  Workspace<double> at(tree());
  UpdateKinematics(tree(), q(), v, at);
  VectorXd bias(nv()), force(nv());
  CalcBiasForces(tree(), at, bias);
  CalcGeneralizedForces(tree(), forces_, at, force);
  MatrixXd kkt = MatrixXd::Zero(nv() + m, nv() + m);
  kkt.topLeftCorner(nv(), nv()) = CalcCoreDynamics(tree(), q(), v).H;
  kkt.topRightCorner(nv(), m) = K.transpose();
  kkt.bottomLeftCorner(m, nv()) = K;
  VectorXd right(nv() + m);
  right << tau_ + force - bias, -dense.RateOfK(q(), v) * v;
  const VectorXd vdot = linear::LeastSquares(kkt, right, 1e-9).topRows(nv());
  const VectorXd wdot = ForwardDynamics(Reduced(tau_), forces_);
  VectorXd of_tree(nv());
  CalcTreeAcceleration(model(), w_, wdot, workspace_, of_tree);
  EXPECT_LE(RelativeError(of_tree, vdot), 1e-7);
}

TEST_P(ClosedChainDynamicsLaws, ConstrainedDynamicsOfTheTreeMovesAlike) {
  const VectorXd v = A() * w_;
  ConstrainedDynamics constrained(tree(), chain_.loops, q(), 1e8);
  Workspace<double> at(tree());
  UpdateKinematics(tree(), q(), v, at);
  ASSERT_EQ(constrained.Update(at), Status::kOk);
  EXPECT_EQ(constrained.rank(), nv() - nw());
  EXPECT_LE(constrained.error().norm(), 1e-8);
  EXPECT_LE((constrained.J() * A()).norm(), 1e-8);
  VectorXd vdot(nv()), lambda(constrained.num_rows()), of_tree(nv()), tau(nv());
  ASSERT_EQ(constrained.CalcForwardDynamics(tau_, at, vdot, lambda, forces_), Status::kOk);
  CalcTreeAcceleration(model(), w_, ForwardDynamics(Reduced(tau_), forces_), workspace_, of_tree);
  EXPECT_LE(RelativeError(vdot, of_tree), 1e-7);
  // v⁺ is the projection A H̄⁻¹AᵀH v⁻.
  std::mt19937 random(GetParam());
  const VectorXd before = RandomVector(nv(), &random);
  VectorXd after(nv());
  ASSERT_EQ(constrained.CalcImpulse(before, 0, after, lambda), Status::kOk);
  const VectorXd momentum = CalcCoreDynamics(tree(), q(), v).H * before;
  EXPECT_LE(RelativeError(after, A() * linear::SolvePositive(H(), Reduced(momentum))), 1e-7);
}

TEST_P(ClosedChainDynamicsLaws, ForwardDynamicsInvertsInverseDynamicsUnderForces) {
  VectorXd tau(nw()), of_forces(nw()), without(nw());
  CalcInverseDynamics(model(), wdot_, workspace_, tau, forces_);
  EXPECT_LE(RelativeError(ForwardDynamics(tau, forces_), wdot_), 1e-7);
  CalcGeneralizedForces(model(), forces_, workspace_, of_forces);
  CalcInverseDynamics(model(), wdot_, workspace_, without);
  EXPECT_LE(RelativeError(tau, VectorXd(without - of_forces)), kExact);
  EXPECT_TRUE(CalcForwardDynamics(model(), tau, workspace_, tau, forces_));  // on its argument
  EXPECT_LE(RelativeError(tau, wdot_), 1e-7);
}

TEST_P(ClosedChainDynamicsLaws, ProductsAreThoseOfTheCoriolisMatrix) {
  MatrixXd C(nw(), nw()), H(nw(), nw()), Hdot(nw(), nw());
  VectorXd product(nw());
  CalcMassMatrixDerivative(model(), workspace_, Hdot);
  EXPECT_LE(RelativeError(
                Hdot, RateOf(nw(), [&](SpaceWorkspace<Dual>& at,
                                       MatrixX<Dual>& out) { CalcMassMatrix(model(), at, out); })),
            kExact);
  for (const Factorization& factorization : AllFactorizations(chain_.tree, GetParam())) {
    SCOPED_TRACE(ToString(factorization));
    CalcCoriolisMatrix(model(), factorization, workspace_, {.C = C, .H = H});
    EXPECT_LE(RelativeError(Hdot, C + C.transpose()), kExact);
    CalcCoriolisProduct(model(), factorization, x_, workspace_, product);
    EXPECT_LE(RelativeError(product, C * x_), kExact);
    CalcCoriolisTransposeProduct(model(), factorization, x_, workspace_, product);
    EXPECT_LE(RelativeError(product, C.transpose() * x_), kExact);
  }
}

TEST_P(ClosedChainDynamicsLaws, TheConnectionHasTheCoriolisMatrices) {
  MatrixXd C(nw(), nw()), H(nw(), nw());
  std::vector<Factorization> all = AllFactorizations(chain_.tree, GetParam());
  all.emplace_back();
  for (const Factorization& factorization : all) {
    SCOPED_TRACE(ToString(factorization));
    Tensor3 Gamma(nw());
    SpaceWorkspace<double> at(model());
    ASSERT_TRUE(CalcConnection(model(), factorization, q(), at, Gamma).ok());
    CalcCoriolisMatrix(model(), factorization, workspace_, {.C = C, .H = H});
    MatrixXd sum = MatrixXd::Zero(nw(), nw());
    for (int b = 0; b < nw(); ++b) sum += Gamma.Direction(b) * w_[b];
    EXPECT_LE(RelativeError(sum, C), kExact);
    if (!factorization.torsion_free()) continue;
    Tensor3 symbols(nw()), of_tree(nv());
    CalcChristoffelSymbols(model(), at, of_tree.numbers(), symbols.numbers());
    EXPECT_LE((symbols - Gamma).MaxAbs(), kExact * (1 + symbols.MaxAbs()));
  }
}

/// d/dt (T + U) = τ̄ᵀw.
TEST_P(ClosedChainDynamicsLaws, TheTorquesDoTheWorkThatTheEnergyGains) {
  SpaceWorkspace<Dual> moving(model());
  const VectorX<Dual> along = DualAlong(tree(), q(), A() * w_);
  VectorX<Dual> faster = w_.cast<Dual>();
  for (int a = 0; a < nw(); ++a) faster[a].derivative = wdot_[a];
  ASSERT_TRUE(UpdateKinematics(model(), along, faster, moving).ok());
  const Dual energy =
      CalcKineticEnergy(tree(), moving.tree()) + CalcPotentialEnergy(tree(), moving.tree());
  VectorXd tau(nw());
  CalcInverseDynamics(model(), wdot_, workspace_, tau);
  EXPECT_LE(RelativeError(tau.dot(w_), energy.derivative), kExact);
}

TEST_P(ClosedChainDynamicsLaws, JacobiansAreThoseOfTheTreeAlongTheLoops) {
  const Model::NamedFrame &frame = tree().frames().back(), &base = tree().frames()[1];
  const Eigen::Vector3d point(0.1, 0.2, -0.3);
  for (const ReferenceFrame reference :
       {ReferenceFrame::kWorld, ReferenceFrame::kLocal, ReferenceFrame::kLocalWorldAligned}) {
    MatrixXd J(6, nw()), Jdot(6, nw());
    CalcFrameJacobian(model(), {frame, point}, reference, workspace_, J);
    CalcFrameJacobianDerivative(model(), {frame, point}, reference, workspace_, Jdot);
    EXPECT_LE(RelativeError(
                  J * w_, CalcFrameVelocity(tree(), {frame, point}, reference, workspace_.tree())),
              kExact);
    EXPECT_LE(
        RelativeError(Jdot, RateOf(6,
                                   [&](SpaceWorkspace<Dual>& at, MatrixX<Dual>& out) {
                                     CalcFrameJacobian(model(), {frame, point}, reference, at, out);
                                   })),
        kExact);
    const Vector6<double> acceleration =
        reference == ReferenceFrame::kLocalWorldAligned
            ? CalcFrameClassicalAcceleration(model(), {frame, point}, reference, wdot_, workspace_)
            : CalcFrameAcceleration(model(), {frame, point}, reference, wdot_, workspace_);
    EXPECT_LE(RelativeError(J * wdot_ + Jdot * w_, acceleration), kExact);
    MatrixXd of_tree(6, nv());
    CalcRelativeJacobian(tree(), base, {frame, point}, reference, workspace_.tree(), of_tree);
    CalcRelativeJacobian(model(), base, {frame, point}, reference, workspace_, J);
    EXPECT_LE(RelativeError(J, of_tree * A()), kExact);
    CalcRelativeJacobianDerivative(model(), base, {frame, point}, reference, workspace_, Jdot);
    EXPECT_LE(
        RelativeError(
            Jdot, RateOf(6,
                         [&](SpaceWorkspace<Dual>& at, MatrixX<Dual>& out) {
                           CalcRelativeJacobian(model(), base, {frame, point}, reference, at, out);
                         })),
        kExact);
  }
}

TEST_P(ClosedChainDynamicsLaws, CentroidalQuantitiesAreThoseOfTheMotion) {
  MatrixXd J(3, nw()), Jdot(3, nw()), A_G(6, nw()), Adot(6, nw());
  CalcCenterOfMassJacobian(model(), workspace_, J);
  CalcCenterOfMassJacobianDerivative(model(), workspace_, Jdot);
  CalcCentroidalMomentumMatrix(model(), workspace_, A_G);
  CalcCentroidalMomentumMatrixDerivative(model(), workspace_, Adot);
  const Vector6<double> h = CalcCentroidalMomentum(tree(), workspace_.tree());
  EXPECT_LE(RelativeError(A_G * w_, h), kExact);
  EXPECT_LE(RelativeError(CalcTotalMass(tree()) * (J * w_), h.tail<3>()), kExact);
  EXPECT_LE(RelativeError(Jdot, RateOf(3,
                                       [&](SpaceWorkspace<Dual>& at, MatrixX<Dual>& out) {
                                         CalcCenterOfMassJacobian(model(), at, out);
                                       })),
            kExact);
  EXPECT_LE(RelativeError(Adot, RateOf(6,
                                       [&](SpaceWorkspace<Dual>& at, MatrixX<Dual>& out) {
                                         CalcCentroidalMomentumMatrix(model(), at, out);
                                       })),
            kExact);
}

TEST_P(ClosedChainDynamicsLaws, TheRegressorGivesTheTorquesOfTheParameters) {
  const std::vector<Model::NamedFrame> frames = BodyFrames(tree());
  const VectorXd pi = CalcModelParameters(tree(), frames);
  MatrixXd tree_Y(nv(), pi.size()), Y(nw(), pi.size());
  VectorXd y_0(nw()), tau(nw());
  for (const Factorization& factorization : AllFactorizations(chain_.tree, GetParam())) {
    SCOPED_TRACE(ToString(factorization));
    CalcRegressor(model(), factorization, frames, x_, wdot_, workspace_, tree_Y, Y, y_0);
    CalcPassivityInverseDynamics(model(), factorization, x_, wdot_, workspace_, tau);
    EXPECT_LE(RelativeError(Y * pi + y_0, tau), kExact);
    VectorXd Yx(nw()), YTs(pi.size()), none;
    CalcRegressorProducts(model(), factorization, frames, x_, wdot_, pi, w_, workspace_, Yx, YTs);
    EXPECT_LE(RelativeError(Yx, Y * pi), kExact);
    EXPECT_LE(RelativeError(YTs, Y.transpose() * w_), kExact);
    CalcRegressorProducts(model(), factorization, frames, x_, wdot_, pi, none, workspace_, Yx,
                          none);
    EXPECT_LE(RelativeError(Yx, Y * pi), kExact);
  }
  // All masses times 1 + ε: H̄ = H̄_π (1 + ε) + H̄_armature.
  MatrixXd dwdot_dpi(nw(), pi.size());
  const VectorXd wdot = ForwardDynamics(x_);
  ASSERT_TRUE(CalcForwardDynamicsParameterDerivatives(model(), frames, wdot, workspace_, tree_Y,
                                                      dwdot_dpi));
  CalcRegressor(model(), {}, frames, w_, wdot, workspace_, tree_Y, Y, y_0);
  EXPECT_LE(RelativeError(H() * (dwdot_dpi * pi), y_0 - x_), kExact);
  EXPECT_LE(RelativeError(H() * dwdot_dpi, -Y), kExact);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ClosedChainDynamicsLaws, testing::Range(0u, Seeds(40)));

std::string ErrorOf(const std::function<void()>& call) {
  try {
    call();
  } catch (const ContractError& error) {
    return error.what();
  }
  return "no error";
}

TEST(ClosedChainDynamics, ChecksSizesAndLeavesResultsAsTheyWere) {
  const RandomChain chain = MakeRandomChain(0);
  const int nw = chain.model.nw();
  SpaceWorkspace<double> workspace(chain.model);
  VectorXd wdot = VectorXd::Constant(nw, 7), tau = VectorXd::Zero(nw);
  EXPECT_NE(ErrorOf([&] {
              (void)CalcForwardDynamics(chain.model, tau, workspace, wdot);
            }).find("CalcForwardDynamics needs UpdateKinematics with q and v first"),
            std::string::npos);
  ASSERT_TRUE(UpdateKinematics(chain.model, chain.model.closed_start(), tau, workspace).ok());
  const VectorXd longer = VectorXd::Zero(nw + 1);
  EXPECT_NE(ErrorOf([&] {
              (void)CalcForwardDynamics(chain.model, longer, workspace, wdot);
            }).find("tau is " + std::to_string(nw + 1) + "×1, wanted " + std::to_string(nw)),
            std::string::npos);
  MatrixXd J(6, nw + 1);
  EXPECT_NE(ErrorOf([&] {
              CalcFrameJacobian(chain.model, {chain.model.tree().frames().back(), {0, 0, 0}},
                                ReferenceFrame::kLocal, workspace, J);
            }).find("J_w is 6×" + std::to_string(nw + 1)),
            std::string::npos);
  EXPECT_EQ(wdot, VectorXd::Constant(nw, 7));
}

}  // namespace closed_chain_dynamics_laws_test
}  // namespace civita
