#pragma once

// A number type that counts its operations: run with it, the algorithms report their cost.

#include <Eigen/Core>
#include <cmath>
#include <cstdint>

namespace civita {

/// Floating-point operations. Sign changes, comparisons, copies and conversions do not count.
struct Operations {
  std::int64_t additions = 0;  ///< and subtractions
  std::int64_t multiplications = 0;
  std::int64_t divisions = 0;
  std::int64_t roots = 0;
  std::int64_t sines = 0;  ///< and cosines

  /// Every operation counts as one, a sine or cosine as the typical cost of its reduction and
  /// polynomial.
  static constexpr std::int64_t kSineFlops = 20;
  std::int64_t flops() const {
    return additions + multiplications + divisions + roots + kSineFlops * sines;
  }
};

struct Counted {
  double value = 0;

  static inline thread_local Operations operations;  ///< so far in this thread

  Counted() = default;
  Counted(double x) : value(x) {}  // NOLINT(google-explicit-constructor): a constant is a number

  Counted operator-() const { return -value; }
  Counted& operator+=(const Counted& b) { return *this = *this + b; }
  Counted& operator-=(const Counted& b) { return *this = *this - b; }
  Counted& operator*=(const Counted& b) { return *this = *this * b; }
  Counted& operator/=(const Counted& b) { return *this = *this / b; }

  friend Counted operator+(const Counted& a, const Counted& b) {
    return ++operations.additions, Counted(a.value + b.value);
  }
  friend Counted operator-(const Counted& a, const Counted& b) {
    return ++operations.additions, Counted(a.value - b.value);
  }
  friend Counted operator*(const Counted& a, const Counted& b) {
    return ++operations.multiplications, Counted(a.value * b.value);
  }
  friend Counted operator/(const Counted& a, const Counted& b) {
    return ++operations.divisions, Counted(a.value / b.value);
  }

  friend bool operator==(const Counted& a, const Counted& b) { return a.value == b.value; }
  friend auto operator<=>(const Counted& a, const Counted& b) { return a.value <=> b.value; }

  friend Counted sin(const Counted& x) { return ++operations.sines, Counted(std::sin(x.value)); }
  friend Counted cos(const Counted& x) { return ++operations.sines, Counted(std::cos(x.value)); }
  friend Counted sqrt(const Counted& x) { return ++operations.roots, Counted(std::sqrt(x.value)); }
  friend Counted abs(const Counted& x) { return std::abs(x.value); }
  friend bool isfinite(const Counted& x) { return std::isfinite(x.value); }
};

}  // namespace civita

template <>
struct Eigen::NumTraits<civita::Counted> : Eigen::NumTraits<double> {
  using Real = civita::Counted;
  using NonInteger = civita::Counted;
  using Nested = civita::Counted;
  using Literal = civita::Counted;
  enum { RequireInitialization = 1 };
};
