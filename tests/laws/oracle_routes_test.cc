// The core's C and Γ against other methods from the papers, on random mechanisms with all joint
// types.

#include "app/verbs/reproduce/printed/equations.h"
#include "civita/christoffel.h"
#include "gtest/gtest.h"
#include "tests/oracles/cluster_algorithms.h"
#include "tests/oracles/compare.h"
#include "tests/oracles/coriolis_routes.h"
#include "tests/oracles/random_case.h"
#include "tests/oracles/seeds.h"
#include "tests/oracles/slow_dynamics.h"

namespace civita {
namespace oracle_routes_test {

constexpr double kExact = 1e-12;
constexpr double kDifferences = 1e-9;

Eigen::MatrixXd CoriolisOf(const Case& c, const Eigen::VectorXd& v) {
  return CalcCoreDynamics(c.model, c.q, v).C;
}

SymbolSlices SymbolsOf(const Case& c) {
  const int n = c.model.nv();
  std::vector<double> numbers(ChristoffelIndex(n, 0, 0, n), NAN);
  Workspace<double> workspace(c.model);
  UpdateKinematics(c.model, c.q, workspace);
  CalcChristoffelSymbols(c.model, workspace, numbers);
  SymbolSlices slices(static_cast<size_t>(n), Eigen::MatrixXd(n, n));
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < n; ++k) {
        slices[static_cast<size_t>(j)](i, k) = numbers[ChristoffelIndex(n, i, j, k)];
      }
    }
  }
  return slices;
}

void ExpectSame(const SymbolSlices& a, const SymbolSlices& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t j = 0; j < a.size(); ++j) {
    EXPECT_LE(RelativeError(a[j], b[j]), tolerance) << "direction " << j;
  }
}

class OracleRoutes : public testing::TestWithParam<unsigned> {
 protected:
  OracleRoutes()
      : c_(MakeCase(GetParam())),
        without_armature_(MakeCase(GetParam(), {.armature = false})),
        constants_(SlowStructureConstants(c_.spec)) {}
  /// The slow oracle's structure constants.
  Tensor3 Constants() const {
    return MakeTensor3(c_.spec.nv, [this](int l, int j, int k) {
      return constants_[static_cast<size_t>(l)](j, k);
    });
  }
  Case c_;
  Case without_armature_;
  std::vector<Eigen::MatrixXd> constants_;
};

TEST_P(OracleRoutes, SumOverBodyJacobians) {
  const Case& c = without_armature_;
  const JacobianRoute route = CalcJacobianRoute(c.model, c.q, c.v);
  EXPECT_LE(RelativeError(CoriolisOf(c, c.v), route.C), kExact);
  EXPECT_LE(RelativeError(CalcCoreDynamics(c.model, c.q, c.v).H, route.H), kExact);
  SymbolSlices Gamma;
  Gamma.reserve(static_cast<size_t>(c.spec.nv));
  for (int j = 0; j < c.spec.nv; ++j) {
    Gamma.push_back(CalcJacobianRoute(c.model, c.q, Eigen::VectorXd::Unit(c.spec.nv, j)).C);
  }
  ExpectSame(SymbolsOf(c), Gamma, kExact);
}

TEST_P(OracleRoutes, SumOverBodyJacobiansInBodyAxes) {
  const Case& c = without_armature_;
  EXPECT_LE(RelativeError(CoriolisOf(c, c.v), CalcBodyAxesJacobianRoute(c.spec, c.q, c.v)),
            kDifferences);
}

TEST_P(OracleRoutes, DerivativeOfCv) {
  EXPECT_LE(RelativeError(CoriolisOf(c_, c_.v), printed::CalcCoriolisByDifferentiation(
                                                    c_.model, Constants(), c_.q, c_.v)),
            kExact);
}

TEST_P(OracleRoutes, ColumnByColumn) {
  SymbolSlices Gamma;
  Gamma.reserve(static_cast<size_t>(c_.spec.nv));
  for (int j = 0; j < c_.spec.nv; ++j) {
    Gamma.push_back(CoriolisOf(c_, Eigen::VectorXd::Unit(c_.spec.nv, j)));
  }
  ExpectSame(SymbolsOf(c_), Gamma, kExact);
}

TEST_P(OracleRoutes, RepeatedInverseDynamics) {
  ExpectSame(SymbolsOf(c_), CalcRneaSymbols(c_.model, constants_, c_.q), kExact);
}

TEST_P(OracleRoutes, HamelsEquations) {
  const std::vector<Eigen::MatrixXd> coefficients = CalcHamelCoefficients(c_.spec, c_.q);
  ExpectSame(constants_, coefficients, kDifferences);
  std::mt19937 random(GetParam());
  const Eigen::VectorXd vdot = RandomVector(c_.spec.nv, &random);
  EXPECT_LE(RelativeError(CalcCoreInverseDynamics(c_.model, c_.q, c_.v, vdot),
                          CalcHamelInverseDynamics(c_.spec, coefficients, c_.q, c_.v, vdot)),
            kDifferences);
}

TEST_P(OracleRoutes, ClusterAlgorithms) {
  const Case& c = without_armature_;
  const std::vector<printed::Cluster> clusters = MakeClusters(c.spec, c.q);
  EXPECT_LE(RelativeError(CoriolisOf(c, c.v), printed::CalcClusterCoriolis(clusters, c.v)),
            kDifferences);
  const Tensor3 Gamma = printed::CalcClusterSymbols(clusters, c.spec.nv);
  SymbolSlices slices;
  slices.reserve(static_cast<size_t>(c.spec.nv));
  for (int j = 0; j < c.spec.nv; ++j) slices.emplace_back(Gamma.Direction(j));
  ExpectSame(SymbolsOf(c), slices, kDifferences);
}

INSTANTIATE_TEST_SUITE_P(Seeds, OracleRoutes, testing::Range(0u, Seeds(12)));

}  // namespace oracle_routes_test
}  // namespace civita
