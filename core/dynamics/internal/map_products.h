#pragma once

#include <type_traits>

#include "civita/velocity_map.h"
#include "core/dynamics/internal/serve.h"

// Products with matrices nv × nw that are zero outside of the support of a VelocityMap, as A, Ȧ and
// the rates of A along other motions are. No scratch from the heap.

namespace civita::internal {

/// Whether x is this number, and no variable that has its value, as one with a derivative.
template <typename T>
bool IsNumber(const T& x, double number) {
  if constexpr (std::is_floating_point_v<T>) return x == T(number);
  return false;
}

/// Y += X M; without a support M may be of any numbers. The first entries may be left out.
template <typename T>
void AddProductFromLeft(const RowSupport* support, MatrixIn<T> X, const MatrixX<T>& M,
                        MatrixOut<T> Y, size_t first = 0) {
  if (support == nullptr) {
    for (Eigen::Index c = 0; c < M.cols(); ++c) Y.col(c).noalias() += X * M.col(c);
    return;
  }
  const Eigen::Index n = X.rows();
  for (const auto [row, column] : support->entries().subspan(first)) {
    const T m = M(row, column);
    if (IsNumber(m, 0)) continue;  // as of Ȧ where rows of A are constant
    const T* const x = X.col(row).data();
    T* __restrict const y = Y.col(column).data();
    for (Eigen::Index i = 0; i < n; ++i) y[i] += m * x[i];
  }
}

/// y += Mᵀ x.
template <typename T>
void AddTransposedProduct(const RowSupport* support, const MatrixX<T>& M, VectorIn<T> x,
                          VectorOut<T> y) {
  if (support == nullptr) {
    y.noalias() += M.transpose() * x;
    return;
  }
  for (const auto [row, column] : support->entries()) y[column] += M(row, column) * x[row];
}

/// How many of the first entries make an identity of rows of A: all numbers of w, which then are
/// some of v, or none.
template <typename T>
size_t CountUnits(const RowSupport& support, const MatrixX<T>& A) {
  const auto entries = support.entries();
  const auto nw = static_cast<size_t>(A.cols());
  if (entries.size() < nw) return 0;
  for (size_t c = 0; c < nw; ++c) {
    const auto [row, column] = entries[c];
    if (column != static_cast<int>(c) || !IsNumber(A(row, column), 1)) return 0;
  }
  return nw;
}

/// out ← Aᵀ(s C A + H Ȧ), of C̄ and of half the rate of H̄; without C and Ȧ AᵀHA. `products` is
/// scratch of A's size. What A has of the identity is copied, not multiplied.
template <typename T>
void CalcCongruence(const RowSupport* support, const MatrixX<T>& A, const MatrixX<T>* Adot,
                    double s, const Eigen::Ref<const MatrixX<T>>* C, MatrixIn<T> H,
                    MatrixX<T>& products, MatrixOut<T> out) {
  const size_t units = support == nullptr ? 0 : CountUnits(*support, A);
  const Eigen::Ref<const MatrixX<T>>& X = C == nullptr ? H : *C;
  products.resize(A.rows(), A.cols());
  if constexpr (std::is_same_v<T, double>) {
    if (support == nullptr && kernels::CalcCongruence(A, Adot, s, X, H, products, out)) return;
  }
  if (units == 0) products.setZero();
  for (size_t c = 0; c < units; ++c)
    products.col(static_cast<Eigen::Index>(c)) = X.col(support->entries()[c].row);
  AddProductFromLeft<T>(support, X, A, products, units);
  if (s != 1) products *= T(s);
  if (C != nullptr) AddProductFromLeft<T>(support, H, *Adot, products);
  if (units == 0) out.setZero();
  if (support == nullptr) {
    for (Eigen::Index c = 0; c < out.cols(); ++c)
      AddTransposedProduct<T>(support, A, products.col(c), out.col(c));
    return;
  }
  const Eigen::Index n = products.rows(), stride = out.outerStride();
  for (size_t e = 0; e < support->entries().size(); ++e) {
    const auto [row, column] = support->entries()[e];
    const T a = A(row, column), *x = &products(row, 0);
    T* y = &out(column, 0);
    for (Eigen::Index c = 0; c < out.cols(); ++c, x += n, y += stride)
      *y = e < units ? *x : *y + a * *x;
  }
}

}  // namespace civita::internal
