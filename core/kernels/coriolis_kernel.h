#pragma once

#include "core/kernels/composites.h"

namespace civita::kernels::CIVITA_INSTRUCTION_SET {

/// F1 = I^C Φ̇ + B^C Φ, F2 = I^C Φ, F3 = (B^C)ᵀ Φ, whose force part is zero.
CIVITA_INLINE void CalcPairForces(const Summed& x, Columns* columns) {
  const V3<Pack>&w = columns->Phi.w, &u = columns->Phi.u;
  columns->F1 = x.J * columns->Phidot;
  columns->F2 = x.J * columns->Phi;
  columns->F1.n = columns->F1.n + x.B.B11 * w;
  columns->F1.f = columns->F1.f + Cross(w, x.B.f);
  columns->F3 = TransposeTimes(x.B.B11, w) + Cross(x.B.f, u);
}

/// Φ, Φ̇ and the composites' forces of every slot.
CIVITA_INLINE void CalcColumns(const PlanView& plan, const Memory& memory, const double* q,
                               const double* v) {
  CalcLocals(plan, memory, q);
  ComposeFrames<Carried::kVelocity>(plan, memory, {q, v, nullptr, nullptr});
  const auto row = [&](int pack) { return memory.rows + pack * kWidth * Memory::kRowNumbers; };
  for (int b = 0; b < NumPacks(plan); ++b) {
    const LinkPack link(plan, b);
    const CarriedPack<Carried::kVelocity> f(memory, b);
    Columns& columns = memory.columns[b];
    columns.Phi = CalcPhi(link, f.R(), f.r());
    columns.Phidot = Cross(f.v(), columns.Phi);
    Summed x = {};
    x.J = CalcWorldInertia(link, f.R(), f.r());
    x.B = ChristoffelFactor(x.J, f.v());
    ToRows<Memory::kRowNumbers>(x.numbers(), row(b), Memory::kRowNumbers);
  }
  SumRows<Memory::kRowNumbers>(plan, memory.rows, Memory::kRowNumbers);
  for (int b = 0; b < NumPacks(plan); ++b) {
    Summed x;
    FromRows<Memory::kRowNumbers>(row(b), Memory::kRowNumbers, x.numbers());
    CalcPairForces(x, &memory.columns[b]);
  }
}

/// Two quads of slots, which need not be of one pack.
struct TwoQuads {
  Quad x[2];
};
CIVITA_INLINE TwoQuads operator+(const TwoQuads& a, const TwoQuads& b) {
  return {a.x[0] + b.x[0], a.x[1] + b.x[1]};
}
CIVITA_INLINE TwoQuads operator*(const TwoQuads& a, const TwoQuads& b) {
  return {a.x[0] * b.x[0], a.x[1] * b.x[1]};
}

// A P is a Quad, TwoQuads or a Pack. Load: a number of the slots from `slot` on. Spread: x in all
// lanes.
CIVITA_INLINE void Load(const Columns* columns, int slot, int number, Quad* y) {
  *y = *reinterpret_cast<const Quad*>(LaneOf(columns, slot) + number * kWidth);
}
CIVITA_INLINE void Load(const Columns* columns, int slot, int number, TwoQuads* y) {
  Load(columns, slot, number, &y->x[0]);
  Load(columns, slot + 4, number, &y->x[1]);
}
CIVITA_INLINE void Spread(double x, Quad* y) { *y = x - Quad{}; }
CIVITA_INLINE void Spread(double x, TwoQuads* y) { y->x[0] = y->x[1] = x - Quad{}; }
CIVITA_INLINE Quad QuadOf(Quad x, int) { return x; }
CIVITA_INLINE Quad QuadOf(const TwoQuads& x, int i) { return x.x[i]; }
#ifdef __AVX512F__
CIVITA_INLINE void Load(const Columns* columns, int slot, int number, Pack* y) {
  *y = Load(LaneOf(columns, slot) + number * kWidth);
}
CIVITA_INLINE void Spread(double x, Pack* y) { *y = Broadcast(x); }
CIVITA_INLINE Quad QuadOf(Pack x, int i) {
  return i == 0 ? __builtin_shufflevector(x, x, 0, 1, 2, 3)
                : __builtin_shufflevector(x, x, 4, 5, 6, 7);
}
#endif
template <typename P>
constexpr int kQuads = sizeof(P) / sizeof(Quad);

/// Where Columns has what.
enum Number { kPhi = 0, kPhidot = 6, kF1 = 12, kF2 = 18, kF3 = 24 };

/// Numbers of the slots from `slot` on.
template <template <typename> class Vector, typename P>
CIVITA_INLINE Vector<P> EachSlot(const Columns* columns, int slot, Number first) {
  Vector<P> y;
#pragma GCC unroll 6
  for (int i = 0; i < static_cast<int>(sizeof(y) / sizeof(P)); ++i) {
    Load(columns, slot, first + i, &reinterpret_cast<P*>(&y)[i]);
  }
  return y;
}
/// Those of the slot whose first number is *x, in all lanes.
template <template <typename> class Vector, typename P>
CIVITA_INLINE Vector<P> OneSlot(const double* x, Number first) {
  Vector<P> y;
#pragma GCC unroll 6
  for (int i = 0; i < static_cast<int>(sizeof(y) / sizeof(P)); ++i) {
    Spread(x[(first + i) * kWidth], &reinterpret_cast<P*>(&y)[i]);
  }
  return y;
}

/// Four columns of C and H, from slot K on, by quads of rows, two of them at a time where both are
/// related to the columns, so that what a column's slot has is loaded once for both. Where i moves
/// k, H_ik = H_ki = F2_kᵀ Φ_i and C_ik = F1_kᵀ Φ_i; where k moves i, C_ik = F2_iᵀ Φ̇_k + F3_iᵀ Φ_k.
template <bool kWithC>
class FourColumns {
 public:
  CIVITA_INLINE FourColumns(const PlanView& plan, const Memory& memory, int K, MatrixView C,
                            MatrixView H)
      : before_(plan.before + K),
        after_(plan.after + K),
        stride_(kLanes * plan.blocks),
        armature_(plan.armature + K),
        columns_(memory.columns),
        own_(LaneOf(memory.columns, K)),
        C_(C),
        H_(H),
        n_(plan.n),
        K_(K),
        count_(plan.n - K < 4 ? plan.n - K : 4) {}

