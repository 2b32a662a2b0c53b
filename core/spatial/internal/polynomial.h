#pragma once

#include <array>
#include <cstddef>

namespace civita::internal {

/// p = Σ_n c_n xⁿ and its first three derivatives at x.
template <typename T>
std::array<T, 4> EvaluatePolynomial(const std::array<double, 5>& c, const T& x) {
  std::array<T, 4> p{T(0), T(0), T(0), T(0)};
  for (std::size_t n = c.size(); n-- > 0;) {
    p[3] = p[3] * x + T(3) * p[2];
    p[2] = p[2] * x + T(2) * p[1];
    p[1] = p[1] * x + p[0];
    p[0] = p[0] * x + T(c[n]);
  }
  return p;
}

}  // namespace civita::internal
