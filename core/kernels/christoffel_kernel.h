#pragma once

#include "core/kernels/composites.h"

namespace civita::kernels::CIVITA_INSTRUCTION_SET {

/// Φ, composite inertia I^C, momentum F2 = I^C Φ and factor B̃ = B(Φ, I^C) of every slot.
CIVITA_INLINE void CalcCompositeFactors(const PlanView& plan, const Memory& memory,
                                        const double* q) {
  CalcCompositeInertias(plan, memory, q);
  for (int b = 0; b < NumPacks(plan); ++b) {
    Composites& x = memory.composites[b];
    x.B = CalcChristoffelFactor(x.J, memory.columns[b].Phi);
  }
}

CIVITA_INLINE Inertia<double> InertiaOf(const Memory& memory, int slot) {
  return AtLane(PackOf(memory.composites, slot).J, LaneOf(slot));
}

/// The factor B̃ of one slot in all lanes.
CIVITA_INLINE ChristoffelFactor<Pack> BroadcastFactor(const Memory& memory, int slot) {
  const ChristoffelFactor<Pack>& B = PackOf(memory.composites, slot).B;
  const unsigned lane = LaneOf(slot);
  const auto number = [&B, lane](int a) { return Broadcast(AtLane(B.B11.a[a], lane)); };
  return {{{number(0), number(1), number(2), number(3), number(4), number(5), number(6), number(7),
            number(8)}},
          Broadcast(AtLane(B.f, lane))};
}

// ---- dense ----
// Γ_ijk = Γ_ikj = a_ik · ω_j for every j on the path to k (k included), ω_j the angular part of
// Φ_j. With x_ij = Φ_iᵀ B̃_k Φ_j that is a_ik = B̃_kᵀ Φ_i for i on the path, too, and, as Γ_kij =
// Γ_kji = −x_ji, a_ik = −B̃_iᵀ Φ_k for i further out: three products a symbol. What the rotations of
// one triple have besides is added at the end. The base's translations are among the i only.

/// The dense tensor by slots: rows in their order from −base on, columns where they belong.
struct TensorView {
  double* data;
  std::ptrdiff_t nv;
  const int* iv;
  CIVITA_INLINE TensorView(const PlanView& plan, double* Gamma)
      : data(Gamma), nv(plan.nv), iv(plan.iv) {}
  CIVITA_INLINE double* column(int j, int k) const { return data + nv * (iv[j] + nv * iv[k]); }
};

/// The angular part of B̃ᵀ Φ; the linear one is zero.
CIVITA_INLINE V3<Pack> TransposeTimes(const ChristoffelFactor<Pack>& B, const Motion<Pack>& Phi) {
  return TransposeTimes(B.B11, Phi.w) + Cross(B.f, Phi.u);
}

/// a_ik of one k and the base's translations i, three lanes: f × e_i with the force part f of B̃_k.
CIVITA_INLINE V3<Quad> TranslationFactors(const PlanView& plan, const Memory& memory, int k) {
  if (k >= plan.end[0]) return V3<Quad>{};
  const V3<double> f = AtLane(PackOf(memory.composites, k).B.f, LaneOf(k));
  return V3<Quad>{Quad{0, -f.z, f.y, 0}, Quad{f.z, 0, -f.x, 0}, Quad{-f.y, f.x, 0, 0}};
}

/// a_ik of kFactorSlots slots k and all rows i of the tensor, x, y and z of each k in a row of
/// numbers, zero where i and k do not move one another. Those of all k would take 24 n² bytes.
class Factors {
 public:
  CIVITA_INLINE Factors(const PlanView& plan, const Memory& memory, int first_slot)
      : plan_(plan),
        memory_(memory),
        relations_(plan),
        stride_(Memory::FactorStride(plan)),
        base_(plan.base - 3 * stride_ * first_slot),
        packs_(NumPacks(plan)) {}

