// Derivatives of C(q,v) w and of H v̇_r + C v_r + g for every factorization, on random mechanisms
// with all joint types: by differences of C on the manifold, and by the laws that relate them to C
// and to the derivatives of inverse dynamics.

#include "civita/dynamics_derivatives.h"
#include "civita/error.h"
#include "civita/factorization_text.h"
#include "civita/passivity_rnea.h"
#include "gtest/gtest.h"
#include "tests/oracles/compare.h"
#include "tests/oracles/random_case.h"
#include "tests/oracles/seeds.h"
#include "tests/oracles/slow_dynamics.h"

namespace civita {
namespace passivity_derivatives_laws_test {

constexpr double kExact = 1e-12;
constexpr double kDifferences = 1e-9;

struct ByQV {
  explicit ByQV(int nv) : by_q(Eigen::MatrixXd::Constant(nv, nv, NAN)), by_v(by_q) {}
  Eigen::MatrixXd by_q, by_v;
};

class PassivityDerivativesLaws : public testing::TestWithParam<unsigned> {
 protected:
  PassivityDerivativesLaws() {
    std::mt19937 random(GetParam() + 90);
    w_ = RandomVector(nv(), &random);
    wdot_ = RandomVector(nv(), &random);
    all_ = AllFactorizations(c_, GetParam());
    Factorization alpha = all_.back();
    alpha.alpha = -0.6;
    all_.push_back(alpha);
  }
  int nv() const { return c_.model.nv(); }
  Eigen::VectorXd Unit(int k) const { return Eigen::VectorXd::Unit(nv(), k); }
  Eigen::MatrixXd C(const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                    const Factorization& factorization) const {
    return CalcCoreDynamics(c_.model, q, v, factorization).C;
  }

  ByQV OfProduct(const Eigen::VectorXd& v, const Eigen::VectorXd& w,
                 const Factorization& factorization) const {
    ByQV d(nv());
    Workspace<double> workspace(c_.model);
    UpdateKinematics(c_.model, c_.q, v, workspace);
    CalcCoriolisProductDerivatives(c_.model, factorization, w, workspace, d.by_q, d.by_v);
    return d;
  }
  ByQV OfPassivity(const Eigen::VectorXd& v_r, const Eigen::VectorXd& vdot_r,
                   const Factorization& factorization) const {
    ByQV d(nv());
    Workspace<double> workspace(c_.model);
    UpdateKinematics(c_.model, c_.q, c_.v, workspace);
    CalcPassivityInverseDynamicsDerivatives(c_.model, factorization, v_r, vdot_r, workspace, d.by_q,
                                            d.by_v);
    return d;
  }

