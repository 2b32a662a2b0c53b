#pragma once

#include <cmath>
#include <limits>

#include "civita/types.h"

// Least squares by Householder reflections, in place, for the small matrices of loops: Eigen's own
// take scratch from the heap.

namespace civita::internal {

/// A = Q R of a matrix with at least as many rows as columns. R stays in the upper triangle, the
/// reflection vectors below it with the first component in `heads`.
template <typename T>
void FactorQr(MatrixOut<T> A, VectorOut<T> heads) {
  using std::sqrt;
  for (Eigen::Index k = 0; k < A.cols(); ++k) {
    auto x = A.col(k).tail(A.rows() - k);
    const T norm = sqrt(x.squaredNorm());
    const T corner = x[0] > T(0) ? -norm : norm;
    heads[k] = x[0] - corner;
    x[0] = heads[k];
    const T square = x.squaredNorm();
    if (square > T(0)) {
      for (Eigen::Index c = k + 1; c < A.cols(); ++c) {
        auto y = A.col(c).tail(A.rows() - k);
        y -= (T(2) * x.dot(y) / square) * x;
      }
    }
    x[0] = corner;
  }
}

/// The first cols(A) rows of b ← the x that minimizes ‖A x − b‖, column by column; the others ← Qᵀ
/// times what is left over.
template <typename T>
void SolveQrInPlace(const MatrixOut<T>& A, const VectorOut<T>& heads, MatrixOut<T> b) {
  const Eigen::Index n = A.cols();
  for (Eigen::Index c = 0; c < b.cols(); ++c) {
    for (Eigen::Index k = 0; k < n; ++k) {
      const auto below = A.col(k).tail(A.rows() - k - 1);
      auto y = b.col(c).tail(A.rows() - k - 1);
      const T square = heads[k] * heads[k] + below.squaredNorm();
      if (!(square > T(0))) continue;
      const T factor = T(2) * (heads[k] * b(k, c) + below.dot(y)) / square;
      b(k, c) -= factor * heads[k];
      y -= factor * below;
    }
    for (Eigen::Index k = n; k-- > 0;) {
      T sum = b(k, c);
      for (Eigen::Index j = k + 1; j < n; ++j) sum -= A(k, j) * b(j, c);
      b(k, c) = sum / A(k, k);
    }
  }
}

/// ‖R⁻¹‖, Frobenius; infinite where R is singular. `column` is scratch of cols(A) numbers.
template <typename T>
T NormOfInverse(const MatrixOut<T>& A, VectorOut<T> column) {
  using std::sqrt;
  T sum(0);
  for (Eigen::Index c = 0; c < A.cols(); ++c) {
    for (Eigen::Index k = c + 1; k-- > 0;) {
      T x = k == c ? T(1) : T(0);
      for (Eigen::Index j = k + 1; j <= c; ++j) x -= A(k, j) * column[j];
      if (A(k, k) == T(0)) return T(HUGE_VAL);
      column[k] = x / A(k, k);
      sum += column[k] * column[k];
    }
  }
  return sqrt(sum);
}

}  // namespace civita::internal