  /// As a_ik = −a_ki, products are of i on the path to k, and of i behind all of these k.
  CIVITA_INLINE void Calc(int first_slot) const {
    const int first = first_slot / kWidth, end = first + Memory::kFactorSlots / kWidth;
    for (int K = first; K < packs_ && K < end; ++K) {
      for (int k = K * kWidth; k < (K + 1) * kWidth; ++k) CalcOnPath(k);
      for (int I = first; I < K; ++I) Mirror(I, K);
      MirrorDiagonal(K);
    }
    for (int I = end; I < packs_; ++I) {
      const ChristoffelFactor<Pack> B = memory_.composites[I].B;
      for (int k = first_slot; k < end * kWidth; ++k) {
        const LaneMask mask = MaskOf(relations_.After(I, k));
        const V3<Pack> a = TransposeTimes(B, Broadcast(PhiOf(memory_.columns, k)));
        StoreUnaligned(at(I, k, 0), And(-a.x, mask));
        StoreUnaligned(at(I, k, 1), And(-a.y, mask));
        StoreUnaligned(at(I, k, 2), And(-a.z, mask));
      }
    }
  }

 private:
  CIVITA_INLINE double* at(int I, int k, int axis) const {
    return memory_.factors + (3 * k + axis) * stride_ + base_ + I * kWidth;
  }
  CIVITA_INLINE void CalcOnPath(int k) const {
    if (plan_.base > 0) {  // the fourth numbers are those of slot 0, which are stored next
      const V3<Quad> a = TranslationFactors(plan_, memory_, k);
      StoreSome(at(0, k, 0) - 3, a.x, 4);
      StoreSome(at(0, k, 1) - 3, a.y, 4);
      StoreSome(at(0, k, 2) - 3, a.z, 4);
    }
    const ChristoffelFactor<Pack> B = BroadcastFactor(memory_, k);
    const Columns* const columns = memory_.columns;
    for (int I = 0; I <= k / kWidth; ++I) {
      const LaneMask mask = MaskOf(relations_.Before(I, k));
      const V3<Pack> a = TransposeTimes(B, columns[I].Phi);
      StoreUnaligned(at(I, k, 0), And(a.x, mask));
      StoreUnaligned(at(I, k, 1), And(a.y, mask));
      StoreUnaligned(at(I, k, 2), And(a.z, mask));
    }
  }
  CIVITA_INLINE void LoadMirrored(int I, int K, int axis, Pack* x) const {
    for (int l = 0; l < kWidth; ++l) x[l] = Pack{} - LoadUnaligned(at(I, K * kWidth + l, axis));
    Transpose(x);
  }
  CIVITA_INLINE void Mirror(int I, int K) const {
    for (int axis = 0; axis < 3; ++axis) {
      Pack x[kWidth];
      LoadMirrored(I, K, axis, x);
      for (int l = 0; l < kWidth; ++l) StoreUnaligned(at(K, I * kWidth + l, axis), x[l]);
    }
  }
  CIVITA_INLINE void MirrorDiagonal(int K) const {
    for (int axis = 0; axis < 3; ++axis) {
      Pack x[kWidth];
      LoadMirrored(K, K, axis, x);
      for (int l = 0; l < kWidth; ++l) {
        const int k = K * kWidth + l;
        double* const a = at(K, k, axis);
        StoreUnaligned(a, LoadUnaligned(a) + And(x[l], MaskOf(relations_.After(K, k))));
      }
    }
  }

