// Products with C in O(N) agree with the matrix, for every factorization, also when β is a
// function of q.

#include "civita/error.h"
#include "civita/factorization_text.h"
#include "civita/passivity_rnea.h"
#include "gtest/gtest.h"
#include "tests/oracles/compare.h"
#include "tests/oracles/random_case.h"
#include "tests/oracles/seeds.h"
#include "tests/oracles/slow_dynamics.h"

namespace civita {
namespace passivity_laws_test {

constexpr double kExact = 1e-13;
constexpr double kDifferences = 1e-9;

/// Calls check(factorization, workspace, dynamics) at the case's state, for each factorization.
template <typename Check>
void ForEachFactorization(const Case& c, unsigned seed, Check check) {
  for (const Factorization& factorization : AllFactorizations(c, seed)) {
    SCOPED_TRACE(ToString(factorization));
    Workspace<double> workspace(c.model);
    UpdateKinematics(c.model, c.q, c.v, workspace);
    check(factorization, workspace, CalcCoreDynamics(c.model, c.q, c.v, factorization));
  }
}

class PassivityLaws : public testing::TestWithParam<unsigned> {};

TEST_P(PassivityLaws, InverseDynamicsWithTwoVelocities) {
  const Case c = MakeCase(GetParam());
  std::mt19937 random(GetParam());
  const Eigen::VectorXd v_r = RandomVector(c.spec.nv, &random);
  const Eigen::VectorXd vdot_r = RandomVector(c.spec.nv, &random);
  ForEachFactorization(
      c, GetParam(),
      [&](const Factorization& factorization, Workspace<double>& workspace, const CoreDynamics& d) {
        Eigen::VectorXd tau = Eigen::VectorXd::Constant(c.spec.nv, NAN);
        CalcPassivityInverseDynamics(c.model, factorization, v_r, vdot_r, workspace, tau);
        EXPECT_LE(RelativeError(tau, d.H * vdot_r + d.C * v_r + d.g), kExact);
      });
}

TEST_P(PassivityLaws, Products) {
  const Case c = MakeCase(GetParam());
  std::mt19937 random(GetParam());
  const Eigen::VectorXd w = RandomVector(c.spec.nv, &random);
  ForEachFactorization(
      c, GetParam(),
      [&](const Factorization& factorization, Workspace<double>& workspace, const CoreDynamics& d) {
        const Eigen::VectorXd unset = Eigen::VectorXd::Constant(c.spec.nv, NAN);
        Eigen::VectorXd product = unset, transposed = unset;
        CalcCoriolisProduct(c.model, factorization, w, workspace, product);
        EXPECT_LE(RelativeError(product, d.C * w), kExact);
        CalcCoriolisProduct(c.model, factorization, c.v, workspace, product);
        EXPECT_LE(RelativeError(product, d.bias - d.g), kExact);
        CalcCoriolisTransposeProduct(c.model, factorization, w, workspace, transposed);
        EXPECT_LE(RelativeError(transposed, d.C.transpose() * w), kExact);
      });
}

/// C with every β and t a function of q, along q(t) = q ⊕ v t: C v = RNEA, Ḣ = C + Cᵀ, and for any
/// field w on the curve d/dt ½wᵀH w = wᵀ(H ẇ + C w), with H by the oracle.
TEST_P(PassivityLaws, HoldWithInjectionsThatDependOnTheConfiguration) {
  const Case c = MakeCase(GetParam());
  std::mt19937 random(GetParam());
  const Eigen::VectorXd slope = RandomVector(c.spec.nq, &random);
  const Eigen::VectorXd w0 = RandomVector(c.spec.nv, &random);
  const Eigen::VectorXd wdot = RandomVector(c.spec.nv, &random);
  Factorization factorization = AllFactorizations(c, GetParam()).back();
  const Factorization start = factorization;
  Eigen::MatrixXd first;
  for (const double time : {0.0, 0.4, 0.8}) {
    const Eigen::VectorXd q = SlowIntegrate(c.spec, c.q, c.v, time);
    const double scale = 1 + std::sin(3 * slope.dot(q));
    factorization.t = start.t * scale;
    factorization.joint_injections[0].beta = start.joint_injections[0].beta.number() * scale;
    for (size_t b = 0; b < start.body_injections.size(); ++b) {
      factorization.body_injections[b].beta = start.body_injections[b].beta.number() * scale;
    }
    const CoreDynamics d = CalcCoreDynamics(c.model, q, c.v, factorization);
    EXPECT_LE(RelativeError(d.C * c.v, d.bias - d.g), kExact);
    const Eigen::MatrixXd Hdot = SlowRate(
        c.spec, q, c.v, [&](const Eigen::VectorXd& at) { return SlowMassMatrix(c.spec, at); });
    EXPECT_LE(RelativeError(d.C + d.C.transpose(), Hdot), kDifferences);

    const Eigen::VectorXd w = w0 + wdot * time;
    const double power = w.dot(SlowMassMatrix(c.spec, q) * wdot) + 0.5 * w.dot(Hdot * w);
    Workspace<double> workspace(c.model);
    UpdateKinematics(c.model, q, c.v, workspace);
    Eigen::VectorXd product(c.spec.nv);
    CalcCoriolisProduct(c.model, factorization, w, workspace, product);
    EXPECT_LE(RelativeError(w.dot(d.H * wdot + product), power), kDifferences);

    const Eigen::MatrixXd torsion = d.C - CalcCoreDynamics(c.model, q, c.v).C;
    if (time == 0) {
      first = torsion;
    } else {
      EXPECT_GT(RelativeError(torsion, first), 1e-3) << "C does not see β(q)";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, PassivityLaws, testing::Range(0u, Seeds(40)));

TEST(PassivityRnea, ChecksItsArguments) {
  const Model model = BuildTree(RandomTree(1));
  Workspace<double> workspace(model);
  const Eigen::VectorXd w = Eigen::VectorXd::Zero(model.nv());
  Eigen::VectorXd out(model.nv()), short_one(1);
  UpdateKinematics(model, model.DefaultPosition(), workspace);
  EXPECT_THROW(CalcCoriolisTransposeProduct(model, {}, w, workspace, out), ContractError);
  EXPECT_THROW(CalcCoriolisProduct(model, {}, w, workspace, out), ContractError);
  UpdateKinematics(model, model.DefaultPosition(), w, workspace);
  EXPECT_THROW(CalcCoriolisTransposeProduct(model, {}, w, workspace, short_one), ContractError);
  EXPECT_THROW(CalcCoriolisProduct(model, {}, short_one, workspace, out), ContractError);
  EXPECT_THROW(CalcPassivityInverseDynamics(model, {}, w, short_one, workspace, out),
               ContractError);
}

}  // namespace passivity_laws_test
}  // namespace civita
