#include "civita/dual.h"

#include <Eigen/LU>
#include <cmath>
#include <sstream>

#include "civita/manifold.h"
#include "gtest/gtest.h"
#include "tests/oracles/compare.h"
#include "tests/oracles/dual_dynamics.h"
#include "tests/oracles/random_case.h"
#include "tests/oracles/slow_dynamics.h"

namespace civita {
namespace dual_test {

TEST(DualTest, DerivativesAreTheClosedForms) {
  const double x = 0.7, y = -1.3;
  const Dual a(x, 2), b(y, -5);
  const auto expect = [](const Dual& result, double value, double derivative) {
    EXPECT_DOUBLE_EQ(result.value, value);
    EXPECT_DOUBLE_EQ(result.derivative, derivative);
  };
  expect(a + b, x + y, -3);
  expect(a - b, x - y, 7);
  expect(-a, -x, -2);
  expect(a * b, x * y, 2 * y - 5 * x);
  expect(a / b, x / y, 2 / y + 5 * x / (y * y));
  expect(sin(a), std::sin(x), 2 * std::cos(x));
  expect(cos(a), std::cos(x), -2 * std::sin(x));
  expect(sqrt(a), std::sqrt(x), 1 / std::sqrt(x));
  expect(abs(a), x, 2);
  expect(abs(b), -y, 5);
  expect(a, x, 2);
  expect(3.0 * a, 3 * x, 6);
  expect(a / 4.0, x / 4, 0.5);
}

TEST(DualTest, AssignmentsComputeWhatTheirOperatorsDo) {
  const Dual a(0.7, 2), b(-1.3, -5);
  const auto same = [](const Dual& x, const Dual& y) {
    EXPECT_EQ(x.value, y.value);
    EXPECT_EQ(x.derivative, y.derivative);
  };
  Dual x = a;
  same(x += b, a + b);
  same(x = a, a);
  same(x -= b, a - b);
  x = a;
  same(x *= x, a * a);
  x = a;
  same(x /= b, a / b);
}

TEST(DualTest, ComparesByValue) {
  EXPECT_TRUE(Dual(1, 2) == Dual(1, 3));
  EXPECT_TRUE(Dual(1, 9) < Dual(2, -9));
  EXPECT_TRUE(Dual(2, 0) >= 2.0);
  EXPECT_FALSE(Dual(NAN, 0) > 0.0);
  EXPECT_FALSE(isfinite(Dual(1, INFINITY)));
  EXPECT_TRUE(isfinite(Dual(1, 1)));
}

TEST(DualTest, PrintsBothParts) {
  std::ostringstream out;
  out << Dual(1.5, -2);
  EXPECT_EQ(out.str(), "1.5 + -2ε");
}

TEST(DualTest, IsAnEigenScalar) {
  const Eigen::VectorXd x = Eigen::Vector3d(0.1, -2, 3), xdot = Eigen::Vector3d(5, 0.5, -1);
  const VectorX<Dual> a = MakeDual(x, xdot);
  EXPECT_EQ(Values(a), x);
  EXPECT_EQ(Derivatives(a), xdot);
  const Dual norm = a.norm();
  EXPECT_DOUBLE_EQ(norm.value, x.norm());
  EXPECT_DOUBLE_EQ(norm.derivative, x.dot(xdot) / x.norm());
  // d(A⁻¹) = −A⁻¹ dA A⁻¹
  const Eigen::Matrix3d A = 3 * Eigen::Matrix3d::Identity() + Skew<double>(Eigen::Vector3d(x));
  Matrix3<Dual> dual = A.cast<Dual>();
  dual.row(1) = a.transpose();
  const Eigen::Matrix3d inverse = Values(dual).inverse();
  const Matrix3<Dual> dual_inverse = dual.inverse();
  EXPECT_LE(RelativeError(Derivatives(dual_inverse), -inverse * Derivatives(dual) * inverse),
            1e-14);
  Eigen::Matrix3d rate = Eigen::Matrix3d::Zero();
  rate.row(1) = xdot.transpose();
  EXPECT_LE(RelativeError(Derivatives(dual), rate), 1e-15);
}

TEST(DualTest, PositionMovesByItsRate) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    const Case c = MakeCase(seed);
    const VectorX<Dual> moved = DualAlong(c.model, c.q, c.v);
    const Eigen::VectorXd rate =
        SlowRate(c.spec, c.q, c.v, [](const Eigen::VectorXd& q) { return q; });
    EXPECT_LE(RelativeError(Values(moved), c.q), 1e-15);
    EXPECT_LE(RelativeError(Derivatives(moved), rate), 1e-10);
  }
}

/// The series near zero and the sines beyond it, both with their derivatives.
TEST(DualTest, ExponentialHasTheDerivativeOfTheRightJacobian) {
  std::mt19937 random(3);
  const Eigen::Vector3d direction = RandomVector(3, &random);
  for (const double angle : {0.0, 1e-12, 1.9e-5, 2.1e-5, 1e-3, 0.3, 3.0}) {
    SCOPED_TRACE(angle);
    const Eigen::Vector3d axis = RandomVector(3, &random).normalized();
    const Eigen::Vector3d e = angle * axis;
    const Vector4<Dual> result = QuaternionExp<Dual>(MakeDual(e, direction));
    Eigen::Vector4d rate;  // ½ exp(e) ∘ [0; J_r(e) ė]
    rate << 0, 0.5 * RightJacobian(e) * direction;
    EXPECT_LE(RelativeError(Values(result), QuaternionExp(e)), 1e-15);
    EXPECT_LE(RelativeError(Derivatives(result), QuaternionProduct(QuaternionExp(e), rate)), 1e-14);
  }
}

}  // namespace dual_test
}  // namespace civita
