// Derivatives of the dynamics and of the motion of random closed chains along the motions that the
// loops allow: by dual numbers and, for every factorization, by differences.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "civita/centroidal.h"
#include "civita/dual.h"
#include "civita/factorization_text.h"
#include "civita/manifold.h"
#include "civita/space_derivatives.h"
#include "civita/space_dynamics.h"
#include "civita/space_motion.h"
#include "tests/oracles/compare.h"
#include "tests/oracles/dense_chain.h"
#include "tests/oracles/dual_dynamics.h"
#include "tests/oracles/random_chain_laws.h"
#include "tests/oracles/seeds.h"

namespace civita {
namespace closed_chain_derivatives_laws_test {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kExact = 1e-10;
constexpr double kDifferences = 1e-7;  // of fourth order

class ClosedChainDerivativesLaws : public RandomChainLaws {
 protected:
  ClosedChainDerivativesLaws() {
    const auto has_no_redundant_rows = [](const VelocitySpace::Cluster& cluster) {
      return cluster.num_rows == cluster.num_coordinates() - cluster.num_independent;
    };
    if (GetParam() % 2 == 1 && std::ranges::all_of(model().clusters(), has_no_redundant_rows)) {
      // Open loops, as in a simulation.
      IntegratePosition<double>(tree(), q_, RandomVector(nv(), &random_), 1e-3, q_);
    }
    EXPECT_TRUE(UpdateKinematics(model(), q(), w_, workspace_).ok());
  }
  const VectorXd& q() const { return q_; }

  /// The derivatives of calc(workspace, ẇ), a vector, by q along A e_j, by w and by ẇ.
  struct Derivatives3 {
    MatrixXd by_q, by_w, by_wdot;
  };
  using Calc = std::function<VectorX<Dual>(SpaceWorkspace<Dual>&, const VectorX<Dual>&)>;
  Derivatives3 DerivativesOf(const Calc& calc) const {
    SpaceWorkspace<Dual> moving(model());
    const VectorX<Dual> w = w_.cast<Dual>(), wdot = wdot_.cast<Dual>(), here = q().cast<Dual>();
    const auto rate = [&](const VectorX<Dual>& at_q, const VectorX<Dual>& at_w,
                          const VectorX<Dual>& at_wdot) {
      EXPECT_TRUE(UpdateKinematics(model(), at_q, at_w, moving).ok());
      return VectorXd(Derivatives(calc(moving, at_wdot)));
    };
    const Eigen::Index rows = rate(here, w, wdot).size();
    Derivatives3 d{MatrixXd(rows, nw()), MatrixXd(rows, nw()), MatrixXd(rows, nw())};
    for (int j = 0; j < nw(); ++j) {
      const VectorXd unit = VectorXd::Unit(nw(), j);
      d.by_q.col(j) = rate(DualAlong(tree(), q(), A().col(j)), w, wdot);
      d.by_w.col(j) = rate(here, MakeDual(w_, unit), wdot);
      d.by_wdot.col(j) = rate(here, w, MakeDual(wdot_, unit));
    }
    return d;
  }

  /// Column j: the rate of calc(workspace at q ⊕ δ A e_j), a vector of nw numbers, by differences.
  MatrixXd DifferencesOf(const std::function<VectorXd(SpaceWorkspace<double>&)>& calc) const {
    SpaceWorkspace<double> moved(model());
    MatrixXd rates(nw(), nw());
    for (int j = 0; j < nw(); ++j) {
      const double h = 1e-3 / std::max(1.0, A().col(j).norm());
      const auto at = [&](double step) {
        VectorXd near(tree().nq());
        IntegratePosition<double>(tree(), q(), A().col(j), step, near);
        EXPECT_TRUE(UpdateKinematics(model(), near, w_, moved).ok());
        return calc(moved);
      };
      rates.col(j) = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
    }
    return rates;
  }

