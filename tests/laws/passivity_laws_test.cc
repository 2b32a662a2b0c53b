// Products with C in O(N) are what the matrix gives, for every factorization.

#include "core/error.h"
#include "core/passivity_rnea.h"
#include "gtest/gtest.h"
#include "tests/oracles/compare.h"
#include "tests/oracles/random_case.h"

namespace civita {
namespace {

constexpr double kExact = 1e-13;

class PassivityLaws : public testing::TestWithParam<unsigned> {};

TEST_P(PassivityLaws, InverseDynamicsWithTwoVelocities) {
  const Case c = MakeCase(GetParam());
  std::mt19937 random(GetParam());
  const Eigen::VectorXd v_r = RandomVector(c.spec.nv, &random);
  const Eigen::VectorXd vdot_r = RandomVector(c.spec.nv, &random);
  for (const Factorization& factorization : AllFactorizations(c, GetParam())) {
    SCOPED_TRACE(factorization.ToString());
    Workspace<double> workspace(c.model);
    UpdateKinematics(c.model, c.q, c.v, workspace);
    Eigen::VectorXd tau = Eigen::VectorXd::Constant(c.spec.nv, NAN);
    CalcPassivityInverseDynamics(c.model, factorization, v_r, vdot_r, workspace, tau);
    const CoreDynamics d = CalcCoreDynamics(c.model, c.q, c.v, factorization);
    EXPECT_LE(RelativeError(tau, d.H * vdot_r + d.C * v_r + d.g), kExact);
  }
}

TEST_P(PassivityLaws, TransposeProduct) {
  const Case c = MakeCase(GetParam());
  std::mt19937 random(GetParam());
  const Eigen::VectorXd w = RandomVector(c.spec.nv, &random);
  for (const Factorization& factorization : AllFactorizations(c, GetParam())) {
    SCOPED_TRACE(factorization.ToString());
    Workspace<double> workspace(c.model);
    UpdateKinematics(c.model, c.q, c.v, workspace);
    Eigen::VectorXd product = Eigen::VectorXd::Constant(c.spec.nv, NAN);
    CalcCoriolisTransposeProduct(c.model, factorization, w, workspace, product);
    const CoreDynamics d = CalcCoreDynamics(c.model, c.q, c.v, factorization);
    EXPECT_LE(RelativeError(product, d.C.transpose() * w), kExact);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, PassivityLaws, testing::Range(0u, 40u));

TEST(PassivityRnea, ChecksItsArguments) {
  const Model model = BuildTree(RandomTree(1));
  Workspace<double> workspace(model);
  const Eigen::VectorXd w = Eigen::VectorXd::Zero(model.nv());
  Eigen::VectorXd out(model.nv()), short_one(1);
  UpdateKinematics(model, model.DefaultPosition(), workspace);
  EXPECT_THROW(CalcCoriolisTransposeProduct(model, {}, w, workspace, out), ContractError);
  UpdateKinematics(model, model.DefaultPosition(), w, workspace);
  EXPECT_THROW(CalcCoriolisTransposeProduct(model, {}, w, workspace, short_one), ContractError);
  EXPECT_THROW(CalcPassivityInverseDynamics(model, {}, w, short_one, workspace, out),
               ContractError);
}

}  // namespace
}  // namespace civita
