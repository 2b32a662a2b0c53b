// Connections, transport and geodesics against closed forms: the sphere, free rotation, a metric
// with two factorizations of its Coriolis terms, and submanifolds.

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <numbers>

#include "civita/error.h"
#include "civita/geometry/connection.h"
#include "civita/geometry/torsion.h"
#include "civita/geometry/transport.h"
#include "civita/manifold.h"
#include "gtest/gtest.h"
#include "tests/oracles/compare.h"
#include "tests/oracles/random_case.h"

namespace civita {
namespace geometry_test {

using Eigen::Matrix2d;
using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector2d;
using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr double kPi = std::numbers::pi;

// Two factorizations of one vector ([WES], section I).

/// c = [v1 v2; 0] is what the metric [q2 + 3, q1/2; q1/2, 2] gives.
Tensor3 IntroMetricRates() {
  Tensor3 h(2);
  h(0, 1, 0) = 1;
  h(0, 0, 1) = h(1, 0, 0) = 0.5;
  return h;
}

TEST(Geometry, OneOfTheTwoFactorizationsMixesToAnAdmissibleOne) {
  const Tensor3 h = IntroMetricRates(), s(2);
  for (const double alpha : {1.0, 0.0, 0.5, -0.7}) {
    Tensor3 Gamma(2);  // of α·C_a + (1 − α)·C_b, C_a = [v2 0; 0 0], C_b = [0 v1; 0 0]
    Gamma(0, 1, 0) = alpha;
    Gamma(0, 0, 1) = 1 - alpha;
    const Vector2d v(0.3, -1.2);
    EXPECT_LE(RelativeError(Contract(Gamma, v) * v, Vector2d(v[0] * v[1], 0)), 1e-15);
    const ConnectionResiduals rest = CalcConnectionResiduals(Gamma, h, s);
    EXPECT_EQ(rest.geodesics, 0);
    EXPECT_DOUBLE_EQ(rest.torsion, std::abs(2 * alpha - 1));
    EXPECT_DOUBLE_EQ(rest.metric, std::abs(2 * alpha - 1));
  }
}

// The sphere: a point mass at the end of a massless rod on two hinges.

constexpr double kRadius = 0.8, kMass = 1.7;

Model SphereModel() {
  ModelBuilder builder;
  const int arm = builder.AddBody("arm", ModelBuilder::kWorld, {},
                                  {kMass, Vector3d(kRadius, 0, 0), Matrix3d::Zero()});
  builder.AddJoint(arm, JointType::kHinge, {.name = "longitude", .axis = {0, 0, 1}});
  builder.AddJoint(arm, JointType::kHinge, {.name = "latitude", .axis = {0, -1, 0}});
  return builder.Build();
}

Vector3d SpherePoint(const VectorXd& q) {
  return kRadius *
         Vector3d(std::cos(q[0]) * std::cos(q[1]), std::sin(q[0]) * std::cos(q[1]), std::sin(q[1]));
}

/// Columns: the point's velocity per unit of each coordinate.
Eigen::Matrix<double, 3, 2> SphereFrame(const VectorXd& q) {
  Eigen::Matrix<double, 3, 2> J;
  J << -std::sin(q[0]) * std::cos(q[1]), -std::cos(q[0]) * std::sin(q[1]),  //
      std::cos(q[0]) * std::cos(q[1]), -std::sin(q[0]) * std::sin(q[1]),    //
      0, std::cos(q[1]);
  return kRadius * J;
}

TEST(Geometry, TransportAroundALatitudeTurnsByItsSine) {
  const Model model = SphereModel();
  const ConnectionFunction connection = ConnectionOf(model, {});
  for (const double latitude : {0.0, 0.4, -1.1}) {
    const CurveFunction circle = [&](double t, VectorXd& q, VectorXd& v) {
      q = Vector2d(t, latitude);
      v = Vector2d(1, 0);
    };
    MatrixXd W = Vector2d(0, 1);  // north
    constexpr int kSteps = 400;
    for (int i = 0; i < kSteps; ++i) {
      EXPECT_TRUE(StepTransport(connection, circle,
                                {.t = 2 * kPi * i / kSteps, .dt = 2 * kPi / kSteps}, W));
    }
    const double angle = 2 * kPi * std::sin(latitude);
    const Vector2d turned(std::sin(angle) / std::cos(latitude), std::cos(angle));
    EXPECT_LE(RelativeError(W, turned), 1e-8) << "latitude " << latitude;
  }
}

TEST(Geometry, GeodesicsOfTheSphereAreGreatCircles) {
  const Model model = SphereModel();
  const ConnectionFunction connection = ConnectionOf(model, {});
  VectorXd q = Vector2d(0.2, -0.6);
  const Vector2d v(0.9, 0.7);
  const Vector3d start = SpherePoint(q), velocity = SphereFrame(q) * v;
  MatrixXd W(2, 2);
  W.col(0) = v;
  W.col(1) = Vector2d(-0.3, 0.5);
  const Vector3d carried = SphereFrame(q) * W.col(1);
  constexpr int kSteps = 300;
  constexpr double kTime = 3;
  for (int i = 0; i < kSteps; ++i)
    EXPECT_TRUE(StepGeodesic(model, connection, kTime / kSteps, q, W));
  const double angle = velocity.norm() * kTime / kRadius;
  const Vector3d along = velocity.normalized(), normal = start.cross(along).normalized();
  const Vector3d end = start * std::cos(angle) + kRadius * along * std::sin(angle);
  EXPECT_LE(RelativeError(SpherePoint(q), end), 1e-8);
  // A transported field keeps its angle to the great circle: it rotates with the circle's plane.
  const Matrix3d R = Eigen::AngleAxisd(angle, normal).toRotationMatrix();
  EXPECT_LE(RelativeError(Vector3d(SphereFrame(q) * W.col(1)), Vector3d(R * carried)), 1e-8);
}

TEST(Geometry, CovariantDerivativeIsTheTangentPartOfTheAmbientOne) {
  const Model model = SphereModel();
  const ConnectionFunction connection = ConnectionOf(model, {});
  const auto q_at = [](double t) { return Vector2d(0.3 + t + t * t, -0.5 + 0.8 * t - t * t); };
  const auto w_at = [](double t) { return Vector2d(std::cos(2 * t), 0.4 - 1.5 * t); };
  const VectorXd q = q_at(0), v = Vector2d(1, 0.8);
  MatrixXd C(2, 2), H(2, 2);
  connection(q, v, {.C = C, .H = H});
  Vector2d derivative;
  ASSERT_TRUE(CovariantDerivative({.C = C, .H = H}, w_at(0), Vector2d(0, -1.5), derivative));
  constexpr double h = 1e-3;
  const auto ambient = [&](double t) { return Vector3d(SphereFrame(q_at(t)) * w_at(t)); };
  const Vector3d rate =
      (8 * (ambient(h) - ambient(-h)) - (ambient(2 * h) - ambient(-2 * h))) / (12 * h);
  const Vector3d up = SpherePoint(q) / kRadius;
  const Vector3d tangent = rate - up * up.dot(rate);
  EXPECT_LE(RelativeError(Vector3d(SphereFrame(q) * derivative), tangent), 1e-9);
  EXPECT_GT(std::abs(up.dot(rate)), 0.1);
}

// Free rotation: a body on a ball joint at its centre of mass.

Model RotorModel(const Vector3d& inertia) {
  ModelBuilder builder;
  const int body = builder.AddBody("rotor", ModelBuilder::kWorld, {},
                                   {2.0, Vector3d::Zero(), inertia.asDiagonal()});
  builder.AddJoint(body, JointType::kBall, {.name = "ball"});
  return builder.Build();
}

TEST(Geometry, GeodesicsOfRotationAreEulersEquations) {
  // Axisymmetric: in the body ω rotates about the axis at ((j3 − j1)/j1) ω3, and the angular
  // momentum is constant in the world.
  const Vector3d j(0.4, 0.4, 0.7);
  const Model model = RotorModel(j);
  VectorXd q = model.DefaultPosition();
  const Vector3d w(0.8, 0.1, 1.2);
  for (const double t : {0.0, 1.0, -2.0}) {
    q = model.DefaultPosition();
    MatrixXd W = w;
    for (int i = 0; i < 400; ++i) {
      EXPECT_TRUE(StepGeodesic(model, ConnectionOf(model, Factorization::Torsion(t)), 0.01, q, W));
    }
    const double angle = (j[2] - j[0]) / j[0] * w[2] * 4;
    const Vector3d turned = Eigen::AngleAxisd(angle, Vector3d::UnitZ()) * w;
    EXPECT_LE(RelativeError(W, turned), 1e-7);
    const Matrix3d R = QuaternionToMatrix(Eigen::Vector4d(q));
    EXPECT_LE(RelativeError(Vector3d(R * j.cwiseProduct(Vector3d(W))), j.cwiseProduct(w)), 1e-7);
  }
}

TEST(Geometry, TransportOnRotationsByThreeConnections) {
  // Inertia j·1 is invariant on both sides: ∇_v w = ẇ + ½(1 + 3t) v×w. Along exp(v t) the
  // Riemannian connection rotates a field back by half the angle, t = −⅓ not at all, t = ⅓ by the
  // full angle of the motion, so that the field is constant in the world.
  const Model model = RotorModel(Vector3d::Constant(0.7));
  const Vector3d v(0.5, -1.1, 0.3), w(0.2, 0.6, -0.9);
  for (const double t : {0.0, -1.0 / 3, 1.0 / 3, 1.0}) {
    VectorXd q = model.DefaultPosition();
    MatrixXd W(3, 2);
    W << v, w;
    const ConnectionFunction connection = ConnectionOf(model, Factorization::Torsion(t));
    for (int i = 0; i < 200; ++i) EXPECT_TRUE(StepGeodesic(model, connection, 0.01, q, W));
    EXPECT_LE(RelativeError(Vector3d(W.col(0)), v), 1e-12);
    const Vector3d turned =
        Eigen::AngleAxisd(-0.5 * (1 + 3 * t) * v.norm() * 2, v.normalized()) * w;
    EXPECT_LE(RelativeError(Vector3d(W.col(1)), turned), 1e-7) << "t = " << t;
  }
}

// Any mechanism.

/// q after a unit of time along the geodesic, and the transported fields there.
std::pair<VectorXd, MatrixXd> Follow(const Case& c, const Factorization& factorization,
                                     const MatrixXd& W0, int steps) {
  const ConnectionFunction connection = ConnectionOf(c.model, factorization);
  VectorXd q = c.q;
  MatrixXd W = W0;
  for (int i = 0; i < steps; ++i) EXPECT_TRUE(StepGeodesic(c.model, connection, 1.0 / steps, q, W));
  return {q, W};
}

TEST(Geometry, StepsOfAGeodesicAreOfFourthOrderAndKeepTheMetric) {
  for (const unsigned seed : {1u, 4u}) {
    const Case c = MakeCase(seed, {.bodies = 4});
    std::mt19937 random(seed);
    Factorization factorization = Factorization::Torsion(0.7);
    factorization.joint_injections = {
        {.beta = 0.2, .S = RandomS(c.model.nv(), &random), .file = "S.csv"}};
    MatrixXd W(c.model.nv(), 3);
    for (int k = 0; k < 3; ++k) W.col(k) = 0.5 * RandomVector(c.model.nv(), &random);
    const auto [q_true, W_true] = Follow(c, factorization, W, 480);
    std::array<double, 2> position_errors, field_errors;
    for (size_t i = 0; i < 2; ++i) {
      const auto [q, fields] = Follow(c, factorization, W, i == 0 ? 30 : 60);
      VectorXd gap(c.model.nv());
      DifferencePosition(c.model, q, q_true, gap);
      position_errors[i] = gap.norm();
      field_errors[i] = (fields - W_true).norm();
    }
    const double slack = 0.5;  // tolerance on the order
    ASSERT_GT(position_errors[1], 1e-13);
    EXPECT_NEAR(std::log2(position_errors[0] / position_errors[1]), 4, slack) << "seed " << seed;
    EXPECT_NEAR(std::log2(field_errors[0] / field_errors[1]), 4, slack) << "seed " << seed;
    const MatrixXd before = W.transpose() * CalcCoreDynamics(c.model, c.q, W.col(0)).H * W;
    const MatrixXd after =
        W_true.transpose() * CalcCoreDynamics(c.model, q_true, W.col(0)).H * W_true;
    EXPECT_LE(RelativeError(after, before), 1e-9) << "seed " << seed;
  }
}

// Submanifolds: an arm of three hinges held on q = f(y).

Model ArmModel() {
  ModelBuilder builder;
  int parent = ModelBuilder::kWorld;
  for (int i = 0; i < 3; ++i) {
    const Vector3d inertia(0.02, 0.05, 0.04);
    parent = builder.AddBody("link" + std::to_string(i), parent,
                             {Matrix3d::Identity(), {i ? 0.5 : 0, 0, 0.1}},
                             {1.0 + i, Vector3d(0.2, 0.05, 0), inertia.asDiagonal()});
    builder.AddJoint(parent, JointType::kHinge,
                     {.name = "q" + std::to_string(i),
                      .axis = i == 1 ? Vector3d(0, 1, 0) : Vector3d(0.2, 0, 1)});
  }
  return builder.Build();
}

VectorXd Embed(const VectorXd& y) {
  return Vector3d(y[0], 0.5 * y[0] * y[0] + y[1], std::sin(y[0]) * y[1]);
}
MatrixXd EmbeddingFrame(const VectorXd& y) {
  MatrixXd A(3, 2);
  A << 1, 0, y[0], 1, std::cos(y[0]) * y[1], std::sin(y[0]);
  return A;
}

TEST(Geometry, ProjectingTheRiemannianConnectionGivesTheRiemannianOne) {
  const Model model = ArmModel();
  Workspace<double> workspace(model);
  const Vector2d y(0.6, -0.9);
  const MatrixXd A = EmbeddingFrame(y);
  std::array<MatrixXd, 2> A_rates = {MatrixXd::Zero(3, 2), MatrixXd::Zero(3, 2)};
  A_rates[0](1, 0) = 1;
  A_rates[0](2, 0) = -std::sin(y[0]) * y[1];
  A_rates[0](2, 1) = A_rates[1](2, 0) = std::cos(y[0]);
  const auto metric = [&](const VectorXd& at) {
    const MatrixXd frame = EmbeddingFrame(at);
    return MatrixXd(frame.transpose() * CalcCoreDynamics(model, Embed(at), Vector3d::Zero()).H *
                    frame);
  };
  Tensor3 rates(2);
  constexpr double h = 1e-3;
  for (int b = 0; b < 2; ++b) {
    const Vector2d e = h * Vector2d::Unit(b);
    rates.Direction(b) =
        (8 * (metric(y + e) - metric(y - e)) - (metric(y + 2 * e) - metric(y - 2 * e))) / (12 * h);
  }
  const MatrixXd H = CalcCoreDynamics(model, Embed(y), Vector3d::Zero()).H;
  const Tensor3 Gamma = CalcConnection(model, {}, Embed(y), workspace);
  const Tensor3 projected = ProjectConnection(Gamma, H, A, A_rates);
  EXPECT_LE((projected - KoszulConnection(rates, Tensor3(2))).MaxAbs(), 1e-9);
  EXPECT_GT(projected.MaxAbs(), 0.1);
  // With torsion in three dimensions the projection to two loses it; without Ȧ it is no
  // connection.
  const Tensor3 twisted = ProjectConnection(
      CalcConnection(model, Factorization::Torsion(1), Embed(y), workspace), H, A, A_rates);
  EXPECT_LE((twisted - projected).MaxAbs(), 1e-14);
  EXPECT_THROW(ProjectConnection(Gamma, H, A, std::span(A_rates).first(1)), ContractError);
}

TEST(Geometry, ChecksItsArguments) {
  EXPECT_THROW(Tensor3(2) - Tensor3(3), ContractError);
  EXPECT_THROW(Contract(Tensor3(2), Vector3d::Zero()), ContractError);
  EXPECT_THROW(Torsion(Tensor3(2), Tensor3(3)), ContractError);
  EXPECT_THROW(KoszulConnection(Tensor3(2), Tensor3(3)), ContractError);
}

}  // namespace geometry_test
}  // namespace civita
