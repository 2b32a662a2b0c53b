#pragma once

#include "core/kernels/composites.h"

namespace civita::kernels::CIVITA_INSTRUCTION_SET {

/// Φ, composite inertia I^C, momentum F2 = I^C Φ and factor B̃ = B(Φ, I^C) of every slot.
CIVITA_INLINE void CalcCompositeFactors(const PlanView& plan, const Memory& memory,
                                        const double* q) {
  CalcCompositeInertias(plan, memory, q);
  for (int b = 0; b < NumPacks(plan); ++b) {
    Composites& x = memory.composites[b];
    x.B = ChristoffelFactor(x.J, memory.columns[b].Phi);
  }
}

/// B̃ Φ, of a pack of factors or of columns.
CIVITA_INLINE Force<Pack> operator*(const CoriolisFactor<Pack>& B, const Motion<Pack>& Phi) {
  return {B.B11 * Phi.w, Cross(Phi.w, B.f)};
}

/// Numbers of one slot, from those of a pack.
CIVITA_INLINE V3<double> LaneV3(const double* x) { return {x[0], x[kWidth], x[2 * kWidth]}; }
CIVITA_INLINE Motion<double> PhiOf(const Memory& memory, int slot) {
  const double* x = LaneOf(memory.columns, slot);
  return {LaneV3(x), LaneV3(x + 3 * kWidth)};
}
CIVITA_INLINE Inertia<double> InertiaOf(const Memory& memory, int slot) {
  const double* x = LaneOf(memory.composites, slot);
  const auto number = [x](int a) { return x[kWidth * a]; };
  return {number(0),
          {number(1), number(2), number(3)},
          {number(4), number(5), number(6), number(7), number(8), number(9)}};
}

CIVITA_INLINE V3<Pack> Broadcast(const V3<double>& x) {
  return {Broadcast(x.x), Broadcast(x.y), Broadcast(x.z)};
}
CIVITA_INLINE Motion<Pack> Broadcast(const Motion<double>& x) {
  return {Broadcast(x.w), Broadcast(x.u)};
}
CIVITA_INLINE Force<Pack> Broadcast(const Force<double>& x) {
  return {Broadcast(x.n), Broadcast(x.f)};
}

// ---- dense ----

/// The dense tensor by slots: rows in their order, columns where they belong.
struct TensorView {
  double* data;
  std::ptrdiff_t n;
  const int* iv;
  CIVITA_INLINE double* column(int j, int k) const { return data + n * (iv[j] + n * iv[k]); }
};

/// How many columns of the tensor are computed together: as many as leave registers for the rest.
constexpr int kTogether = kWidth / 2;

/// Six numbers each of kCount slots, in all lanes.
template <int kCount>
struct Sixes {
  Pack x[6][kCount];

