#pragma once

#include <cmath>
#include <limits>

#include "civita/types.h"

// Decompositions of small dense matrices in place, for any scalar: least squares by Householder
// reflections, and H = LLᵀ. Eigen's own take scratch from the heap.

namespace civita::internal {

/// Reflects column k of A to zero below row k, and with it the columns after it. Below the diagonal
/// the reflection's vector is left. @returns the first component of that.
template <typename Matrix>
typename Matrix::Scalar ReflectColumn(Eigen::Index k, Matrix& A) {
  using T = typename Matrix::Scalar;
  using std::sqrt;
  auto x = A.col(k).tail(A.rows() - k);
  const T norm = sqrt(x.squaredNorm());
  const T corner = x[0] > T(0) ? -norm : norm;
  const T head = x[0] - corner;
  x[0] = head;
  const T square = x.squaredNorm();
  if (square > T(0)) {
    for (Eigen::Index c = k + 1; c < A.cols(); ++c) {
      auto y = A.col(c).tail(A.rows() - k);
      y -= (T(2) * x.dot(y) / square) * x;
    }
  }
  x[0] = corner;
  return head;
}

/// A = Q R of a matrix with at least as many rows as columns. R stays in the upper triangle, the
/// reflection vectors below it with the first component in `heads`.
template <typename T>
void FactorQr(MatrixOut<T> A, VectorOut<T> heads) {
  for (Eigen::Index k = 0; k < A.cols(); ++k) heads[k] = ReflectColumn(k, A);
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

/// x ← A⁻ᵀx = Q R⁻ᵀx of a square A of full rank.
template <typename T>
void SolveTransposedQrInPlace(const MatrixOut<T>& A, const VectorOut<T>& heads, VectorOut<T> x) {
  const Eigen::Index n = A.cols();
  for (Eigen::Index k = 0; k < n; ++k) {
    for (Eigen::Index j = 0; j < k; ++j) x[k] -= A(j, k) * x[j];
    x[k] /= A(k, k);
  }
  for (Eigen::Index k = n; k-- > 0;) {
    const auto below = A.col(k).tail(A.rows() - k - 1);
    auto y = x.tail(A.rows() - k - 1);
    const T square = heads[k] * heads[k] + below.squaredNorm();
    if (!(square > T(0))) continue;
    const T factor = T(2) * (heads[k] * x[k] + below.dot(y)) / square;
    x[k] -= factor * heads[k];
    y -= factor * below;
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
