// Connections, torsion and related tensors on random mechanisms with all joint types: laws of the
// geometry, and differences of a slow mass matrix and a slow Coriolis matrix.

#include "app/verbs/reproduce/printed/equations.h"
#include "civita/christoffel.h"
#include "civita/factorization_text.h"
#include "civita/forward_dynamics.h"
#include "civita/geometry/connection.h"
#include "civita/geometry/metric.h"
#include "civita/geometry/structure_constants.h"
#include "civita/geometry/three_form.h"
#include "civita/geometry/torsion.h"
#include "civita/geometry/transport.h"
#include "civita/manifold.h"
#include "civita/rnea.h"
#include "gtest/gtest.h"
#include "tests/oracles/compare.h"
#include "tests/oracles/random_case.h"
#include "tests/oracles/seeds.h"
#include "tests/oracles/slow_dynamics.h"

namespace civita {
namespace geometry_laws_test {

const unsigned kSeeds = Seeds(12);
constexpr double kExact = 1e-13;
constexpr double kDifferences = 1e-9;

double RelativeDifference(const Tensor3& a, const Tensor3& b) {
  return (a - b).MaxAbs() / std::max(1.0, b.MaxAbs());
}

Tensor3 RandomTensor(int n, std::mt19937* random) {
  std::normal_distribution<double> normal;
  return MakeTensor3(n, [&](int, int, int) { return normal(*random); });
}

/// A mechanism at a configuration, with its metric and its Riemannian connection.
struct Geometry {
  explicit Geometry(unsigned seed)
      : c(MakeCase(seed)),
        workspace(c.model),
        H(c.model.nv(), c.model.nv()),
        christoffel(c.model.nv()),
        s(c.model.nv()),
        rates(CalcMetricRates(c.model, c.q)) {
    UpdateKinematics(c.model, c.q, workspace);
    CalcMassMatrix(c.model, workspace, H);
    CalcChristoffelSymbols(c.model, workspace, christoffel.numbers());
    s = LowerFirstIndex(H, CalcStructureConstants(c.model));
  }
  Tensor3 Connection(const Factorization& factorization) {
    return CalcConnection(c.model, factorization, c.q, workspace);
  }
  double size() const { return std::max(1.0, christoffel.MaxAbs()); }

