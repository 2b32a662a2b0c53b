// The Christoffel symbols on random mechanisms with all joint types: C = Γ·v, symmetries, and
// Koszul's formula from differences of the mass matrix as an independent result.

#include "civita/christoffel.h"
#include "civita/error.h"
#include "gtest/gtest.h"
#include "tests/oracles/compare.h"
#include "tests/oracles/random_case.h"
#include "tests/oracles/seeds.h"
#include "tests/oracles/slow_dynamics.h"

namespace civita {
namespace christoffel_laws_test {

const unsigned kSeeds = Seeds(40);
constexpr double kExact = 1e-13;
constexpr double kDifferences = 1e-9;

/// Γ with access by index, and its workspace.
class Symbols {
 public:
  explicit Symbols(unsigned seed) : case_(MakeCase(seed)) {
    const size_t n = static_cast<size_t>(nv());
    numbers_.assign(n * n * n, NAN);
    Workspace<double> workspace(model());
    UpdateKinematics(model(), q(), workspace);
    CalcChristoffelSymbols(model(), workspace, std::span<double>(numbers_));
  }

  double operator()(int i, int j, int k) const { return numbers_[ChristoffelIndex(nv(), i, j, k)]; }
  /// The matrix with entries Γ_ijk over i, k: C for v = e_j.
  Eigen::MatrixXd Slice(int j) const {
    Eigen::MatrixXd slice(nv(), nv());
    for (int i = 0; i < nv(); ++i) {
      for (int k = 0; k < nv(); ++k) slice(i, k) = (*this)(i, j, k);
    }
    return slice;
  }
  int nv() const { return case_.model.nv(); }
  const TreeSpec& spec() const { return case_.spec; }
  const Model& model() const { return case_.model; }
  const Eigen::VectorXd& q() const { return case_.q; }
  const Eigen::VectorXd& v() const { return case_.v; }

 private:
  Case case_;
  std::vector<double> numbers_;
};

class ChristoffelLaws : public testing::TestWithParam<unsigned> {};

TEST_P(ChristoffelLaws, ContractWithVelocityToTheCoriolisMatrix) {
  const Symbols Gamma(GetParam());
  Eigen::MatrixXd C = Eigen::MatrixXd::Zero(Gamma.nv(), Gamma.nv());
  for (int j = 0; j < Gamma.nv(); ++j) C += Gamma.Slice(j) * Gamma.v()[j];
  const CoreDynamics d = CalcCoreDynamics(Gamma.model(), Gamma.q(), Gamma.v());
  EXPECT_LE(RelativeError(C, d.C), kExact);
  const CoreDynamics plain =
      CalcCoreDynamics(Gamma.model(), Gamma.q(), Gamma.v(), Factorization::Torsion(1));
  EXPECT_GT(RelativeError(C, plain.C), 1e-3) << "a C with torsion passes as well";
}

TEST_P(ChristoffelLaws, AgreeWithKoszulsFormula) {
  const Symbols Gamma(GetParam());
  for (int j = 0; j < Gamma.nv(); ++j) {
    const Eigen::VectorXd e_j = Eigen::VectorXd::Unit(Gamma.nv(), j);
    EXPECT_LE(RelativeError(Gamma.Slice(j), SlowKoszulCoriolis(Gamma.spec(), Gamma.q(), e_j)),
              kDifferences)
        << "direction " << j << " (" << Gamma.model().VelocityName(j) << ")";
  }
}

TEST_P(ChristoffelLaws, AreFreeOfTorsion) {
  const Symbols Gamma(GetParam());
  const CoreDynamics d = CalcCoreDynamics(Gamma.model(), Gamma.q(), Gamma.v());
  const std::vector<Eigen::MatrixXd> c = SlowStructureConstants(Gamma.spec());
  for (int j = 0; j < Gamma.nv(); ++j) {
    for (int k = 0; k < Gamma.nv(); ++k) {
      for (int i = 0; i < Gamma.nv(); ++i) {
        double bracket = 0;
        for (int l = 0; l < Gamma.nv(); ++l) bracket += d.H(i, l) * c[static_cast<size_t>(l)](j, k);
        EXPECT_NEAR(Gamma(i, j, k) - Gamma(i, k, j), bracket,
                    kExact * std::max(1.0, d.H.cwiseAbs().maxCoeff()));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, ChristoffelLaws, testing::Range(0u, kSeeds));

TEST(ChristoffelSymbols, CheckTheirArguments) {
  const Model model = BuildTree(RandomTree(1));
  Workspace<double> workspace(model);
  std::vector<double> numbers(1);
  const std::span<double> Gamma(numbers);
  EXPECT_THROW(CalcChristoffelSymbols(model, workspace, Gamma), ContractError);
  UpdateKinematics(model, model.DefaultPosition(), workspace);
  EXPECT_THROW(CalcChristoffelSymbols(model, workspace, Gamma), ContractError);
}

}  // namespace christoffel_laws_test
}  // namespace civita