  VectorXd w_r_ = RandomVector(nw(), &random_), q_ = model().closed_start();
};

TEST_P(ClosedChainDerivativesLaws, OfTheTreesMotion) {
  MatrixXd dv_dq(nv(), nw()), dvdot_dq(dv_dq), dvdot_dw(dv_dq);
  CalcTreeMotionDerivatives(model(), wdot_, workspace_, dv_dq, dvdot_dq, dvdot_dw);
  const Derivatives3 of_v =
      DerivativesOf([&](SpaceWorkspace<Dual>& at, const VectorX<Dual>&) { return at.tree().v(); });
  const Derivatives3 of_vdot =
      DerivativesOf([&](SpaceWorkspace<Dual>& at, const VectorX<Dual>& wdot) {
        VectorX<Dual> vdot(nv()), w = w_.cast<Dual>();
        for (int a = 0; a < nw(); ++a) w[a] = at.tree().v()[model().independent()[a]];
        CalcTreeAcceleration(model(), w, wdot, at, vdot);
        return vdot;
      });
  EXPECT_LE(RelativeError(dv_dq, of_v.by_q), kExact);
  EXPECT_LE(RelativeError(dvdot_dq, of_vdot.by_q), kExact);
  EXPECT_LE(RelativeError(dvdot_dw, of_vdot.by_w), kExact);
}

TEST_P(ClosedChainDerivativesLaws, OfInverseDynamicsUnderForces) {
  MatrixXd by_q(nw(), nw()), by_w(by_q), H(by_q);
  CalcInverseDynamicsDerivatives(model(), wdot_, workspace_, by_q, by_w, H, forces_);
  std::vector<ExternalForce<Dual>> forces;
  for (const ExternalForce<double>& f : forces_) {
    forces.push_back({f.body, f.point.cast<Dual>(), f.moment.cast<Dual>(), f.force.cast<Dual>()});
  }
  const Derivatives3 expected =
      DerivativesOf([&](SpaceWorkspace<Dual>& at, const VectorX<Dual>& wdot) {
        VectorX<Dual> tau(nw());
        CalcInverseDynamics(model(), wdot, at, tau, forces);
        return tau;
      });
  EXPECT_LE(RelativeError(by_q, expected.by_q), kExact);
  EXPECT_LE(RelativeError(by_w, expected.by_w), kExact);
  EXPECT_LE(RelativeError(H, expected.by_wdot), kExact);
}

TEST_P(ClosedChainDerivativesLaws, OfForwardDynamicsUnderForces) {
  VectorXd wdot(nw());
  ASSERT_TRUE(CalcForwardDynamics(model(), w_r_, workspace_, wdot, forces_));
  MatrixXd by_q(nw(), nw()), by_w(by_q), by_tau(by_q);
  ASSERT_TRUE(
      CalcForwardDynamicsDerivatives(model(), wdot, workspace_, by_q, by_w, by_tau, forces_));
  std::vector<ExternalForce<Dual>> forces;
  for (const ExternalForce<double>& f : forces_) {
    forces.push_back({f.body, f.point.cast<Dual>(), f.moment.cast<Dual>(), f.force.cast<Dual>()});
  }
  const VectorXd tau = w_r_;
  const Derivatives3 expected = DerivativesOf([&](SpaceWorkspace<Dual>& at, const VectorX<Dual>&) {
    VectorX<Dual> vdot(nw());
    EXPECT_TRUE(CalcForwardDynamics(model(), tau.cast<Dual>(), at, vdot, forces));
    return vdot;
  });
  EXPECT_LE(RelativeError(by_q, expected.by_q), 1e-7);
  EXPECT_LE(RelativeError(by_w, expected.by_w), 1e-7);
  MatrixXd H(nw(), nw());
  CalcMassMatrix(model(), workspace_, H);
  EXPECT_LE(RelativeError(H * by_tau, MatrixXd::Identity(nw(), nw())), 1e-7);
}

TEST_P(ClosedChainDerivativesLaws, OfReducedForces) {
  std::mt19937 random(GetParam());
  const VectorXd tau = RandomVector(nv(), &random);
  MatrixXd by_q(nw(), nw());
  CalcReducedForcesDerivative(model(), tau, workspace_, by_q);
  const Derivatives3 expected = DerivativesOf([&](SpaceWorkspace<Dual>& at, const VectorX<Dual>&) {
    VectorX<Dual> reduced(nw());
    CalcReducedForces(model(), tau.cast<Dual>(), at, reduced);
    return reduced;
  });
  EXPECT_LE(RelativeError(by_q, expected.by_q), kExact);
}

TEST_P(ClosedChainDerivativesLaws, OfPassivityInverseDynamicsAndProductsForEveryFactorization) {
  MatrixXd by_q(nw(), nw()), by_w(by_q), C(by_q), H(by_q);
  VectorXd tau(nw());
  for (const Factorization& factorization : AllFactorizations(chain_.tree, GetParam())) {
    SCOPED_TRACE(ToString(factorization));
    CalcPassivityInverseDynamicsDerivatives(model(), factorization, w_r_, wdot_, workspace_, by_q,
                                            by_w);
    EXPECT_LE(RelativeError(by_q, DifferencesOf([&](SpaceWorkspace<double>& at) {
                              CalcPassivityInverseDynamics(model(), factorization, w_r_, wdot_, at,
                                                           tau);
                              return tau;
                            })),
              kDifferences);
    // C̄ is linear in w.
    MatrixXd of_units(nw(), nw());
    SpaceWorkspace<double> at(model());
    for (int j = 0; j < nw(); ++j) {
      ASSERT_TRUE(UpdateKinematics(model(), q(), VectorXd::Unit(nw(), j), at).ok());
      CalcCoriolisMatrix(model(), factorization, at, {.C = C, .H = H});
      of_units.col(j) = C * w_r_;
    }
    EXPECT_LE(RelativeError(by_w, of_units), kExact);
    CalcCoriolisProductDerivatives(model(), factorization, w_r_, workspace_, by_q, by_w);
    EXPECT_LE(RelativeError(by_q, DifferencesOf([&](SpaceWorkspace<double>& moved) {
                              CalcCoriolisProduct(model(), factorization, w_r_, moved, tau);
                              return tau;
                            })),
              kDifferences);
    EXPECT_LE(RelativeError(by_w, of_units), kExact);
  }
}

TEST_P(ClosedChainDerivativesLaws, OfFrames) {
  const Model::NamedFrame& frame = tree().frames().back();
  const Eigen::Vector3d point(0.1, 0.2, -0.3);
  MatrixXd by_q(6, nw()), by_w(by_q), by_wdot(by_q);
  for (const ReferenceFrame reference :
       {ReferenceFrame::kWorld, ReferenceFrame::kLocal, ReferenceFrame::kLocalWorldAligned}) {
    const auto expect = [&](const Derivatives3& expected) {
      EXPECT_LE(RelativeError(by_q, expected.by_q), kExact);
      EXPECT_LE(RelativeError(by_w, expected.by_w), kExact);
    };
    CalcFrameVelocityDerivatives(model(), {frame, point}, reference, workspace_, by_q, by_w);
    expect(DerivativesOf([&](SpaceWorkspace<Dual>& at, const VectorX<Dual>&) {
      return VectorX<Dual>(CalcFrameVelocity(tree(), {frame, point}, reference, at.tree()));
    }));
    CalcFrameAccelerationDerivatives(model(), {frame, point}, reference, wdot_, workspace_, by_q,
                                     by_w, by_wdot);
    const auto spatial = DerivativesOf([&](SpaceWorkspace<Dual>& at, const VectorX<Dual>& wdot) {
      return VectorX<Dual>(CalcFrameAcceleration(model(), {frame, point}, reference, wdot, at));
    });
    expect(spatial);
    EXPECT_LE(RelativeError(by_wdot, spatial.by_wdot), kExact);
    CalcFrameClassicalAccelerationDerivatives(model(), {frame, point}, reference, wdot_, workspace_,
                                              by_q, by_w, by_wdot);
    expect(DerivativesOf([&](SpaceWorkspace<Dual>& at, const VectorX<Dual>& wdot) {
      return VectorX<Dual>(
          CalcFrameClassicalAcceleration(model(), {frame, point}, reference, wdot, at));
    }));
  }
}

TEST_P(ClosedChainDerivativesLaws, OfTheCentroidalMomentum) {
  MatrixXd by_q(6, nw()), by_w(by_q), by_wdot(by_q);
  CalcCentroidalMomentumDerivatives(model(), workspace_, by_q, by_w);
  const Derivatives3 of_h = DerivativesOf([&](SpaceWorkspace<Dual>& at, const VectorX<Dual>&) {
    return VectorX<Dual>(CalcCentroidalMomentum(tree(), at.tree()));
  });
  EXPECT_LE(RelativeError(by_q, of_h.by_q), kExact);
  EXPECT_LE(RelativeError(by_w, of_h.by_w), kExact);
  CalcCentroidalMomentumRateDerivatives(model(), wdot_, workspace_, by_q, by_w, by_wdot);
  const Derivatives3 of_rate =
      DerivativesOf([&](SpaceWorkspace<Dual>& at, const VectorX<Dual>& wdot) {
        MatrixX<Dual> A_G(6, nw()), Adot(6, nw());
        CalcCentroidalMomentumMatrix(model(), at, A_G);
        CalcCentroidalMomentumMatrixDerivative(model(), at, Adot);
        VectorX<Dual> w(nw());
        for (int a = 0; a < nw(); ++a) w[a] = at.tree().v()[model().independent()[a]];
        return VectorX<Dual>(A_G * wdot + Adot * w);
      });
  EXPECT_LE(RelativeError(by_q, of_rate.by_q), kExact);
  EXPECT_LE(RelativeError(by_w, of_rate.by_w), kExact);
  EXPECT_LE(RelativeError(by_wdot, of_rate.by_wdot), kExact);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ClosedChainDerivativesLaws, testing::Range(0u, Seeds(40)));

}  // namespace closed_chain_derivatives_laws_test
}  // namespace civita