  CIVITA_INLINE void Calc() const {
    for (int I = 0; I < K_;) {
      const bool two = AreTwo(before_, I, K_);
      I += two && ArePack(I) ? Above<Pack>(I) : two ? Above<TwoQuads>(I) : Above<Quad>(I);
    }
    Diagonal();
    if (!kWithC) return;
    for (int I = K_ + 4; I < n_;) {
      const bool two = AreTwo(after_, I, n_);
      I += two && ArePack(I) ? Below<Pack>(I) : two ? Below<TwoQuads>(I) : Below<Quad>(I);
    }
  }

 private:
  /// A byte for each column, a bit in it for each of the four rows that is related to it.
  CIVITA_INLINE unsigned Related(const uint8_t* relation, int I) const {
    unsigned bits;
    __builtin_memcpy(&bits, relation + I / kLanes * stride_, sizeof(bits));
    return bits >> I % kLanes & 0x0f0f0f0fu;
  }
  CIVITA_INLINE bool AreTwo(const uint8_t* relation, int I, int end) const {
    return I + 4 < end && Related(relation, I) != 0 && Related(relation, I + 4) != 0;
  }
  static CIVITA_INLINE bool ArePack(int I) { return kWidth > 4 && I % kWidth == 0; }
  static CIVITA_INLINE LaneMask Mask(unsigned related, int column) {
    return MaskOf(related >> 8 * column);
  }

  CIVITA_INLINE double* AtC(int i, int k) const { return C_.data + k * C_.stride + i; }
  CIVITA_INLINE double* AtH(int i, int k) const { return H_.data + k * H_.stride + i; }

  template <typename P>
  CIVITA_INLINE int Above(int I) const {
    unsigned related[kQuads<P>];
    for (int i = 0; i < kQuads<P>; ++i) related[i] = Related(before_, I + 4 * i);
    if (related[0] == 0) {
      for (int j = 0; j < count_; ++j) {
        if (kWithC) StoreSome(AtC(I, K_ + j), Quad{}, 4);
        StoreSome(AtH(I, K_ + j), Quad{}, 4);
      }
      for (int j = 0; j < 4; ++j) StoreSome(AtH(K_, I + j), Quad{}, count_);
      return 4;
    }
    const auto Phi = EachSlot<Motion, P>(columns_, I, kPhi);
    Quad h[kQuads<P>][4];
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
      const double* k = own_ + j;
      const auto c_j = kWithC ? Dot(Phi, OneSlot<Force, P>(k, kF1)) : P{};
      const auto h_j = Dot(Phi, OneSlot<Force, P>(k, kF2));
#pragma GCC unroll 2
      for (int i = 0; i < kQuads<P>; ++i) {
        h[i][j] = And(QuadOf(h_j, i), Mask(related[i], j));
        if (j >= count_) continue;
        if (kWithC) StoreSome(AtC(I + 4 * i, K_ + j), And(QuadOf(c_j, i), Mask(related[i], j)), 4);
        StoreSome(AtH(I + 4 * i, K_ + j), h[i][j], 4);
      }
    }
#pragma GCC unroll 2
    for (int i = 0; i < kQuads<P>; ++i) {
      Transpose(h[i]);
#pragma GCC unroll 4
      for (int j = 0; j < 4; ++j) StoreSome(AtH(K_, I + 4 * i + j), h[i][j], count_);
    }
    return 4 * kQuads<P>;
  }

