// Coordinates whose A depends on q: Ȧ against differences of A, and the laws in the new velocities.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "civita/coordinates.h"
#include "civita/error.h"
#include "civita/manifold.h"
#include "civita/space_derivatives.h"
#include "civita/space_dynamics.h"
#include "tests/oracles/compare.h"
#include "tests/oracles/linear.h"
#include "tests/oracles/random_case.h"
#include "tests/oracles/seeds.h"
#include "tests/oracles/slow_dynamics.h"

namespace civita {
namespace coordinates_laws_test {

constexpr double kExact = 1e-11;
constexpr double kDifferences = 1e-7;

class CoordinatesLaws : public testing::TestWithParam<unsigned> {
 protected:
  CoordinatesLaws() : c_(MakeCase(GetParam())) {}

  std::vector<Coordinates> All() const {
    std::vector<Coordinates> all = {BodyTwistCoordinates(c_.model),
                                    MassOrthonormalCoordinates(c_.model)};
    try {
      all.push_back(ComCoordinates(c_.model));
    } catch (const UserError&) {  // not on a free joint
    }
    for (const bool pose : {false, true}) {
      try {
        all.push_back(TaskCoordinates(c_.model, c_.model.frames().back(), pose, c_.q));
      } catch (const UserError&) {  // too few coordinates
      }
    }
    return all;
  }

  VelocityMap<double> At(const Coordinates& coordinates, const Eigen::VectorXd& q) const {
    Workspace<double> workspace(c_.model);
    UpdateKinematics(c_.model, q, c_.v, workspace);
    VelocityMap<double> map(c_.model.nv(), coordinates.nw());
    EXPECT_TRUE(coordinates.update(workspace, map));
    return map;
  }

