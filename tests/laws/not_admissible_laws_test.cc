// The negative case α I(ξ×): C v stays right, Ḣ = C + Cᵀ fails, and every algorithm that takes a
// factorization uses the same C for it.

#include "civita/maximal_coordinates.h"
#include "civita/passivity_rnea.h"
#include "civita/regressor.h"
#include "gtest/gtest.h"
#include "tests/oracles/compare.h"
#include "tests/oracles/random_case.h"
#include "tests/oracles/seeds.h"
#include "tests/oracles/slow_dynamics.h"

namespace civita {
namespace not_admissible_laws_test {

constexpr double kExact = 1e-13;
constexpr double kDifferences = 1e-9;

Factorization NotAdmissible(double t) {
  Factorization factorization = Factorization::Torsion(t);
  factorization.alpha = 0.5;
  return factorization;
}

class NotAdmissibleLaws : public testing::TestWithParam<unsigned> {
 protected:
  NotAdmissibleLaws() : c_(MakeCase(GetParam())), random_(GetParam()), workspace_(c_.model) {
    w_ = RandomVector(c_.spec.nv, &random_);
    vdot_r_ = RandomVector(c_.spec.nv, &random_);
    UpdateKinematics(c_.model, c_.q, c_.v, workspace_);
  }
  Case c_;
  std::mt19937 random_;
  Workspace<double> workspace_;
  Eigen::VectorXd w_, vdot_r_;
};

TEST_P(NotAdmissibleLaws, IsTheOraclesAndValidButNotAdmissible) {
  for (const double t : {1.0, 0.0, -0.3}) {
    const CoreDynamics d = CalcCoreDynamics(c_.model, c_.q, c_.v, NotAdmissible(t));
    const Eigen::MatrixXd slow =
        SlowCoriolis(c_.spec, Factorization::Torsion(t), c_.q, c_.v, {.alpha = 0.5});
    EXPECT_LE(RelativeError(d.C, slow), kDifferences);
    EXPECT_LE(RelativeError(d.C * c_.v + d.g, d.bias), kExact);
    EXPECT_GT(RelativeError(d.C + d.C.transpose(), d.Hdot), 1e-3);
  }
}

TEST_P(NotAdmissibleLaws, ProductsAndRegressorMeanTheSameMatrix) {
  const int nv = c_.spec.nv;
  for (const double t : {1.0, 0.0, -0.3}) {
    const Factorization factorization = NotAdmissible(t);
    const CoreDynamics d = CalcCoreDynamics(c_.model, c_.q, c_.v, factorization);
    Eigen::VectorXd product(nv);
    CalcCoriolisProduct(c_.model, factorization, w_, workspace_, product);
    EXPECT_LE(RelativeError(product, d.C * w_), kExact);
    CalcCoriolisTransposeProduct(c_.model, factorization, w_, workspace_, product);
    EXPECT_LE(RelativeError(product, d.C.transpose() * w_), kExact);

    const Eigen::VectorXd pi = CalcModelParameters(c_.model, c_.model.frames());
    Eigen::MatrixXd Y(nv, pi.size());
    Eigen::VectorXd y_0(nv);
    CalcRegressor(c_.model, factorization, c_.model.frames(), w_, vdot_r_, workspace_, Y, y_0);
    EXPECT_LE(RelativeError(Y * pi + y_0, d.H * vdot_r_ + d.C * w_ + d.g), kExact);
  }
}

TEST_P(NotAdmissibleLaws, MaximalCoordinatesProjectToIt) {
  const Case c = MakeCase(GetParam(), {.armature = false});
  Workspace<double> workspace(c.model);
  UpdateKinematics(c.model, c.q, c.v, workspace);
  const CoreDynamics d = CalcCoreDynamics(c.model, c.q, c.v, NotAdmissible(1));
  const auto n = static_cast<size_t>(c.model.num_bodies());
  for (const TwistFrame frame : {TwistFrame::kBody, TwistFrame::kWorld}) {
    std::vector<Matrix6<double>> C(n), H(n);
    CalcMaximalCoordinates(c.model, NotAdmissible(1), frame, workspace, C, H);
    Eigen::MatrixXd A(6 * c.model.num_bodies(), c.spec.nv), Adot = A;
    CalcMaximalJacobian(c.model, frame, workspace, A, Adot);
    Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(c.spec.nv, c.spec.nv);
    for (size_t b = 0; b < n; ++b) {
      const auto row = static_cast<Eigen::Index>(6 * b);
      const Eigen::MatrixXd J = A.middleRows<6>(row), Jdot = Adot.middleRows<6>(row);
      sum += J.transpose() * (C[b] * J + H[b] * Jdot);
    }
    EXPECT_LE(RelativeError(sum, d.C), kExact);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, NotAdmissibleLaws, testing::Range(0u, Seeds(20)));

}  // namespace not_admissible_laws_test
}  // namespace civita
