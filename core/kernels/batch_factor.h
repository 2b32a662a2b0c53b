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

/// From the leaves on, L_ki = H_ki/D_k and H_ij −= L_ki H_kj in the place of H by depth, with 1/D_k
/// for L_kk. Tells of states where H is not positive definite.
CIVITA_INLINE void Factor(const Tree& tree, const BatchMemory& memory, const Batch& batch,
                          int first, int count) {
  States* const diagonal = memory.v;
  int depths = 0;
  for (int k = 0; k < tree.nv; ++k) {
    diagonal[k] = memory.Z(tree.depth[k], k);
    depths = tree.depth[k] < depths ? depths : tree.depth[k] + 1;
  }
  for (int n = tree.nv - 1; n >= 0; --n) {
    const int k = tree.order[n], depth = tree.depth[k];
    States* const row = &memory.Z(0, k);
    const States inverse = Constant<States>(1) / row[depth];
    for (int d = depth - 1, i = tree.parent[k]; d >= 0; --d, i = tree.parent[i]) {
      States* const above = &memory.Z(0, i);
      const States factor = row[d] * inverse;
#pragma GCC unroll 2
      for (int e = 0; e <= d; ++e) above[e] -= factor * row[e];
      row[d] = factor;
    }
    row[depth] = inverse;
    // What rounding is of D, in (0, 1) where D stands clear of it.
    const States share = (depths * __DBL_EPSILON__) * diagonal[k] * inverse;
    if (__builtin_expect(AllWithin(share - 0.5, 0.5), 1)) continue;
    for (int l = 0; l < count; ++l) {
      const bool is_regular = share[l] >= 0 && share[l] < 1;
      if (!is_regular && first + l < *batch.singular) *batch.singular = first + l;
    }
  }
}

/// H⁻¹ in the place of L: L H⁻¹ = D⁻¹ L⁻ᵀ is zero below the diagonal, so that a row of H⁻¹ is that
/// of −L times those on the path.
CIVITA_INLINE void Invert(const Tree& tree, const BatchMemory& memory) {
  const Square Z = memory.Z;
  const int* const order = tree.order;
  States* const row = memory.v;
  auto* const path = reinterpret_cast<const States**>(memory.v_r);
  for (int n = 0; n < tree.nv; ++n) {
    const int i = order[n], depth = tree.depth[i];
    States* const column = &Z(0, i);
    for (int d = 0; d <= depth; ++d) row[d] = column[d];
    for (int m = 0; m < n; m += kBlock) {
      int j[kBlock];
      for (int c = 0; c < kBlock; ++c) j[c] = order[m + c < n ? m + c : n - 1];
      States x[kBlock] = {};
#pragma GCC unroll 1
      for (int d = 0; d < depth; ++d) {
        const States* const of_path = path[d];
#pragma GCC unroll 4
        for (int c = 0; c < kBlock; ++c) x[c] -= row[d] * of_path[j[c]];
      }
      for (int c = 0; c < kBlock; ++c) column[j[c]] = Z(i, j[c]) = x[c];
    }
    States x = row[depth];
    for (int d = 0; d < depth; ++d) x -= row[d] * path[d][i];
    column[i] = x;
    path[depth] = column;
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
