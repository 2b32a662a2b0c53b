// Coordinates whose A depends on q: Ȧ against differences of A, and the laws in the new velocities.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "civita/coordinates.h"
#include "civita/error.h"
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

INSTANTIATE_TEST_SUITE_P(Seeds, CoordinatesLaws, testing::Range(0u, Seeds(12)));

}  // namespace coordinates_laws_test
}  // namespace civita
