#pragma once

#include <cmath>
#include <limits>

#include "civita/types.h"

// H = LLᵀ of small dense matrices, in place, for any scalar: Eigen's own takes scratch from the
// heap.

namespace civita::internal {

/// The lower triangle of H (n × n) ← L, of which the upper one is not read. @returns whether H is
/// positive definite to working precision.
template <typename T>
[[nodiscard]] bool FactorCholesky(MatrixOut<T> H) {
  using std::sqrt;
  const Eigen::Index n = H.rows();
  const T rounding = T(static_cast<double>(n) * std::numeric_limits<double>::epsilon());
  for (Eigen::Index k = 0; k < n; ++k) {
    const T diagonal = H(k, k);
    for (Eigen::Index j = 0; j < k; ++j) {
      H.col(k).tail(n - k) -= H(k, j) * H.col(j).tail(n - k);
    }
    if (!(H(k, k) > rounding * diagonal)) return false;
    H(k, k) = sqrt(H(k, k));
    H.col(k).tail(n - k - 1) /= H(k, k);
  }
  return true;
}

/// x ← H⁻¹ x for every column of x (n rows), by the factor.
template <typename T>
void SolveCholeskyInPlace(const MatrixX<T>& L, MatrixOut<T> x) {
  const Eigen::Index n = L.rows();
  for (Eigen::Index c = 0; c < x.cols(); ++c) {
    for (Eigen::Index k = 0; k < n; ++k) {
      x(k, c) /= L(k, k);
      x.col(c).tail(n - k - 1) -= x(k, c) * L.col(k).tail(n - k - 1);
    }
    for (Eigen::Index k = n; k-- > 0;) {
      x(k, c) = (x(k, c) - L.col(k).tail(n - k - 1).dot(x.col(c).tail(n - k - 1))) / L(k, k);
    }
  }
}

}  // namespace civita::internal