  CIVITA_INLINE explicit Sixes(const double* lane) {
    for (int a = 0; a < 6; ++a) {
      for (int s = 0; s < kCount; ++s) x[a][s] = Broadcast(lane[a * kWidth + s]);
    }
  }
  /// Products with six numbers of a pack of slots.
  CIVITA_INLINE void Dot(const Pack* y, Pack* products) const {
    const Pack y0 = y[0];
    for (int s = 0; s < kCount; ++s) products[s] = x[0][s] * y0;
    for (int a = 1; a < 6; ++a) {
      const Pack ya = y[a];
      for (int s = 0; s < kCount; ++s) products[s] += x[a][s] * ya;
    }
  }
};

/// Γ_ijk = Γ_ikj of one j, all i, and kCount slots k of one pack that j moves (or is): Φ_iᵀ B̃_k Φ_j
/// where i moves k, −Φ_kᵀ B̃_i Φ_j where k moves i. memory.forces holds B̃ Φ_j.
template <int kCount>
CIVITA_INLINE void CalcSymbols(const PlanView& plan, const Memory& memory, int j, int k,
                               const TensorView& Gamma) {
  const int n = plan.n, K = k / kWidth;
  const Relations relations(plan);
  double *columns[kCount], *mirrors[kCount];
  for (int s = 0; s < kCount; ++s) {
    columns[s] = Gamma.column(j, k + s);
    mirrors[s] = Gamma.column(k + s, j);
  }
  const auto store = [&](int pack, int s, const Pack& x) {
    const int i = pack * kWidth;
    StoreSome(columns[s] + i, x, n - i);
    StoreSome(mirrors[s] + i, x, n - i);
  };
  Pack x[kCount], y[kCount];
  const Sixes<kCount> F_k(LaneOf(memory.forces, k));
  for (int I = 0; I < K; ++I) {
    F_k.Dot(&memory.columns[I].Phi.w.x, x);
    for (int s = 0; s < kCount; ++s) store(I, s, And(x[s], MaskOf(relations.Before(I, k + s))));
  }
  F_k.Dot(&memory.columns[K].Phi.w.x, x);
  const Sixes<kCount> Phi_k(LaneOf(memory.columns, k));
  Phi_k.Dot(&memory.forces[K].n.x, y);
  for (int s = 0; s < kCount; ++s) {
    const Pack before = And(x[s], MaskOf(relations.Before(K, k + s)));
    store(K, s, Select(MaskOf(relations.After(K, k + s)), -y[s], before));
  }
  for (int I = K + 1; I * kWidth < n; ++I) {
    Phi_k.Dot(&memory.forces[I].n.x, y);
    for (int s = 0; s < kCount; ++s) store(I, s, And(-y[s], MaskOf(relations.After(I, k + s))));
  }
}

CIVITA_INLINE void SetZero(double* p, int count) {
  for (int i = 0; i < count; i += kWidth) StoreSome(p + i, Pack{}, count - i);
}

/// Columns Γ_ijk of one k, of all j that neither move k nor are moved by it.
CIVITA_INLINE void SetUnrelated(const PlanView& plan, int k, const TensorView& Gamma) {
  for (int j = plan.end[k]; j < plan.n; ++j) SetZero(Gamma.column(j, k), plan.n);
  for (int moved = k; moved >= 0; moved = plan.parent[moved]) {
    for (int j = plan.parent[moved] + 1; j < moved; ++j) SetZero(Gamma.column(j, k), plan.n);
  }
}

/// Γ_ikj += Φ_iᵀ I^C (Φ_k × Φ_j) where i moves k, (Φ_k × Φ_j)ᵀ I^C Φ_i where k moves i: what j
/// moves k adds, for j before k in one triple of rotations.
CIVITA_INLINE void AddBracket(const PlanView& plan, const Memory& memory, int j, int k,
                              double* column) {
  const Motion<double> bracket = Cross(PhiOf(memory, k), PhiOf(memory, j));
  const Motion<Pack> b = Broadcast(bracket);
  const Force<Pack> F = Broadcast(InertiaOf(memory, k) * bracket);
  const Relations relations(plan);
  for (int I = 0; I < NumPacks(plan); ++I) {
    const Columns& i = memory.columns[I];
    const Pack x = Select(MaskOf(relations.After(I, k)), Dot(b, i.F2),
                          And(Dot(i.Phi, F), MaskOf(relations.Before(I, k))));
    double* p = column + I * kWidth;
    StoreSome(p, LoadUnaligned(p) + x, plan.n - I * kWidth);
  }
}

/// A constant metric a·1 on rates with [e_j, e_k] = ε_jkl e_l has Γ_ijk = ½ a ε_ijk.
CIVITA_INLINE void AddTriples(const PlanView& plan, const Memory& memory, const TensorView& Gamma) {
  for (int s = 0; s < plan.num_triples; ++s) {
    const int triple = plan.triples[s];
    for (int k = triple + 1; k < triple + 3; ++k) {
      for (int j = triple; j < k; ++j) AddBracket(plan, memory, j, k, Gamma.column(k, j));
    }
    const double half = 0.5 * plan.armature[triple];
    for (int a = 0; a < 3; ++a) {
      const int i = triple + a, j = triple + (a + 1) % 3, k = triple + (a + 2) % 3;
      Gamma.column(j, k)[i] += half;
      Gamma.column(k, j)[i] -= half;
    }
  }
}

/// From the order of slots to that of coordinates.
CIVITA_INLINE void PermuteRows(const PlanView& plan, double* column, double* buffer) {
  for (int i = 0; i < plan.n; ++i) buffer[i] = column[i];
  for (int i = 0; i < plan.n; ++i) column[plan.iv[i]] = buffer[i];
}

inline void CalcChristoffelSymbols(const PlanView& plan, double* scratch, const double* q,
                                   double* Gamma) {
  const Memory memory(plan, scratch);
  const TensorView tensor = {Gamma, plan.n, plan.iv};
  CalcCompositeFactors(plan, memory, q);
  for (int j = 0; j < plan.n; ++j) {
    const int end = plan.end[j];
    const Motion<Pack> Phi_j = Broadcast(PhiOf(memory, j));
    for (int I = j / kWidth; I * kWidth < end; ++I) {
      memory.forces[I] = memory.composites[I].B * Phi_j;
    }
    int k = j;
    for (; k % kTogether != 0 && k < end; ++k) CalcSymbols<1>(plan, memory, j, k, tensor);
    for (; k + kTogether <= end; k += kTogether) {
      CalcSymbols<kTogether>(plan, memory, j, k, tensor);
    }
    for (; k < end; ++k) CalcSymbols<1>(plan, memory, j, k, tensor);
    SetUnrelated(plan, j, tensor);
  }
  AddTriples(plan, memory, tensor);
  if (plan.identity_order) return;
  for (int c = 0; c < plan.n * plan.n; ++c) PermuteRows(plan, Gamma + c * tensor.n, memory.rows);
}

// ---- the packed form (core/christoffel_layout.h) ----

/// Depth-first, the path to a slot is the path to the one before it with its end exchanged.
CIVITA_INLINE void PutOnPath(const double* Phi, int place, Motion<Pack>* path) {
  double* x = reinterpret_cast<double*>(&path[place / kWidth]) + place % kWidth;
  for (int a = 0; a < 6; ++a) x[kWidth * a] = Phi[kWidth * a];
}

/// The factor B̃ of one slot in all lanes.
CIVITA_INLINE CoriolisFactor<Pack> BroadcastFactor(const Memory& memory, int slot) {
  const double* B = LaneOf(memory.composites, slot) + 10 * kWidth;
  const auto number = [B](int a) { return Broadcast(B[kWidth * a]); };
  return {{{number(0), number(1), number(2), number(3), number(4), number(5), number(6), number(7),
            number(8)}},
          {number(9), number(10), number(11)}};
}

/// The square x_ij = Φ_iᵀ B̃_k Φ_j of the path to slot k, by columns. Packs of rows go from the last
/// to the first, so that what the last one writes too much in a column is overwritten by the next.
CIVITA_INLINE void CalcPathSquare(const Memory& memory, int k, int depth, double* square) {
  const CoriolisFactor<Pack> B = BroadcastFactor(memory, k);
  const int packs = (depth + kWidth - 1) / kWidth;
  for (int t = 0; t < packs; ++t) memory.forces[t] = B * memory.path[t];
  for (int t = packs - 1; t >= 0; --t) {
    const Motion<Pack> Phi = memory.path[t];
    double* out = square + kWidth * t;
    for (int e = 0; e < depth; ++e, out += depth) {
      const int left = depth * (depth - e) - kWidth * t;  // of the square
      StoreSome(out, Dot(Phi, BroadcastLane(memory.forces, e)), left);
    }
  }
}

/// After the square: Γ_ikj for the rotations j before k in its own triple, a column each; then
/// Γ_kji = −x_ji + (Φ_j × Φ_i)ᵀ I^C Φ_k for all i before j before k of one triple. @returns the
/// end.
CIVITA_INLINE double* SetTriples(const PlanView& plan, const Memory& memory, int k, int depth,
                                 double* square) {
  double* end = square + depth * depth;
  for (int s = 0; s < plan.num_triples; ++s) {
    const int triple = plan.triples[s];
    for (int j = triple; triple + 3 > k && triple <= k && j < k; ++j) {
      const Force<Pack> F =
          Broadcast(InertiaOf(memory, k) * Cross(PhiOf(memory, k), PhiOf(memory, j)));
      const double* x = square + (plan.depth[j] - 1) * depth;
      for (int d = 0; d < depth; d += kWidth) {
        const Pack sum = Dot(memory.path[d / kWidth], F);
        for (int l = 0; l < kWidth && d + l < depth; ++l) end[d + l] = x[d + l] + sum[l];
      }
      end += depth;
    }
  }
  for (int s = 0; s < plan.num_triples; ++s) {
    const int triple = plan.triples[s];
    if (k <= triple || k >= plan.end[triple]) continue;
    for (int j = triple + 1; j < triple + 3 && j < k; ++j) {
      for (int i = triple; i < j; ++i) {
        const double x = square[(plan.depth[i] - 1) * depth + plan.depth[j] - 1];
        const Motion<double> b = Cross(PhiOf(memory, j), PhiOf(memory, i));
        const double* f = LaneOf(memory.columns, k) + 18 * kWidth;
        *end++ = Dot(b, Force<double>{LaneV3(f), LaneV3(f + 3 * kWidth)}) - x;
      }
    }
  }
  return end;
}

/// Armature: the five numbers ±½a in the block of a triple's last rotation, which ends with the
/// triple's own pair.
CIVITA_INLINE void AddPackedArmature(double half, int depth, double* square, double* end) {
  const int first = depth - 3, second = depth - 2;
  square[second * depth + first] += half;
  square[first * depth + second] -= half;
  double* own = square + depth * depth;
  own[second] += half;
  own[depth + first] -= half;
  end[-1] -= half;
}

inline void CalcPackedChristoffelSymbols(const PlanView& plan, double* scratch, const double* q,
                                         double* packed) {
  const Memory memory(plan, scratch);
  CalcCompositeFactors(plan, memory, q);
  for (int k = 0; k < plan.n; ++k) {
    const int depth = plan.depth[k];
    PutOnPath(LaneOf(memory.columns, k), depth - 1, memory.path);
    CalcPathSquare(memory, k, depth, packed);
    double* square = packed;
    packed += depth * depth;
    if (plan.num_triples == 0) continue;
    packed = SetTriples(plan, memory, k, depth, square);
    for (int s = 0; s < plan.num_triples; ++s) {
      if (k == plan.triples[s] + 2) {
        AddPackedArmature(0.5 * plan.armature[k], depth, square, packed);
      }
    }
  }
}

}  // namespace civita::kernels::CIVITA_INSTRUCTION_SET
