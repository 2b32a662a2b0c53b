#pragma once

#include <cmath>
#include <limits>

#include "civita/spatial.h"
#include "civita/types.h"

// Decompositions of small dense matrices in place, for any scalar: least squares by Householder
// reflections, and H = LLᵀ. Eigen's own take scratch from the heap.

namespace civita::internal {

// Loops over numbers, not Eigen's expressions: of three or six rows these take longer to set up
// than to compute.

/// Σ x_i y_i, and y += factor x, of n numbers each.
template <typename T>
CIVITA_INLINE T DotOf(const T* x, const T* y, Eigen::Index n) {
  T sum(0);
  for (Eigen::Index i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}
template <typename T>
CIVITA_INLINE void AddMultiple(T factor, const T* x, T* y, Eigen::Index n) {
  for (Eigen::Index i = 0; i < n; ++i) y[i] += factor * x[i];
}

/// b ← b − τ x (xᵀb), a reflection of n numbers, with x₀ = 1, which is not read.
template <typename T>
CIVITA_INLINE void Reflect(T tau, const T* x, T* b, Eigen::Index n) {
  const T factor = tau * (b[0] + DotOf(x + 1, b + 1, n - 1));
  b[0] -= factor;
  AddMultiple<T>(-factor, x + 1, b + 1, n - 1);
}

/// Reflects column k of A to zero below row k, and with it the columns after it. Below the diagonal
/// the reflection's vector is left, of which the first component is 1. @returns its τ.
template <typename Matrix>
typename Matrix::Scalar ReflectColumn(Eigen::Index k, Matrix& A) {
  using T = typename Matrix::Scalar;
  using std::sqrt;
  const Eigen::Index n = A.rows() - k;
  T* const x = &A(k, k);
  const T below = DotOf(x + 1, x + 1, n - 1), norm = sqrt(x[0] * x[0] + below);
  const T corner = x[0] > T(0) ? -norm : norm, head = x[0] - corner;
  x[0] = corner;
  const T square = head * head + below;
  if (!(square > T(0))) return T(0);
  for (Eigen::Index i = 1; i < n; ++i) x[i] /= head;
  const T tau = T(2) * head * head / square;
  for (Eigen::Index c = k + 1; c < A.cols(); ++c) Reflect<T>(tau, x, &A(k, c), n);
  return tau;
}

/// A = Q R of a matrix with at least as many rows as columns. R stays in the upper triangle, the
/// reflection vectors below it with their τ in `heads`.
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
    T* const x = b.col(c).data();
    for (Eigen::Index k = 0; k < n; ++k) Reflect<T>(heads[k], &A(k, k), x + k, A.rows() - k);
    for (Eigen::Index k = n; k-- > 0;) {
      x[k] /= A(k, k);
      AddMultiple<T>(-x[k], A.col(k).data(), x, k);
    }
  }
}

/// x ← A⁻ᵀx = Q R⁻ᵀx of a square A of full rank.
template <typename T>
void SolveTransposedQrInPlace(const MatrixOut<T>& A, const VectorOut<T>& heads, VectorOut<T> x) {
  const Eigen::Index n = A.cols();
  for (Eigen::Index k = 0; k < n; ++k)
    x[k] = (x[k] - DotOf(A.col(k).data(), x.data(), k)) / A(k, k);
  for (Eigen::Index k = n; k-- > 0;) Reflect<T>(heads[k], &A(k, k), &x[k], n - k);
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