  Case c;
  Workspace<double> workspace;
  Eigen::MatrixXd H;
  Tensor3 christoffel, s, rates;
};

class GeometryLaws : public testing::TestWithParam<unsigned> {};

TEST_P(GeometryLaws, StructureConstantsAreThoseOfTheFrame) {
  const Case c = MakeCase(GetParam());
  const Tensor3 constants = CalcStructureConstants(c.model);
  const std::vector<Eigen::MatrixXd> slow = SlowStructureConstants(c.spec);
  for (int l = 0; l < c.model.nv(); ++l) {
    for (int j = 0; j < c.model.nv(); ++j) {
      for (int k = 0; k < c.model.nv(); ++k) {
        EXPECT_EQ(constants(l, j, k), slow[static_cast<size_t>(l)](j, k)) << l << j << k;
      }
    }
  }
}

TEST_P(GeometryLaws, StructureConstantsAreTheCommutatorsOfFlows) {
  const Case c = MakeCase(GetParam());
  const Tensor3 constants = CalcStructureConstants(c.model);
  const int nv = c.model.nv();
  constexpr double h = 1e-4;
  for (int k = 0; k < nv; ++k) {
    const int j = k == 0 ? nv - 1 : k - 1;
    Eigen::VectorXd q = c.q, gap(nv), bracket(nv);
    for (const auto& [direction, dt] : {std::pair(j, h), {k, h}, {j, -h}, {k, -h}}) {
      q = SlowIntegrate(c.spec, q, Eigen::VectorXd::Unit(nv, direction), dt);
    }
    DifferencePosition(c.model, q, c.q, gap);
    for (int l = 0; l < nv; ++l) bracket[l] = constants(l, j, k);
    EXPECT_LE(RelativeError(gap / (h * h), bracket), 1e-3);
  }
}

TEST_P(GeometryLaws, MetricRatesAreDifferencesOfTheMetric) {
  const Geometry g(GetParam());
  for (int j = 0; j < g.c.model.nv(); ++j) {
    const Eigen::MatrixXd slow =
        SlowRate(g.c.spec, g.c.q, Eigen::VectorXd::Unit(g.c.model.nv(), j),
                 [&](const Eigen::VectorXd& q) { return SlowMassMatrix(g.c.spec, q); });
    EXPECT_LE(RelativeError(Eigen::MatrixXd(g.rates.Direction(j)), slow), kDifferences);
  }
}

TEST_P(GeometryLaws, HamelsEquationsGiveTheForces) {
  const Case c = MakeCase(GetParam());
  std::mt19937 random(GetParam());
  const Eigen::VectorXd vdot = RandomVector(c.spec.nv, &random);
  const Eigen::VectorXd tau =
      printed::CalcHamelForces(c.model, CalcStructureConstants(c.model), c.q, c.v, vdot);
  EXPECT_LE(RelativeError(tau, CalcCoreInverseDynamics(c.model, c.q, c.v, vdot)), 10 * kExact);
}

TEST_P(GeometryLaws, GeodesicsAreMotionsWithoutGravityAndForces) {
  // By articulated bodies, the joints holding gravity, and the midpoint rule.
  const Case c = MakeCase(GetParam());
  const int nv = c.model.nv();
  Workspace<double> workspace(c.model);
  const auto acceleration = [&](const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
    Eigen::VectorXd tau(nv), vdot(nv);
    UpdateKinematics(c.model, q, v, workspace);
    CalcGravityForces(c.model, workspace, tau);
    CalcForwardDynamics(c.model, tau, workspace, vdot);
    return vdot;
  };
  constexpr double kTime = 0.2;
  constexpr int kSteps = 4000;
  const double dt = kTime / kSteps;
  Eigen::VectorXd q = c.q, q_half = q, v = c.v;
  for (int i = 0; i < kSteps; ++i) {
    const Eigen::VectorXd v_half = v + dt / 2 * acceleration(q, v);
    IntegratePosition(c.model, q, v, dt / 2, q_half);
    IntegratePosition(c.model, Eigen::VectorXd(q), v_half, dt, q);
    v += dt * acceleration(q_half, v_half);
  }
  Eigen::VectorXd q_geodesic = c.q, gap(nv);
  Eigen::MatrixXd W = c.v;
  const ConnectionFunction connection = ConnectionOf(c.model, Factorization::Torsion(0.6));
  for (int i = 0; i < 200; ++i)
    EXPECT_TRUE(StepGeodesic(c.model, connection, kTime / 200, q_geodesic, W));
  DifferencePosition(c.model, q_geodesic, q, gap);
  const double way = kTime * std::max(1.0, v.norm());
  EXPECT_LE(gap.norm(), 1e-5 * way);
  EXPECT_LE(RelativeError(Eigen::VectorXd(W), v), 1e-5);
}

TEST_P(GeometryLaws, KoszulsFormulaGivesTheChristoffelSymbols) {
  const Geometry g(GetParam());
  EXPECT_LE(RelativeDifference(KoszulConnection(g.rates, g.s), g.christoffel), kExact);
}

TEST_P(GeometryLaws, ConnectionContractsToItsCoriolisMatrix) {
  Geometry g(GetParam());
  EXPECT_LE(RelativeDifference(g.Connection({}), g.christoffel), kExact);
  for (const Factorization& factorization : AllFactorizations(g.c, GetParam())) {
    SCOPED_TRACE(ToString(factorization));
    const Tensor3 Gamma = g.Connection(factorization);
    const CoreDynamics d = CalcCoreDynamics(g.c.model, g.c.q, g.c.v, factorization);
    EXPECT_LE(RelativeError(Contract(Gamma, g.c.v), d.C), kExact);
    EXPECT_LE(
        RelativeError(Contract(Gamma, g.c.v), SlowCoriolis(g.c.spec, factorization, g.c.q, g.c.v)),
        kDifferences);
  }
}

TEST_P(GeometryLaws, EveryFactorizationIsMetricCompatibleWithTheSameGeodesics) {
  Geometry g(GetParam());
  for (const Factorization& factorization : AllFactorizations(g.c, GetParam())) {
    SCOPED_TRACE(ToString(factorization));
    const Tensor3 Gamma = g.Connection(factorization);
    const ConnectionResiduals rest = CalcConnectionResiduals(Gamma, g.rates, g.s);
    const double size = std::max(g.size(), Gamma.MaxAbs());
    EXPECT_LE(rest.metric, kExact * size);
    EXPECT_LE(rest.geodesics, kExact * size);
    if (factorization.torsion_free()) {
      EXPECT_LE(rest.torsion, kExact * size);
    }
    // An injection at a body with only two directions of motion has no effect.
    if (factorization.t != 0 || factorization.has_coordinate_injections()) {
      EXPECT_GT(rest.torsion, 1e-3);
    }
  }
}

TEST_P(GeometryLaws, ContorsionIsAThreeFormAndHalfTheTorsion) {
  Geometry g(GetParam());
  for (const Factorization& factorization : AllFactorizations(g.c, GetParam())) {
    SCOPED_TRACE(ToString(factorization));
    const Tensor3 Gamma = g.Connection(factorization);
    const Tensor3 K = Gamma - g.christoffel;
    const double size = std::max(g.size(), Gamma.MaxAbs());
    EXPECT_LE((K - AntisymmetricPart(K)).MaxAbs(), kExact * size);
    EXPECT_LE((Torsion(Gamma, g.s) - K - K).MaxAbs(), 2 * kExact * size);
    EXPECT_LE((TorsionFreeSameMetric(Gamma, g.s) - g.christoffel).MaxAbs(), kExact * size);
    EXPECT_LE((TorsionFreeSameGeodesics(Gamma, g.s) - g.christoffel).MaxAbs(), kExact * size);
  }
}

TEST_P(GeometryLaws, AFactorizationThatIsNotAdmissibleShows) {
  const Geometry g(GetParam());
  const int nv = g.c.model.nv();
  Tensor3 Gamma(nv);
  for (int j = 0; j < nv; ++j) {
    Gamma.Direction(j) =
        SlowCoriolis(g.c.spec, {}, g.c.q, Eigen::VectorXd::Unit(nv, j), {.alpha = 0.5});
  }
  const ConnectionResiduals rest = CalcConnectionResiduals(Gamma, g.rates, g.s);
  EXPECT_GT(rest.metric, 1e-3);
  EXPECT_LE(rest.geodesics, kDifferences * g.size());
  EXPECT_GT(rest.torsion, 1e-3);
}

TEST_P(GeometryLaws, PartnersWithoutTorsionOfOtherConnections) {
  const Geometry g(GetParam());
  const int nv = g.c.model.nv();
  std::mt19937 random(GetParam());
  // Any contorsion antisymmetric in its first and last index keeps the metric.
  const Tensor3 a = RandomTensor(nv, &random);
  const Tensor3 K = MakeTensor3(nv, [&](int i, int j, int k) { return a(i, j, k) - a(k, j, i); });
  const Tensor3 metric_compatible = g.christoffel + K;
  const ConnectionResiduals rest = CalcConnectionResiduals(metric_compatible, g.rates, g.s);
  EXPECT_LE(rest.metric, kExact * g.size());
  EXPECT_GT(rest.geodesics, 0.1);
  EXPECT_LE((TorsionFreeSameMetric(metric_compatible, g.s) - g.christoffel).MaxAbs(),
            kExact * g.size());
  // For any connection: the same C v without torsion.
  const Tensor3 any = g.christoffel + a;
  const Tensor3 partner = TorsionFreeSameGeodesics(any, g.s);
  EXPECT_LE(Torsion(partner, g.s).MaxAbs(), kExact * g.size());
  EXPECT_LE(RelativeError(Contract(partner, g.c.v) * g.c.v, Contract(any, g.c.v) * g.c.v), kExact);
  EXPECT_LE(
      RelativeError(Contract(SymmetricPart(any), g.c.v) * g.c.v, Contract(any, g.c.v) * g.c.v),
      kExact);
  EXPECT_GT(CalcConnectionResiduals(partner, g.rates, g.s).metric, 0.1);
}

TEST_P(GeometryLaws, SecondKindGivesTheFreeAcceleration) {
  const Geometry g(GetParam());
  const Tensor3 second = RaiseFirstIndex(g.H, g.christoffel).value();
  EXPECT_FALSE(RaiseFirstIndex(-g.H, g.christoffel));
  EXPECT_LE(RelativeDifference(LowerFirstIndex(g.H, second), g.christoffel), 1e-10);
  const CoreDynamics d = CalcCoreDynamics(g.c.model, g.c.q, g.c.v);
  const Eigen::VectorXd vdot = -Contract(second, g.c.v) * g.c.v;
  EXPECT_LE(RelativeError(d.H * vdot, d.g - d.bias), 1e-10);
}

TEST_P(GeometryLaws, ThreeFormsKeepTheForcesAndTheMetric) {
  Geometry g(GetParam());
  const int nv = g.c.model.nv();
  std::mt19937 random(GetParam());
  const Tensor3 omega = AntisymmetricPart(RandomTensor(nv, &random));
  const CoreDynamics d = CalcCoreDynamics(g.c.model, g.c.q, g.c.v);
  Eigen::MatrixXd C = d.C;
  C += Contract(omega, g.c.v);
  EXPECT_GT(RelativeError(C, d.C), 1e-3);
  EXPECT_LE(RelativeError(C * g.c.v, d.C * g.c.v), kExact * 10);
  EXPECT_LE(RelativeError(Eigen::MatrixXd(C + C.transpose()), d.Hdot), kExact * 10);
  EXPECT_LE(RelativeError(C - d.C, Contract(omega, g.c.v)), kExact * 10);

  Factorization injection;
  injection.joint_injections = {{.beta = 1.3, .S = RandomS(nv, &random), .file = "S.csv"}};
  const Tensor3 K = g.Connection(injection) - g.christoffel;
  EXPECT_LE((K - ThreeFormOf(injection, nv)).MaxAbs(), kExact * std::max(g.size(), K.MaxAbs()));
}

INSTANTIATE_TEST_SUITE_P(Seeds, GeometryLaws, testing::Range(0u, kSeeds));

TEST(ThreeForm, OfThreeCoordinatesIsTheCrossProduct) {
  Tensor3 omega(3);
  omega(0, 1, 2) = omega(1, 2, 0) = omega(2, 0, 1) = 1;
  omega(0, 2, 1) = omega(2, 1, 0) = omega(1, 0, 2) = -1;
  EXPECT_EQ(Contract(omega, Eigen::Vector3d(1, 2, 3)), Skew<double>(Eigen::Vector3d(1, 2, 3)));
}

}  // namespace geometry_laws_test
}  // namespace civita
