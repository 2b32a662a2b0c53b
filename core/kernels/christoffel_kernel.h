#pragma once

#include "core/kernels/composites.h"

namespace civita::kernels::CIVITA_INSTRUCTION_SET {

/// Φ, composite inertia I^C, momentum F2 = I^C Φ and factor B̃ = B(Φ, I^C) of every slot.
template <typename Meanwhile = Nothing>
CIVITA_INLINE void CalcCompositeFactors(const PlanView& plan, const Memory& memory, const double* q,
                                        Meanwhile&& meanwhile = {}) {
  CalcCompositeInertias(plan, memory, q, meanwhile);
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

/// The dense tensor by slots: rows in their order, columns where they belong.
struct TensorView {
  double* data;  ///< of row 0 in the first column
  std::ptrdiff_t nv;
  const int* iv;
  CIVITA_INLINE TensorView(const PlanView& plan, double* Gamma)
      : data(Gamma + plan.base), nv(plan.nv), iv(plan.iv) {}
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

/// a_ik of one k and all i, into memory.factors.
CIVITA_INLINE void CalcFactors(const PlanView& plan, const Memory& memory, int k) {
  const Relations relations(plan);
  const int packs = NumPacks(plan), K = k / kWidth;
  const ChristoffelFactor<Pack> B = BroadcastFactor(memory, k);
  const Motion<Pack> Phi = Broadcast(PhiOf(memory.columns, k));
  V3<Pack>* a = memory.factors;
  const auto masked = [](const V3<Pack>& x, unsigned lanes) {
    const LaneMask mask = MaskOf(lanes);
    return V3<Pack>{And(x.x, mask), And(x.y, mask), And(x.z, mask)};
  };
  const auto before = [&](int I) {
    return masked(TransposeTimes(B, memory.columns[I].Phi), relations.Before(I, k));
  };
  const auto after = [&](int I) {
    return masked(V3<Pack>{} - TransposeTimes(memory.composites[I].B, Phi), relations.After(I, k));
  };
  // Without branches, which trees would make hard to predict: the tensor's zeros cost more anyway.
  for (int I = 0; I < K; ++I) a[I] = before(I);
  a[K] = before(K) + after(K);
  for (int I = K + 1; I < packs; ++I) a[I] = after(I);
}

/// Columns Γ_ijk = Γ_ikj of one k and all j on the path to it. kPacks packs of rows, of which a_k
/// stays in registers, or 0: any number.
template <int kPacks>
__attribute__((noinline)) void CalcRelated(const PlanView& plan, const Memory& memory, int k,
                                           const TensorView& Gamma) {
  const int last = (kPacks == 0 ? NumPacks(plan) : kPacks) - 1, count = plan.n - last * kWidth;
  const int* parent = plan.parent;
  const Columns* columns = memory.columns;
  const TensorView tensor = Gamma;
  V3<Pack> kept[kPacks + 1];
#pragma GCC unroll 8
  for (int I = 0; I < kPacks; ++I) {  // number by number, or GCC calls for slow string instructions
    kept[I].x = memory.factors[I].x;
    kept[I].y = memory.factors[I].y;
    kept[I].z = memory.factors[I].z;
  }
  const V3<Pack>* a = kPacks == 0 ? memory.factors : kept;
  const bool floats = plan.base > 0;
  const V3<Quad> translations = floats ? TranslationFactors(plan, memory, k) : V3<Quad>{};
  for (int j = k; j >= 0; j = parent[j]) {
    const V3<Pack> w = Broadcast(PhiOf(columns, j).w);
    double *column = tensor.column(j, k), *mirror = tensor.column(k, j);
    if (floats) {  // the fourth numbers are those of slot 0, which the rows below overwrite
      const Quad x = Dot(translations, V3<Quad>{QuadOf(w.x, 0), QuadOf(w.y, 0), QuadOf(w.z, 0)});
      StoreSome(column - 3, x, 4);
      StoreSome(mirror - 3, x, 4);
    }
    for (int I = 0; I < last; ++I) {
      const Pack x = Dot(a[I], w);
      StoreUnaligned(column + I * kWidth, x);
      StoreUnaligned(mirror + I * kWidth, x);
    }
    const Pack x = Dot(a[last], w);
    StoreSome(column + last * kWidth, x, count);
    StoreSome(mirror + last * kWidth, x, count);
  }
}

CIVITA_INLINE void CalcRelated(const PlanView& plan, const Memory& memory, int k,
                               const TensorView& Gamma) {
  switch (NumPacks(plan)) {
    case 1:
      return CalcRelated<1>(plan, memory, k, Gamma);
    case 2:
      return CalcRelated<2>(plan, memory, k, Gamma);
    case 3:
      return CalcRelated<3>(plan, memory, k, Gamma);
    case 4:
      return CalcRelated<4>(plan, memory, k, Gamma);
    case 5:
      return CalcRelated<5>(plan, memory, k, Gamma);
    case 6:
      return CalcRelated<6>(plan, memory, k, Gamma);
    case 7:
      return CalcRelated<7>(plan, memory, k, Gamma);
    case 8:
      return CalcRelated<8>(plan, memory, k, Gamma);
    default:
      return CalcRelated<0>(plan, memory, k, Gamma);
  }
}

/// The tensor's zeros, of all j and k that do not move one another, a few at a time: how fast a
/// core stores is what bounds the dense tensor, and these need no result, so they are stored while
/// the stages before compute.
class ZeroRuns {
 public:
  CIVITA_INLINE ZeroRuns(const PlanView& plan, double* tensor)
      : tensor_(tensor), run_(plan.zeros), end_(run_ + plan.num_zeros) {}

  CIVITA_INLINE void operator()() { Store(kSome); }
  CIVITA_INLINE void Finish() {
    while (run_ != end_) Store(run_->count);
  }

 private:
  static constexpr std::ptrdiff_t kSome = 128;

  CIVITA_INLINE void Store(std::ptrdiff_t numbers) {
    while (numbers > 0 && run_ != end_) {
      const std::ptrdiff_t left = run_->count - done_, now = left < numbers ? left : numbers;
      __builtin_memset(tensor_ + run_->first + done_, 0, static_cast<size_t>(now) * sizeof(double));
      numbers -= now;
      done_ += now;
      if (now < left) return;
      done_ = 0;
      ++run_;
    }
  }

  double* tensor_;
  const Run *run_, *end_;
  std::ptrdiff_t done_ = 0;  ///< of the run
};

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
  for (int i = 0; i < plan.nv; ++i) buffer[i] = column[i];
  for (int i = 0; i < plan.nv; ++i) column[plan.iv[i - plan.base]] = buffer[i];
}

inline void CalcChristoffelSymbols(const PlanView& plan, double* scratch, const double* q,
                                   double* Gamma) {
  const Memory memory(plan, scratch);
  const TensorView tensor(plan, Gamma);
  ZeroRuns zeros(plan, Gamma);
  CalcCompositeFactors(plan, memory, q, zeros);
  for (int k = 0; k < plan.n; ++k) {
    CalcFactors(plan, memory, k);
    zeros();
    CalcRelated(plan, memory, k, tensor);
  }
  zeros.Finish();
  AddTriples(plan, memory, tensor);
  if (plan.identity_order) return;
  for (int k = 0; k < plan.n; ++k) {  // the other columns are zero
    for (int j = k; j >= 0; j = plan.parent[j]) {
      PermuteRows(plan, tensor.column(j, k) - plan.base, memory.rows);
      if (j != k) PermuteRows(plan, tensor.column(k, j) - plan.base, memory.rows);
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