  const PlanView& plan_;
  // Copies, as stores could change all that they are copies of.
  const Memory memory_;
  const Relations relations_;
  const std::ptrdiff_t stride_, base_;  ///< base_ where those of slot 0 would be
  const int packs_;
};

/// kPacks packs of two equal columns, of which the last has `count` numbers. All of one column are
/// stored before the other's: with stores that go to two places in turn, many of them across two
/// lines of the cache, chain20 took a third longer.
template <int kPacks>
CIVITA_INLINE void StoreTwice(const double* a, std::ptrdiff_t stride, const V3<Pack>& w, int count,
                              double* column, double* mirror) {
  Pack x[kPacks];
#pragma GCC unroll 8
  for (int I = 0; I < kPacks; ++I, a += kWidth) {
    x[I] = Dot(V3<Pack>{Load(a), Load(a + stride), Load(a + 2 * stride)}, w);
  }
  constexpr int kLast = kPacks - 1;
#pragma GCC unroll 8
  for (int I = 0; I < kLast; ++I) StoreUnaligned(column + I * kWidth, x[I]);
  StoreSome(column + kLast * kWidth, x[kLast], count);
#pragma GCC unroll 8
  for (int I = 0; I < kLast; ++I) StoreUnaligned(mirror + I * kWidth, x[I]);
  StoreSome(mirror + kLast * kWidth, x[kLast], count);
}

/// The tensor's zeros, of all j and k that do not move one another: a pack at each end of a run and
/// aligned ones between them.
CIVITA_INLINE void StoreZeros(const PlanView& plan, double* tensor) {
  for (const Run *run = plan.zeros, *end = run + plan.num_zeros; run != end; ++run) {
    double *p = tensor + run->first, *const stop = p + run->count;
    if (run->count < kWidth) {
      for (; p < stop; ++p) *p = 0;
      continue;
    }
    if (run + 1 != end) {  // the first lines of the next one, which no core foresees
      for (int l = 0; l < 8; ++l) __builtin_prefetch(tensor + run[1].first + 8 * l, 1);
    }
    StoreUnaligned(p, Pack{});
    p += kWidth - static_cast<int>(reinterpret_cast<size_t>(p) / sizeof(double) % kWidth);
    for (; p + kWidth <= stop; p += kWidth) {
      StoreUnaligned(p, Pack{});
      asm volatile("");  // or GCC calls memset, which takes longer
    }
    StoreUnaligned(stop - kWidth, Pack{});
  }
}

/// Columns Γ_ijk = Γ_ikj of all k from the first slot to `end` and all j on the path to each,
/// kPacks packs of rows. Unless kSmall, before them eights of packs; and columns stand by a table,
/// as coordinates are in any order: with small models, the loads behind a store whose address waits
/// for a table cost a quarter.
template <int kPacks, bool kSmall>
__attribute__((noinline)) void CalcRelated(const PlanView& plan, const Memory& memory,
                                           int first_slot, int end, double* Gamma) {
  const int nv = plan.nv, count = (nv - 1) % kWidth + 1;
  const std::ptrdiff_t stride = Memory::FactorStride(plan), slab = std::ptrdiff_t{nv} * nv;
  const int *parent = plan.parent, *iv = plan.iv;
  const int base = plan.base;
  const auto at = [iv, base](int slot) { return kSmall ? base + slot : iv[slot]; };
  const Columns* columns = memory.columns;
  const double* first = memory.factors;
  for (int k = first_slot; k < end; ++k, first += 3 * stride) {
    double *const columns_of_k = Gamma + slab * at(k), *const mirrors = Gamma + nv * at(k);
    for (int j = k; j >= 0; j = parent[j]) {
      const V3<Pack> w = Broadcast(PhiOf(columns, j).w);
      const double* a = first;
      double *column = columns_of_k + nv * at(j), *mirror = mirrors + slab * at(j);
      for (int e = kSmall ? 0 : nv - 1; e >= 8 * kWidth; e -= 8 * kWidth) {
        StoreTwice<8>(a, stride, w, kWidth, column, mirror);
        a += 8 * kWidth;
        column += 8 * kWidth;
        mirror += 8 * kWidth;
      }
      StoreTwice<kPacks>(a, stride, w, count, column, mirror);
    }
  }
}

template <bool kSmall>
CIVITA_INLINE auto RelatedOf(const PlanView& plan) {
  constexpr void (*kCalc[8])(const PlanView&, const Memory&, int, int, double*) = {
      CalcRelated<1, kSmall>, CalcRelated<2, kSmall>, CalcRelated<3, kSmall>,
      CalcRelated<4, kSmall>, CalcRelated<5, kSmall>, CalcRelated<6, kSmall>,
      CalcRelated<7, kSmall>, CalcRelated<8, kSmall>};
  return kCalc[(plan.nv - 1) / kWidth % 8];
}

/// Γ_ikj += Φ_iᵀ I^C (Φ_k × Φ_j) where i moves k, (Φ_k × Φ_j)ᵀ I^C Φ_i where k moves i: what j
/// moves k adds, for j before k in one triple of rotations.
CIVITA_INLINE void AddBracket(const PlanView& plan, const Memory& memory, int j, int k,
                              double* column) {
  const Motion<double> bracket = Cross(PhiOf(memory.columns, k), PhiOf(memory.columns, j));
  const Force<double> force = InertiaOf(memory, k) * bracket;
  const Motion<Pack> b = Broadcast(bracket);
  const Force<Pack> F = Broadcast(force);
  const Relations relations(plan);
  for (int I = 0; I < NumPacks(plan); ++I) {
    const Columns& i = memory.columns[I];
    const Pack x = Select(MaskOf(relations.After(I, k)), Dot(b, i.F2),
                          And(Dot(i.Phi, F), MaskOf(relations.Before(I, k))));
    double* p = column + I * kWidth;
    StoreSome(p, LoadUnaligned(p) + x, plan.n - I * kWidth);
  }
  if (plan.base > 0 && k < plan.end[0]) {
    column[-3] += force.f.x;
    column[-2] += force.f.y;
    column[-1] += force.f.z;
  }
}

/// A constant metric a·1 on rates with [e_j, e_k] = ε_jkl e_l has Γ_ijk = ½ a ε_ijk.
CIVITA_INLINE void AddTriples(const PlanView& plan, const Memory& memory, const TensorView& Gamma) {
  for (int s = 0; s < plan.num_triples; ++s) {
    const int triple = plan.triples[s];
    for (int k = triple + 1; k < triple + 3; ++k) {
      for (int j = triple; j < k; ++j)
        AddBracket(plan, memory, j, k, Gamma.column(k, j) + plan.base);
    }
    const double half = 0.5 * plan.armature[triple];
    for (int a = 0; a < 3; ++a) {
      const int i = triple + a, j = triple + (a + 1) % 3, k = triple + (a + 2) % 3;
      Gamma.column(j, k)[plan.base + i] += half;
      Gamma.column(k, j)[plan.base + i] -= half;
    }
  }
}

/// From the order of slots to that of coordinates.
CIVITA_INLINE void PermuteRows(const PlanView& plan, double* column, double* buffer) {
  for (int i = 0; i < plan.nv; ++i) buffer[i] = column[i];
  for (int i = 0; i < plan.nv; ++i) column[plan.iv[i - plan.base]] = buffer[i];
}

inline void CalcChristoffelSymbols(const PlanView& plan, double* scratch, const double* q,
                                   double* Gamma) {
  const Memory memory(plan, scratch);
  const TensorView tensor(plan, Gamma);
  CalcCompositeFactors(plan, memory, q);
  const bool is_small = plan.nv <= 8 * kWidth && plan.identity_order;
  const auto calc_related = is_small ? RelatedOf<true>(plan) : RelatedOf<false>(plan);
  constexpr int kSlots = Memory::kFactorSlots;
  if (plan.n <= kSlots) {  // with a 0 known to the compiler
    Factors(plan, memory, 0).Calc(0);
    calc_related(plan, memory, 0, plan.n, Gamma);
  }
  for (int k = 0; plan.n > kSlots && k < plan.n; k += kSlots) {
    Factors(plan, memory, k).Calc(k);
    calc_related(plan, memory, k, k + kSlots < plan.n ? k + kSlots : plan.n, Gamma);
  }
  StoreZeros(plan, Gamma);
  AddTriples(plan, memory, tensor);
  if (plan.identity_order) return;
  for (int k = 0; k < plan.n; ++k) {  // the other columns are zero
    for (int j = k; j >= 0; j = plan.parent[j]) {
      PermuteRows(plan, tensor.column(j, k), memory.rows);
      if (j != k) PermuteRows(plan, tensor.column(k, j), memory.rows);
    }
  }
}

// ---- the packed form (civita/christoffel_layout.h) ----

/// Depth-first, the path to a slot is the path to the one before it with its end exchanged. Whole
/// packs are written: a load of what was stored in parts would wait until all stores before it are
/// done.
CIVITA_INLINE void PutOnPath(const Motion<double>& Phi, int place, Motion<Pack>* path) {
  const LaneMask lane = MaskOf(1u << LaneOf(place));
  const auto put = [lane](const V3<double>& from, V3<Pack>* to) {
    to->x = Select(lane, Broadcast(from.x), to->x);
    to->y = Select(lane, Broadcast(from.y), to->y);
    to->z = Select(lane, Broadcast(from.z), to->z);
  };
  Motion<Pack>& to = PackOf(path, place);
  put(Phi.w, &to.w);
  put(Phi.u, &to.u);
}

/// Translations of the base on the path to a slot, as rows and columns before the others.
CIVITA_INLINE int TranslationsBefore(const PlanView& plan, int slot) {
  return slot < plan.end[0] ? plan.base : 0;
}

/// The square x_ij = Φ_iᵀ B̃_k Φ_j = (B̃_kᵀ Φ_i) · ω_j of the path to slot k, `rows` by `rows`, by
/// columns. Packs of rows go from the last to the first, so that what the last one writes too much
/// in a column is overwritten by the next.
CIVITA_INLINE void CalcPathSquare(const PlanView& plan, const Memory& memory, int k, int rows,
                                  double* square) {
  const ChristoffelFactor<Pack> B = BroadcastFactor(memory, k);
  const int before = TranslationsBefore(plan, k), depth = rows - before;
  V3<Quad> translations = {};
  if (before > 0) {
    translations = TranslationFactors(plan, memory, k);
    for (int a = 0; a < before * rows; ++a) square[a] = 0;
  }
  for (int t = (depth - 1) / kWidth; t >= 0; --t) {
    const V3<Pack> a = TransposeTimes(B, memory.path[t]);
    double* out = square + before * rows + before + kWidth * t;
    const auto put = [&](int e, int count) {
      const V3<Pack> w = Broadcast(AtLane(PackOf(memory.path, e).w, LaneOf(e)));
      if (t == 0 && before > 0) {  // the fourth number is the first below, which is stored next
        const V3<Quad> w_quad = {QuadOf(w.x, 0), QuadOf(w.y, 0), QuadOf(w.z, 0)};
        StoreSome(out - 3, Dot(translations, w_quad), 4);
      }
      StoreSome(out, Dot(a, w), count);
    };
    int e = 0, left = rows * depth - before - kWidth * t;  // of the square
    for (; left >= kWidth; ++e, out += rows, left -= rows) put(e, kWidth);
    for (; e < depth; ++e, out += rows, left -= rows) put(e, left);
  }
}

/// Φ_j × Φ_i of the rotations i before j of every triple: (0, 1), (0, 2), (1, 2).
CIVITA_INLINE void CalcBrackets(const PlanView& plan, const Memory& memory,
                                Motion<double> (*brackets)[3]) {
  for (int s = 0; s < plan.num_triples; ++s) {
    const int triple = plan.triples[s];
    for (int j = 1; j < 3; ++j) {
      for (int i = 0; i < j; ++i) {
        brackets[s][i + j - 1] =
            Cross(PhiOf(memory.columns, triple + j), PhiOf(memory.columns, triple + i));
      }
    }
  }
}

/// After the square: Γ_ikj for the rotations j before k in its own triple, a column each; then
/// Γ_kji = −x_ji + (Φ_j × Φ_i)ᵀ I^C Φ_k for all i before j before k of one triple. @returns the
/// end.
CIVITA_INLINE double* SetTriples(const PlanView& plan, const Memory& memory,
                                 const Motion<double> (*brackets)[3], int k, int rows,
                                 double* square) {
  const int before = TranslationsBefore(plan, k), depth = rows - before;
  double* end = square + rows * rows;
  for (int s = 0; s < plan.num_triples; ++s) {
    const int triple = plan.triples[s];
    for (int j = triple; triple + 3 > k && triple <= k && j < k; ++j) {
      const Motion<double>& bracket = brackets[s][j + k - 2 * triple - 1];
      const Force<double> force = InertiaOf(memory, k) * bracket;
      const Force<Pack> F = Broadcast(force);
      const double* x = square + (before + plan.depth[j] - 1) * rows;
      const double f[3] = {force.f.x, force.f.y, force.f.z};
      for (int i = 0; i < before; ++i) *end++ = *x++ + f[i];
      for (int d = 0; d < depth; d += kWidth) {
        const Pack sum = Dot(memory.path[d / kWidth], F);
        for (int l = 0; l < kWidth && d + l < depth; ++l) end[d + l] = x[d + l] + sum[l];
      }
      end += depth;
    }
  }
  const Force<double> F2 = AtLane(PackOf(memory.columns, k).F2, LaneOf(k));
  for (int s = 0; s < plan.num_triples; ++s) {
    const int triple = plan.triples[s], first = before + plan.depth[triple] - 1;
    if (k <= triple || k >= plan.end[triple]) continue;
    for (int j = 1; j < 3 && triple + j < k; ++j) {
      for (int i = 0; i < j; ++i) {
        *end++ = Dot(brackets[s][i + j - 1], F2) - square[(first + i) * rows + first + j];
      }
    }
  }
  return end;
}

/// Armature: the five numbers ±½a in the block of a triple's last rotation, which ends with the
/// triple's own pair.
CIVITA_INLINE void AddPackedArmature(double half, int rows, double* square, double* end) {
  const int first = rows - 3, second = rows - 2;
  square[second * rows + first] += half;
  square[first * rows + second] -= half;
  double* own = square + rows * rows;
  own[second] += half;
  own[rows + first] -= half;
  end[-1] -= half;
}

inline void CalcPackedChristoffelSymbols(const PlanView& plan, double* scratch, const double* q,
                                         double* packed) {
  const Memory memory(plan, scratch);
  CalcCompositeFactors(plan, memory, q);
  auto* brackets = reinterpret_cast<Motion<double>(*)[3]>(memory.rows);
  CalcBrackets(plan, memory, brackets);
  for (int rows = 1; rows <= plan.base; ++rows) {
    for (int a = 0; a < rows * rows; ++a) *packed++ = 0;
  }
  for (int k = 0; k < plan.n; ++k) {
    const int depth = plan.depth[k], rows = TranslationsBefore(plan, k) + depth;
    PutOnPath(PhiOf(memory.columns, k), depth - 1, memory.path);
    CalcPathSquare(plan, memory, k, rows, packed);
    double* square = packed;
    packed += rows * rows;
    if (plan.num_triples == 0) continue;
    packed = SetTriples(plan, memory, brackets, k, rows, square);
    for (int s = 0; s < plan.num_triples; ++s) {
      if (k == plan.triples[s] + 2) {
        AddPackedArmature(0.5 * plan.armature[k], rows, square, packed);
      }
    }
  }
}

}  // namespace civita::kernels::CIVITA_INSTRUCTION_SET
