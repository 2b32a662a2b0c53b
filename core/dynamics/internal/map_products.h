#pragma once

#include "civita/error.h"
#include "civita/velocity_map.h"
#include "core/model/internal/tree_tables.h"
#include "core/spatial/internal/tree.h"

// Products with matrices nv × nw that are zero outside of the support of a VelocityMap, as A, Ȧ and
// the rates of A along other motions are. No scratch from the heap.

namespace civita::internal {

/// Y += X M; without a support M may be of any numbers.
template <typename T>
void AddProductFromLeft(const RowSupport* support, MatrixIn<T> X, const MatrixX<T>& M,
                        MatrixOut<T> Y) {
  if (support == nullptr) {
    for (Eigen::Index c = 0; c < M.cols(); ++c) Y.col(c).noalias() += X * M.col(c);
    return;
  }
  for (int k = 0; k < X.cols(); ++k) {
    for (const int p : (*support)[k]) Y.col(p) += M(k, p) * X.col(k);
  }
}

/// out ← Aᵀ(C A + H Ȧ), or without C and Ȧ AᵀHA, of matrices of a tree: entry by entry, without
/// products.
template <typename T>
void CalcTreeCongruence(const RowSupport& support, const MatrixX<T>& A, const MatrixX<T>* Adot,
                        const Eigen::Ref<const MatrixX<T>>* C, MatrixIn<T> H, const Model& tree,
                        MatrixOut<T> out) {
  CIVITA_CHECK(tree.nv() == support.nv(), "the tree has nv = " << tree.nv());
  const auto& parent = TreeOf(tree).parent;
  const auto add = [&](int i, int k) {
    for (const int p : support[k]) {
      const T x = C == nullptr ? H(i, k) * A(k, p) : (*C)(i, k) * A(k, p) + H(i, k) * (*Adot)(k, p);
      if (x == T(0)) continue;  // as of most directions of a connection
      for (const int m : support[i]) out(m, p) += A(i, m) * x;
    }
  };
  out.setZero();
  for (int k = 0; k < support.nv(); ++k) {
    add(k, k);
    for (int i = parent[k]; i >= 0; i = parent[i]) {
      add(i, k);
      add(k, i);
    }
  }
}

}  // namespace civita::internal