  Case c_;
};

TEST_P(CoordinatesLaws, AdotIsTheRateOfA) {
  for (const Coordinates& coordinates : All()) {
    SCOPED_TRACE(coordinates.text);
    EXPECT_EQ(coordinates.nw(), c_.model.nv());
    const VelocityMap<double> map = At(coordinates, c_.q);
    const Eigen::MatrixXd rate = SlowRate(
        c_.spec, c_.q, c_.v, [&](const Eigen::VectorXd& q) { return At(coordinates, q).A; });
    EXPECT_LE(RelativeError(map.Adot, rate), kDifferences);
  }
}

/// What they keep of a configuration changes no bit.
TEST_P(CoordinatesLaws, FormerStatesChangeNothing) {
  const Eigen::VectorXd rest = Eigen::VectorXd::Zero(c_.model.nv());
  Eigen::VectorXd other = c_.q;
  IntegratePosition<double>(c_.model, c_.q, c_.v, 0.1, other);
  for (const Coordinates& fresh : All()) {
    SCOPED_TRACE(fresh.text);
    const Coordinates used = fresh;
    Workspace<double> workspace(c_.model);
    VelocityMap<double> map(c_.model.nv(), fresh.nw()), alone = map;
    for (const Eigen::VectorXd& q : {c_.q, other, c_.q}) {
      for (const Eigen::VectorXd& v : {rest, c_.v, rest}) {
        UpdateKinematics(c_.model, q, v, workspace);
        EXPECT_TRUE(used.update(workspace, map));
        EXPECT_TRUE(Coordinates(fresh).update(workspace, alone));
        EXPECT_EQ(map.A, alone.A);
        EXPECT_EQ(map.Adot, alone.Adot);
        EXPECT_TRUE(v != rest || map.Adot.isZero(0));
      }
    }
  }
}

/// H̄˙ = C̄ + C̄ᵀ, and C̄ w + ḡ = Aᵀ(C v + g) − H̄-part: the same motion has the same power.
TEST_P(CoordinatesLaws, TheLawsHoldInTheNewVelocities) {
  for (const Coordinates& coordinates : All()) {
    SCOPED_TRACE(coordinates.text);
    const int n = c_.model.nv();
    const auto H_at = [&](const Eigen::VectorXd& q) {
      VelocityMap<double> map = At(coordinates, q);
      Eigen::MatrixXd products, H_w(n, n);
      ChangeMassMatrix<double>(map, SlowMassMatrix(c_.spec, q), products, H_w);
      return H_w;
    };
    VelocityMap<double> map = At(coordinates, c_.q);
    const CoreDynamics d = CalcCoreDynamics(c_.model, c_.q, c_.v);
    Eigen::MatrixXd products, C_w(n, n);
    ChangeCoriolisMatrix<double>(map, {.C = d.C, .H = d.H}, products, C_w);
    const Eigen::MatrixXd Hdot = SlowRate(c_.spec, c_.q, c_.v, H_at);
    const double size = std::max(1.0, C_w.norm());
    EXPECT_LE((C_w + C_w.transpose() - Hdot).norm() / size, kDifferences);
    // At ẇ = 0 the old acceleration is Ȧ w.
    const Eigen::VectorXd w = linear::Solve(map.A, c_.v);
    const Eigen::VectorXd old_force = d.H * (map.Adot * w) + d.bias - d.g;
    EXPECT_LE(RelativeError(C_w * w, map.A.transpose() * old_force), kExact * size);
  }
}

TEST_P(CoordinatesLaws, TheOrthonormalFrameHasTheUnitMetricAndASkewC) {
  const Coordinates coordinates = MassOrthonormalCoordinates(c_.model);
  VelocityMap<double> map = At(coordinates, c_.q);
  const int n = c_.model.nv();
  for (const Factorization& factorization : AllFactorizations(c_, GetParam())) {
    const CoreDynamics d = CalcCoreDynamics(c_.model, c_.q, c_.v, factorization);
    Eigen::MatrixXd products, H_w(n, n), C_w(n, n);
    ChangeMassMatrix<double>(map, d.H, products, H_w);
    ChangeCoriolisMatrix<double>(map, {.C = d.C, .H = d.H}, products, C_w);
    EXPECT_LE((H_w - Eigen::MatrixXd::Identity(n, n)).norm(), kExact);
    EXPECT_LE((C_w + C_w.transpose()).norm(), kExact * std::max(1.0, C_w.norm()));
  }
}

/// Column j: the rate of calc(workspace), nw numbers, at q ⊕ δ A e_j and constant w, by differences
/// of fourth order.
template <typename Calc>
Eigen::MatrixXd DifferencesByQ(const VelocitySpace& space, const Eigen::VectorXd& q,
                               const Eigen::VectorXd& w, const Eigen::MatrixXd& A,
                               const Calc& calc) {
  SpaceWorkspace<double> moved(space);
  Eigen::MatrixXd rates(space.nw(), space.nw());
  for (int j = 0; j < space.nw(); ++j) {
    const double h = 1e-3 / std::max(1.0, A.col(j).norm());
    const auto at = [&](double step) -> Eigen::VectorXd {
      Eigen::VectorXd near(space.tree().nq());
      IntegratePosition<double>(space.tree(), q, A.col(j), step, near);
      EXPECT_TRUE(UpdateKinematics<double>(space, near, w, moved).ok());
      return calc(moved);
    };
    rates.col(j) = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
  }
  return rates;
}

TEST_P(CoordinatesLaws, DerivativesByQAndW) {
  std::mt19937 random(GetParam());
  for (const Coordinates& coordinates : All()) {
    SCOPED_TRACE(coordinates.text);
    const VelocitySpace space(c_.model, coordinates);
    const int nw = space.nw();
    const Eigen::VectorXd w = RandomVector(nw, &random), wdot = RandomVector(nw, &random),
                          w_r = RandomVector(nw, &random);
    SpaceWorkspace<double> workspace(space);
    ASSERT_TRUE(UpdateKinematics<double>(space, c_.q, w, workspace).ok());
    const Eigen::MatrixXd A = workspace.map(space).A;
    Eigen::VectorXd tau(nw);
    Eigen::MatrixXd by_q(nw, nw), by_w(nw, nw), H(nw, nw), expected_by_w(nw, nw);
    const auto rnea = [&](SpaceWorkspace<double>& at) {
      CalcInverseDynamics<double>(space, wdot, at, tau);
      return tau;
    };
    CalcInverseDynamicsDerivatives<double>(space, wdot, workspace, by_q, by_w, H);
    EXPECT_LE(RelativeError(by_q, DifferencesByQ(space, c_.q, w, A, rnea)), kDifferences);
    SpaceWorkspace<double> moved(space);
    for (int j = 0; j < nw; ++j) {  // τ is of second order in w: central differences are exact
      Eigen::VectorXd difference = Eigen::VectorXd::Zero(nw);
      for (const double sign : {1.0, -1.0}) {
        const Eigen::VectorXd near = w + sign * Eigen::VectorXd::Unit(nw, j);
        EXPECT_TRUE(UpdateKinematics<double>(space, c_.q, near, moved).ok());
        difference += sign / 2 * rnea(moved);
      }
      expected_by_w.col(j) = difference;
    }
    EXPECT_LE(RelativeError(by_w, expected_by_w), 1e-9);
    for (const Factorization& factorization : AllFactorizations(c_, GetParam())) {
      CalcPassivityInverseDynamicsDerivatives<double>(space, factorization, w_r, wdot, workspace,
                                                      by_q, by_w);
      const auto passivity = [&](SpaceWorkspace<double>& at) {
        CalcPassivityInverseDynamics<double>(space, factorization, w_r, wdot, at, tau);
        return tau;
      };
      EXPECT_LE(RelativeError(by_q, DifferencesByQ(space, c_.q, w, A, passivity)), kDifferences);
    }
  }
}

// Those of a user, without rates.
TEST_P(CoordinatesLaws, WithoutRatesDerivativesAreRefusedByName) {
  Coordinates coordinates = BodyTwistCoordinates(c_.model);
  coordinates.rates = {};
  const VelocitySpace space(c_.model, coordinates);
  const int nw = space.nw();
  SpaceWorkspace<double> workspace(space);
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(nw);
  ASSERT_TRUE(UpdateKinematics<double>(space, c_.q, zero, workspace).ok());
  Eigen::MatrixXd by_q(nw, nw), by_w(nw, nw), H(nw, nw);
  EXPECT_THAT(
      [&] { CalcInverseDynamicsDerivatives<double>(space, zero, workspace, by_q, by_w, H); },
      testing::ThrowsMessage<UserError>(testing::HasSubstr("body_twists have no second deriv")));
}

INSTANTIATE_TEST_SUITE_P(Seeds, CoordinatesLaws, testing::Range(0u, Seeds(12)));

}  // namespace coordinates_laws_test
}  // namespace civita
