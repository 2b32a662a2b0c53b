#pragma once

#include <Eigen/Core>
#include <cmath>
#include <ostream>

#include "civita/types.h"

namespace civita {

/// Dual number: a value with its derivative along one direction, x + ẋ ε with ε² = 0. An algorithm
/// with this scalar computes its derivative to working precision, without a step size. With q and q̇
/// (IntegratePosition by ε), H(q) gives Ḣ; with v and a unit vector, the bias forces give a column
/// of ∂(C v + g)/∂v. Comparisons use the value alone, so that the derivative is that of the branch
/// taken.
struct Dual {
  double value = 0;       ///< the number
  double derivative = 0;  ///< its derivative by the one variable

  Dual() = default;
  /// A constant: its derivative is 0.
  Dual(double x) : value(x) {}  // NOLINT(google-explicit-constructor): a constant is a number
  /// x with its derivative.
  Dual(double x, double xdot) : value(x), derivative(xdot) {}

  /// Arithmetic of numbers with their derivatives.
  Dual operator-() const { return {-value, -derivative}; }
  Dual& operator+=(const Dual& b) { return *this = *this + b; }
  Dual& operator-=(const Dual& b) { return *this = *this - b; }
  Dual& operator*=(const Dual& b) { return *this = *this * b; }
  Dual& operator/=(const Dual& b) { return *this = *this / b; }

  friend Dual operator+(const Dual& a, const Dual& b) {
    return {a.value + b.value, a.derivative + b.derivative};
  }
  friend Dual operator-(const Dual& a, const Dual& b) {
    return {a.value - b.value, a.derivative - b.derivative};
  }
  friend Dual operator*(const Dual& a, const Dual& b) {
    return {a.value * b.value, a.value * b.derivative + a.derivative * b.value};
  }
  friend Dual operator/(const Dual& a, const Dual& b) {
    const double quotient = a.value / b.value;
    return {quotient, (a.derivative - quotient * b.derivative) / b.value};
  }

  friend bool operator==(const Dual& a, const Dual& b) { return a.value == b.value; }
  friend auto operator<=>(const Dual& a, const Dual& b) { return a.value <=> b.value; }

  friend Dual sin(const Dual& x) { return {std::sin(x.value), std::cos(x.value) * x.derivative}; }
  friend Dual cos(const Dual& x) { return {std::cos(x.value), -std::sin(x.value) * x.derivative}; }
  /// The derivative at 0 is not finite.
  friend Dual sqrt(const Dual& x) {
    const double root = std::sqrt(x.value);
    return {root, 0.5 * x.derivative / root};
  }
  friend Dual abs(const Dual& x) { return x.value < 0 ? -x : x; }
  friend bool isfinite(const Dual& x) {
    return std::isfinite(x.value) && std::isfinite(x.derivative);
  }

  friend std::ostream& operator<<(std::ostream& out, const Dual& x) {
    return out << x.value << " + " << x.derivative << "ε";
  }
};

}  // namespace civita

/// What Eigen asks of a scalar.
template <>
struct Eigen::NumTraits<civita::Dual> : Eigen::NumTraits<double> {
  /// Sums and products of these are such numbers again.
  using Real = civita::Dual;
  using NonInteger = civita::Dual;
  using Nested = civita::Dual;
  using Literal = civita::Dual;
  enum { RequireInitialization = 1, ReadCost = 2, AddCost = 2, MulCost = 4 };
};

namespace civita {

/// Vector of dual numbers x + ẋ ε from its values x and derivatives ẋ, of equal size.
inline VectorX<Dual> MakeDual(const Eigen::Ref<const Eigen::VectorXd>& x,
                              const Eigen::Ref<const Eigen::VectorXd>& xdot) {
  return x.binaryExpr(xdot, [](double a, double b) { return Dual(a, b); });
}

/// Values of a matrix or vector of dual numbers.
template <typename Derived>
auto Values(const Eigen::MatrixBase<Derived>& x) {
  return x.unaryExpr([](const Dual& a) { return a.value; }).eval();
}
/// Derivatives of a matrix or vector of dual numbers.
template <typename Derived>
auto Derivatives(const Eigen::MatrixBase<Derived>& x) {
  return x.unaryExpr([](const Dual& a) { return a.derivative; }).eval();
}

}  // namespace civita
