#pragma once

#include "core/kernels/batch_coriolis.h"

// H⁻¹ by the factor H = LᵀD L of core/dynamics/mass_matrix_cholesky.cc, a state a lane.

namespace civita::kernels::CIVITA_INSTRUCTION_SET {

/// H(i, k) of i on the path to k: column k has them by depth, one after the other. What is put
/// elsewhere is of no account.
struct ByDepth {
  Square M;
  const int* depth;
  CIVITA_INLINE States& operator()(std::ptrdiff_t i, std::ptrdiff_t k) const {
    return M(depth[i], k);
  }
};

/// 1/D_k, for row k of H by depth. Tells of states where D does not stand clear of rounding.
CIVITA_INLINE States InvertPivot(const States& D, const States& rounding, const Batch& batch,
                                 int first, int count) {
  const States inverse = Constant<States>(1) / D, share = rounding * inverse;  // in (0, 1)
  if (__builtin_expect(AllWithin(share - 0.5, 0.5), 1)) return inverse;
  for (int l = 0; l < count; ++l) {
    const bool is_regular = share[l] >= 0 && share[l] < 1;
    if (!is_regular && first + l < *batch.singular) *batch.singular = first + l;
  }
  return inverse;
}

/// From the leaves on, L_ki = H_ki/D_k and H_ij −= L_ki H_kj in the place of H by depth, with 1/D_k
/// for L_kk. Two rows at once where one comes right before the other on a path.
CIVITA_INLINE void Factor(const Tree& tree, const BatchMemory& memory, const Batch& batch,
                          int first, int count) {
  States *const rounding = memory.v, *const none = memory.tau;
  int depths = 0;
  for (int k = 0; k < tree.nv; ++k) depths = tree.depth[k] < depths ? depths : tree.depth[k] + 1;
  for (int k = 0; k < tree.nv; ++k) {
    rounding[k] = (depths * __DBL_EPSILON__) * memory.Z(tree.depth[k], k);
    none[k] = States{};
  }
  for (int n = tree.nv - 1; n >= 0; --n) {
    const int k = tree.order[n], depth = tree.depth[k], p = tree.parent[k];
    States *const x = &memory.Z(0, k), *y = none;
    const States of_x = InvertPivot(x[depth], rounding[k], batch, first, count);
    States of_y = {};
    int i = p, d = depth - 1;
    if (n > 0 && tree.order[n - 1] == p) {
      y = &memory.Z(0, p);
      const States factor = x[d] * of_x;
      for (int e = 0; e < depth; ++e) y[e] -= factor * x[e];
      x[d] = factor;
      of_y = InvertPivot(y[d], rounding[p], batch, first, count);
      y[d--] = of_y;
      i = tree.parent[p];
      --n;
    }
    x[depth] = of_x;
    for (; d >= 0; --d, i = tree.parent[i]) {
      States* const above = &memory.Z(0, i);
      const States a = x[d] * of_x, b = y[d] * of_y;
#pragma GCC unroll 2
      for (int e = 0; e <= d; ++e) above[e] = above[e] - a * x[e] - b * y[e];
      x[d] = a;
      y[d] = b;
    }
  }
}

/// H⁻¹ in the place of L: L H⁻¹ = D⁻¹ L⁻ᵀ is zero below the diagonal, so that a row of H⁻¹ is that
/// of −L times those on the path. Pairs of rows as in Factor.
CIVITA_INLINE void Invert(const Tree& tree, const BatchMemory& memory) {
  const Square Z = memory.Z;
  const int* const order = tree.order;
  States *const a = memory.v, *const b = memory.tau;
  auto* const path = reinterpret_cast<const States**>(memory.v_r);
  for (int n = 0; n < tree.nv; ++n) {
    const int i = order[n], depth = tree.depth[i], next = n + 1 < tree.nv ? order[n + 1] : i;
    const bool is_pair = next != i && tree.parent[next] == i;
    States *const to_i = &Z(0, i), *const to_next = &Z(0, next);
    for (int d = 0; d <= depth; ++d) {
      a[d] = to_i[d];
      b[d] = to_next[d];
    }
    const States pivot = to_next[is_pair ? depth + 1 : 0];
    for (int m = 0; m < n; m += kBlock) {
      int j[kBlock];
      for (int c = 0; c < kBlock; ++c) j[c] = order[m + c < n ? m + c : n - 1];
      States x[kBlock] = {}, y[kBlock] = {};
#pragma GCC unroll 1
      for (int d = 0; d < depth; ++d) {
        const States* const of_path = path[d];
#pragma GCC unroll 4
        for (int c = 0; c < kBlock; ++c) {
          x[c] -= a[d] * of_path[j[c]];
          y[c] -= b[d] * of_path[j[c]];
        }
      }
      for (int c = 0; c < kBlock; ++c) to_i[j[c]] = Z(i, j[c]) = x[c];
      if (!is_pair) continue;
      for (int c = 0; c < kBlock; ++c) to_next[j[c]] = Z(next, j[c]) = y[c] - b[depth] * x[c];
    }
    States x = a[depth], y = {}, z = pivot;
    for (int d = 0; d < depth; ++d) {
      x -= a[d] * path[d][i];
      y -= b[d] * path[d][i];
    }
    to_i[i] = x;
    path[depth] = to_i;
    if (!is_pair) continue;
    for (int d = 0; d < depth; ++d) z -= b[d] * path[d][next];
    to_next[i] = to_i[next] = y - b[depth] * x;
    to_next[next] = z - b[depth] * to_next[i];
    path[depth + 1] = to_next;
    ++n;
  }
}

inline void CalcInverseMassMatrices(const PlanView& plan, double* scratch, const Batch& batch,
                                    int first, int count) {
  const Tree& tree = *plan.tree;
  const BatchMemory memory(tree, scratch, batch.nq);
  CalcMassMatrices(tree, memory, batch, first, count, ByDepth{memory.Z, tree.depth});
  Factor(tree, memory, batch, first, count);
  Invert(tree, memory);
  StoreColumns(memory.Z.data, tree.nv * tree.nv, batch.H, first, count);
}

}  // namespace civita::kernels::CIVITA_INSTRUCTION_SET