  Case c_ = MakeCase(GetParam(), OptionsForKernels(GetParam()));
  Eigen::VectorXd w_, wdot_;
  std::vector<Factorization> all_;
};

TEST_P(PassivityDerivativesLaws, ProductByDifferencesOfTheMatrixOnTheManifold) {
  for (const Factorization& factorization : all_) {
    SCOPED_TRACE(ToString(factorization));
    const ByQV d = OfProduct(c_.v, w_, factorization);
    for (int j = 0; j < nv(); ++j) {
      const Eigen::VectorXd rate = SlowRate(c_.spec, c_.q, Unit(j), [&](const Eigen::VectorXd& q) {
        return Eigen::VectorXd(C(q, c_.v, factorization) * w_);
      });
      EXPECT_LE(RelativeError(d.by_q.col(j), rate), kDifferences) << c_.model.VelocityName(j);
    }
  }
}

/// C is linear in v.
TEST_P(PassivityDerivativesLaws, ProductByVelocityIsTheMatrixOfUnitVelocities) {
  for (const Factorization& factorization : all_) {
    SCOPED_TRACE(ToString(factorization));
    Eigen::MatrixXd expected(nv(), nv());
    for (int j = 0; j < nv(); ++j) expected.col(j) = C(c_.q, Unit(j), factorization) * w_;
    EXPECT_LE(RelativeError(OfProduct(c_.v, w_, factorization).by_v, expected), kExact);
  }
}

/// With v_r = v and v̇_r = v̇ every factorization gives inverse dynamics, whose derivative by v is
/// that at a constant v_r and C.
TEST_P(PassivityDerivativesLaws, AtTheVelocityItselfTheyAreThoseOfInverseDynamics) {
  ByQV inverse(nv());
  Eigen::MatrixXd H(nv(), nv());
  Workspace<double> workspace(c_.model);
  UpdateKinematics(c_.model, c_.q, c_.v, workspace);
  CalcInverseDynamicsDerivatives(c_.model, wdot_, workspace, inverse.by_q, inverse.by_v, H);
  for (const Factorization& factorization : all_) {
    SCOPED_TRACE(ToString(factorization));
    const ByQV d = OfPassivity(c_.v, wdot_, factorization);
    EXPECT_LE(RelativeError(d.by_q, inverse.by_q), kExact);
    EXPECT_LE(RelativeError(d.by_v + C(c_.q, c_.v, factorization), inverse.by_v), kExact);
  }
}

/// H v̇_r + C v_r + g is linear in v̇_r and v_r.
TEST_P(PassivityDerivativesLaws, TheyAddUpFromTheirParts) {
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(nv());
  const Factorization& factorization = all_[all_.size() - 2];
  const ByQV all = OfPassivity(w_, wdot_, factorization);
  const ByQV product = OfProduct(c_.v, w_, factorization);
  const ByQV rest = OfPassivity(zero, wdot_, factorization);
  EXPECT_LE(RelativeError(all.by_q, product.by_q + rest.by_q), kExact);
  EXPECT_LE(RelativeError(all.by_v, product.by_v), kExact);
  EXPECT_LE(rest.by_v.norm(), kExact);
}

INSTANTIATE_TEST_SUITE_P(Seeds, PassivityDerivativesLaws, testing::Range(0u, Seeds(40)));

TEST(PassivityDerivatives, CheckTheirArguments) {
  const Case c = MakeCase(1);
  const int nv = c.model.nv();
  Workspace<double> workspace(c.model);
  Eigen::MatrixXd A(nv, nv), B(nv, nv), small(1, 1);
  const Factorization f;
  const auto product = [&](const Eigen::VectorXd& w, Eigen::Ref<Eigen::MatrixXd> dq,
                           Eigen::Ref<Eigen::MatrixXd> dv) {
    CalcCoriolisProductDerivatives<double>(c.model, f, w, workspace, dq, dv);
  };
  const auto passivity = [&](const Eigen::VectorXd& v_r, const Eigen::VectorXd& vdot_r,
                             Eigen::Ref<Eigen::MatrixXd> dq, Eigen::Ref<Eigen::MatrixXd> dv) {
    CalcPassivityInverseDynamicsDerivatives<double>(c.model, f, v_r, vdot_r, workspace, dq, dv);
  };
  UpdateKinematics(c.model, c.q, workspace);
  EXPECT_THROW(product(c.v, A, B), ContractError);
  UpdateKinematics(c.model, c.q, c.v, workspace);
  EXPECT_NO_THROW(product(c.v, A, B));
  EXPECT_THROW(product(Eigen::VectorXd(1), A, B), ContractError);
  EXPECT_THROW(product(c.v, A, A), ContractError);
  EXPECT_THROW(product(c.v, small, B), ContractError);
  EXPECT_THROW(passivity(c.v, Eigen::VectorXd(1), A, B), ContractError);
  EXPECT_THROW(passivity(Eigen::VectorXd(1), c.v, A, B), ContractError);
  EXPECT_THROW(passivity(c.v, c.v, A, small), ContractError);
}

}  // namespace passivity_derivatives_laws_test
}  // namespace civita
