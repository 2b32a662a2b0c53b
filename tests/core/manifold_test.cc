#include "civita/manifold.h"

#include <limits>
#include <numbers>
#include <random>

#include "civita/error.h"
#include "gtest/gtest.h"
#include "tests/oracles/compare.h"
#include "tests/oracles/random_model.h"
#include "tests/oracles/seeds.h"

namespace civita {
namespace manifold_test {

constexpr double kPi = std::numbers::pi;

Eigen::Matrix3d Cross(const Eigen::Vector3d& x) {
  Eigen::Matrix3d m;
  m << 0, -x[2], x[1], x[2], 0, -x[0], -x[1], x[0], 0;
  return m;
}

/// Rotation vectors of every relevant size: zero, where series are used, up to half a turn.
std::vector<Eigen::Vector3d> Rotations() {
  std::mt19937 random(1);
  std::vector<Eigen::Vector3d> all = {Eigen::Vector3d::Zero()};
  for (const double angle : {1e-300, 1e-160, 1e-12, 1e-8, 1.9e-8, 1e-5, 2e-4, 1e-3, 0.0099, 0.0101,
                             0.0999, 0.1001, 0.5, 1.5, 2.5, 3.1, kPi - 1e-3, kPi - 1e-7}) {
    const Eigen::Vector3d axis = RandomVector(3, &random).normalized();
    all.push_back(angle * axis);
  }
  return all;
}

TEST(ManifoldTest, LogUndoesExp) {
  for (const Eigen::Vector3d& e : Rotations()) {
    SCOPED_TRACE(e.norm());
    EXPECT_NEAR(QuaternionExp(e).norm(), 1, 1e-15);
    EXPECT_LE((QuaternionLog(QuaternionExp(e)) - e).norm(), 1e-14 * std::max(e.norm(), 1e-300));
    // The antipodal quaternion of the same rotation, with another length.
    EXPECT_LE((QuaternionLog(-3 * QuaternionExp(e)) - e).norm(), 1e-14);
  }
}

TEST(ManifoldTest, LogTakesQuaternionsOfAnyLength) {
  for (const Eigen::Vector3d& e : Rotations()) {
    for (const double length : {1e-9, 1e-100, 1e9, -1e100}) {
      SCOPED_TRACE(e.norm());
      SCOPED_TRACE(length);
      EXPECT_LE((QuaternionLog(length * QuaternionExp(e)) - e).norm(), 1e-14 * (1 + e.norm()));
    }
  }
  EXPECT_EQ(QuaternionLog(Eigen::Vector4d::Zero()), Eigen::Vector3d::Zero());
  EXPECT_NEAR(QuaternionLog(Eigen::Vector4d(7e-10, 7e-10, 0, 0)).x(), kPi / 2, 1e-15);
}

TEST(ManifoldTest, ExpIsTheExponentialSeries) {
  for (const Eigen::Vector3d& e : Rotations()) {
    SCOPED_TRACE(e.norm());
    Eigen::Matrix3d term = Eigen::Matrix3d::Identity(), series = term;
    for (int n = 1; n < 40; ++n) {
      term = term * Cross(e) / n;
      series += term;
    }
    EXPECT_LE(RelativeError(QuaternionToMatrix<double>(QuaternionExp(e)), series), 1e-14);
  }
}

TEST(ManifoldTest, ProductOfQuaternionsIsTheProductOfRotations) {
  std::mt19937 random(2);
  for (int i = 0; i < 50; ++i) {
    const Eigen::Vector4d a = RandomVector(4, &random), b = RandomVector(4, &random);
    EXPECT_LE(RelativeError(QuaternionToMatrix<double>(QuaternionProduct(a, b)),
                            QuaternionToMatrix<double>(a) * QuaternionToMatrix<double>(b)),
              1e-14);
    EXPECT_LE(RelativeError(QuaternionToMatrix<double>(QuaternionConjugate(a)),
                            QuaternionToMatrix<double>(a).transpose()),
              1e-14);
  }
}

TEST(ManifoldTest, ZeroQuaternionIsTheIdentity) {
  EXPECT_EQ(QuaternionToMatrix<double>(Eigen::Vector4d::Zero()), Eigen::Matrix3d::Identity());
}

/// Only the zero quaternion counts as the identity: NaN must propagate.
TEST(ManifoldTest, NanOfAQuaternionGoesThrough) {
  ModelBuilder builder;
  const int body = builder.AddBody("body", ModelBuilder::kWorld, {},
                                   {1, {0.1, 0.2, 0.3}, Eigen::Matrix3d::Identity()});
  builder.AddJoint(body, JointType::kBall, {.name = "ball"});
  const Model model = builder.Build();
  const Eigen::Vector4d fine(0.5, -0.5, 0.1, 0.7);
  for (int i = 0; i < 4; ++i) {
    SCOPED_TRACE(i);
    Eigen::Vector4d q = fine, next = Eigen::Vector4d::Zero();
    q[i] = std::numeric_limits<double>::quiet_NaN();
    Eigen::Vector3d e = Eigen::Vector3d::Zero();
    EXPECT_TRUE(QuaternionToMatrix<double>(q).array().isNaN().all());
    IntegratePosition(model, q, Eigen::Vector3d::Ones(), 0.1, next);
    EXPECT_TRUE(next.array().isNaN().all());
    DifferencePosition(model, q, fine, e);
    EXPECT_TRUE(e.array().isNaN().all());
    DifferencePosition(model, fine, q, e);
    EXPECT_TRUE(e.array().isNaN().all());
  }
}

TEST(ManifoldTest, RightJacobianIsTheSeries) {
  for (const Eigen::Vector3d& e : Rotations()) {
    SCOPED_TRACE(e.norm());
    // J_r(e) = Σ (−e×)ⁿ/(n+1)!
    Eigen::Matrix3d term = Eigen::Matrix3d::Identity(), series = term;
    for (int n = 1; n < 40; ++n) {
      term = -term * Cross(e) / (n + 1);
      series += term;
    }
    EXPECT_LE(RelativeError(RightJacobian(e), series), 1e-14);
    EXPECT_LE(RelativeError(RightJacobianInverse(e) * series, Eigen::Matrix3d::Identity()), 1e-12);
  }
}

TEST(ManifoldTest, RightJacobianInverseAtHalfATurnIsFinite) {
  const Eigen::Vector3d e = kPi * Eigen::Vector3d(1, 2, -2) / 3;
  EXPECT_LE(RelativeError(RightJacobianInverse(e) * RightJacobian(e), Eigen::Matrix3d::Identity()),
            1e-12);
}

class ManifoldOfTrees : public testing::TestWithParam<unsigned> {
 protected:
  ManifoldOfTrees()
      : spec_(RandomTree(GetParam())), model_(BuildTree(spec_)), random_(GetParam() + 77) {}
  TreeSpec spec_;
  Model model_;
  std::mt19937 random_;
};

TEST_P(ManifoldOfTrees, DifferenceUndoesIntegration) {
  const Eigen::VectorXd q = RandomPosition(spec_, &random_);
  const Eigen::VectorXd v = RandomVector(spec_.nv, &random_);
  Eigen::VectorXd next(spec_.nq), e(spec_.nv);
  IntegratePosition(model_, q, v, 1.7, next);
  DifferencePosition(model_, next, q, e);
  EXPECT_LE(RelativeError(e, 1.7 * v), 1e-14);
}

TEST_P(ManifoldOfTrees, IntegrationUndoesDifference) {
  const Eigen::VectorXd q = RandomPosition(spec_, &random_);
  const Eigen::VectorXd q_d = RandomPosition(spec_, &random_);
  Eigen::VectorXd e(spec_.nv), back(spec_.nq), rest(spec_.nv);
  DifferencePosition(model_, q, q_d, e);
  IntegratePosition(model_, q_d, e, 1, back);
  DifferencePosition(model_, back, q, rest);
  EXPECT_LE(rest.cwiseAbs().maxCoeff(), 1e-14);
}

TEST_P(ManifoldOfTrees, IntegrationInPlaceAndOfUnnormalizedQuaternions) {
  Eigen::VectorXd q = RandomPosition(spec_, &random_);
  const Eigen::VectorXd v = RandomVector(spec_.nv, &random_);
  Eigen::VectorXd expected(spec_.nq), scaled = q;
  IntegratePosition(model_, q, v, 0.2, expected);
  for (const Model::NamedJoint& joint : model_.joints()) {
    if (joint.type == JointType::kBall) scaled.segment<4>(joint.iq) *= 3;
    if (joint.type == JointType::kFree) scaled.segment<4>(joint.iq + 3) *= 0.2;
  }
  IntegratePosition(model_, scaled, v, 0.2, scaled);
  EXPECT_LE(RelativeError(scaled, expected), 1e-14);
  IntegratePosition(model_, q, v, 0.2, q);
  EXPECT_EQ(q, expected);
}

TEST_P(ManifoldOfTrees, JacobiansAreDifferences) {
  const int nv = spec_.nv;
  const double dt = 0.7, h = 1e-5;
  const Eigen::VectorXd q = RandomPosition(spec_, &random_), q_d = RandomPosition(spec_, &random_);
  const Eigen::VectorXd v = 2 * RandomVector(nv, &random_);
  const auto plus = [&](const Eigen::VectorXd& at, const Eigen::VectorXd& by) {
    Eigen::VectorXd next(spec_.nq);
    IntegratePosition(model_, at, by, 1, next);
    return next;
  };
  const auto minus = [&](const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
    Eigen::VectorXd e(nv);
    DifferencePosition(model_, a, b, e);
    return e;
  };
  /// Columns (f(h e_k) − f(−h e_k)) / 2h.
  const auto differences = [&](const auto& f) {
    Eigen::MatrixXd J(nv, nv);
    for (int k = 0; k < nv; ++k) {
      const Eigen::VectorXd step = h * Eigen::VectorXd::Unit(nv, k);
      J.col(k) = (f(step) - f(-step)) / (2 * h);
    }
    return J;
  };
  const auto Nan = [nv] { return Eigen::MatrixXd::Constant(nv, nv, NAN).eval(); };
  Eigen::MatrixXd J_q = Nan(), J_v = Nan();
  CalcIntegratePositionJacobians(model_, v, dt, J_q, J_v);
  const Eigen::VectorXd next = plus(q, dt * v);
  using Step = const Eigen::VectorXd&;
  EXPECT_LE(RelativeError(
                J_q, differences([&](Step d) { return minus(plus(plus(q, d), dt * v), next); })),
            1e-9);
  EXPECT_LE(
      RelativeError(J_v, differences([&](Step d) { return minus(plus(q, dt * (v + d)), next); })),
      1e-9);
  Eigen::MatrixXd D_q = Nan(), D_q_d = Nan();
  CalcDifferencePositionJacobians(model_, q, q_d, D_q, D_q_d);
  EXPECT_LE(RelativeError(D_q, differences([&](Step d) { return minus(plus(q, d), q_d); })), 1e-7);
  EXPECT_LE(RelativeError(D_q_d, differences([&](Step d) { return minus(q, plus(q_d, d)); })),
            1e-7);
}

/// With e = q ⊖ q_d: q_d ⊕ e = q, whose Jacobians undo those of ⊖.
TEST_P(ManifoldOfTrees, JacobiansOfIntegrationUndoThoseOfDifference) {
  const int nv = spec_.nv;
  const Eigen::VectorXd q = RandomPosition(spec_, &random_), q_d = RandomPosition(spec_, &random_);
  Eigen::VectorXd e(nv);
  Eigen::MatrixXd I_q(nv, nv), I_v(nv, nv), D_q(nv, nv), D_q_d(nv, nv);
  DifferencePosition(model_, q, q_d, e);
  CalcIntegratePositionJacobians(model_, e, 1, I_q, I_v);
  CalcDifferencePositionJacobians(model_, q, q_d, D_q, D_q_d);
  EXPECT_LE(RelativeError(I_v * D_q, Eigen::MatrixXd::Identity(nv, nv)), 1e-12);
  EXPECT_LE(RelativeError(I_v * D_q_d, -I_q), 1e-12);
}

TEST_P(ManifoldOfTrees, JacobiansCheckTheirArguments) {
  const int nv = spec_.nv;
  const Eigen::VectorXd q = RandomPosition(spec_, &random_), v = RandomVector(nv, &random_);
  Eigen::MatrixXd A(nv, nv), B(nv, nv), small(nv + 1, nv);
  EXPECT_THROW(CalcIntegratePositionJacobians(model_, q.head(0), 1, A, B), ContractError);
  EXPECT_THROW(CalcIntegratePositionJacobians(model_, v, 1, A, A), ContractError);
  EXPECT_THROW(CalcIntegratePositionJacobians(model_, v, 1, small, B), ContractError);
  EXPECT_THROW(CalcIntegratePositionJacobians(model_, A.col(0), 1, A, B), ContractError);
  EXPECT_THROW(CalcDifferencePositionJacobians(model_, q, q.head(0), A, B), ContractError);
  EXPECT_THROW(CalcDifferencePositionJacobians(model_, q, q, B, B), ContractError);
  EXPECT_THROW(CalcDifferencePositionJacobians(model_, q, q, A, small), ContractError);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ManifoldOfTrees, testing::Range(0u, Seeds(30)));

}  // namespace manifold_test
}  // namespace civita