  template <typename P>
  CIVITA_INLINE int Below(int I) const {
    unsigned related[kQuads<P>];
    for (int i = 0; i < kQuads<P>; ++i) related[i] = Related(after_, I + 4 * i);
    if (related[0] == 0) {
      for (int j = 0; j < 4; ++j) StoreSome(AtC(I, K_ + j), Quad{}, n_ - I);
      return 4;
    }
    const auto F2 = EachSlot<Force, P>(columns_, I, kF2);
    const auto F3 = EachSlot<V3, P>(columns_, I, kF3);
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
      const double* k = own_ + j;
      const auto c_j = Dot(OneSlot<Motion, P>(k, kPhidot), F2) + Dot(OneSlot<V3, P>(k, kPhi), F3);
#pragma GCC unroll 2
      for (int i = 0; i < kQuads<P>; ++i) {
        StoreSome(AtC(I + 4 * i, K_ + j), And(QuadOf(c_j, i), Mask(related[i], j)), n_ - I - 4 * i);
      }
    }
    return 4 * kQuads<P>;
  }

  CIVITA_INLINE void Diagonal() const {
    const unsigned before = Related(before_, K_), after = Related(after_, K_);
    const auto Phi = EachSlot<Motion, Quad>(columns_, K_, kPhi);
    const auto F2 = EachSlot<Force, Quad>(columns_, K_, kF2);
    const auto F3 = EachSlot<V3, Quad>(columns_, K_, kF3);
    Quad h[4], mirrored[4];
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
      const double* k = own_ + j;
      mirrored[j] = h[j] = And(Dot(Phi, OneSlot<Force, Quad>(k, kF2)), Mask(before, j));
      if (!kWithC || j >= count_) continue;
      const auto above = Dot(Phi, OneSlot<Force, Quad>(k, kF1));
      const auto below =
          Dot(OneSlot<Motion, Quad>(k, kPhidot), F2) + Dot(OneSlot<V3, Quad>(k, kPhi), F3);
      StoreSome(AtC(K_, K_ + j), Select(Mask(after, j), below, And(above, Mask(before, j))),
                count_);
    }
    Transpose(mirrored);
    const Quad armature = *reinterpret_cast<const UnalignedQuad*>(armature_);
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
      if (j >= count_) break;
      const Quad symmetric = Select(MaskOf(14u << j), mirrored[j], h[j]);
      StoreSome(AtH(K_, K_ + j), symmetric + And(armature, MaskOf(1u << j)), count_);
    }
  }

  // Copies, as stores to C and H could change all that they are copies of.
  const uint8_t *before_, *after_;
  int stride_;
  const double* armature_;
  const Columns* columns_;
  const double* own_;
  MatrixView C_, H_;
  int n_, K_, count_;
};

/// Armature a·1 of rotations, which do not commute, adds ½a (v×) to C.
CIVITA_INLINE void AddArmature(const PlanView& plan, const double* v, MatrixView C) {
  for (int t = 0; t < plan.num_triples; ++t) {
    const int k = plan.triples[t];
    const double half = 0.5 * plan.armature[k];
    for (int a = 0; a < 3; ++a) {
      const int i = k + a, j = k + (a + 1) % 3, l = k + (a + 2) % 3;
      C.data[l * C.stride + i] += half * v[j];
      C.data[i * C.stride + l] -= half * v[j];
    }
  }
}

inline void CalcCoriolisMatrix(const PlanView& plan, double* scratch, const double* q,
                               const double* v, MatrixView C, MatrixView H) {
  const Memory memory(plan, scratch);
  CalcColumns(plan, memory, q, v);
  for (int K = 0; K < plan.n; K += 4) FourColumns<true>(plan, memory, K, C, H).Calc();
  AddArmature(plan, v, C);
}

/// H alone, by composite inertias.
inline void CalcMassMatrix(const PlanView& plan, double* scratch, const double* q, MatrixView H) {
  const Memory memory(plan, scratch);
  CalcCompositeInertias(plan, memory, q);
  for (int K = 0; K < plan.n; K += 4) FourColumns<false>(plan, memory, K, {}, H).Calc();
}

}  // namespace civita::kernels::CIVITA_INSTRUCTION_SET
