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

/// kQuads × 4 slots side by side.
template <int kQuads>
struct Quads {
  Quad x[kQuads];
};
template <int kQuads>
CIVITA_INLINE Quads<kQuads> operator+(const Quads<kQuads>& a, const Quads<kQuads>& b) {
  Quads<kQuads> y;
  for (int i = 0; i < kQuads; ++i) y.x[i] = a.x[i] + b.x[i];
  return y;
}
template <int kQuads>
CIVITA_INLINE Quads<kQuads> operator*(const Quads<kQuads>& a, const Quads<kQuads>& b) {
  Quads<kQuads> y;
  for (int i = 0; i < kQuads; ++i) y.x[i] = a.x[i] * b.x[i];
  return y;
}

/// Where Columns has what.
enum Number { kPhi = 0, kPhidot = 6, kF1 = 12, kF2 = 18, kF3 = 24 };

/// Numbers of the slots from `slot` on.
template <template <typename> class Vector, int kQuads>
CIVITA_INLINE Vector<Quads<kQuads>> EachSlot(const Columns* columns, int slot, Number first) {
  Vector<Quads<kQuads>> y;
  Quad* out = reinterpret_cast<Quad*>(&y);
#pragma GCC unroll 12
  for (int i = 0; i < static_cast<int>(sizeof(y) / sizeof(Quad)); ++i) {
    const double* x = LaneOf(columns, slot + 4 * (i % kQuads)) + (first + i / kQuads) * kWidth;
    out[i] = *reinterpret_cast<const Quad*>(x);
  }
  return y;
}
/// Those of the slot whose first number is *x, in all lanes.
template <template <typename> class Vector, int kQuads>
CIVITA_INLINE Vector<Quads<kQuads>> OneSlot(const double* x, Number first) {
  Vector<Quads<kQuads>> y;
  Quad* out = reinterpret_cast<Quad*>(&y);
#pragma GCC unroll 12
  for (int i = 0; i < static_cast<int>(sizeof(y) / sizeof(Quad)); ++i) {
    out[i] = x[(first + i / kQuads) * kWidth] - Quad{};
  }
  return y;
}

/// Four columns of C and H, from slot K on, by quads of rows, two of them at a time where both are
/// related to the columns: what a column's slot has is then loaded once for both. Where i moves k,
/// H_ik = H_ki = F2_kᵀ Φ_i and C_ik = F1_kᵀ Φ_i; where k moves i, C_ik = F2_iᵀ Φ̇_k + F3_iᵀ Φ_k.
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
    for (int I = 0; I < K_;) I += AreTwo(before_, I, K_) ? Above<2>(I) : Above<1>(I);
    Diagonal();
    if (!kWithC) return;
    for (int I = K_ + 4; I < n_;) {
      I += AreTwo(after_, I, n_) ? Below<2>(I) : Below<1>(I);
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
  static CIVITA_INLINE LaneMask Mask(unsigned related, int column) {
    return MaskOf(related >> 8 * column);
  }

  CIVITA_INLINE double* AtC(int i, int k) const { return C_.data + k * C_.stride + i; }
  CIVITA_INLINE double* AtH(int i, int k) const { return H_.data + k * H_.stride + i; }

  template <int kQuads>
  CIVITA_INLINE int Above(int I) const {
    unsigned related[kQuads];
    for (int i = 0; i < kQuads; ++i) related[i] = Related(before_, I + 4 * i);
    if (related[0] == 0) {
      for (int j = 0; j < count_; ++j) {
        if (kWithC) StoreSome(AtC(I, K_ + j), Quad{}, 4);
        StoreSome(AtH(I, K_ + j), Quad{}, 4);
      }
      for (int j = 0; j < 4; ++j) StoreSome(AtH(K_, I + j), Quad{}, count_);
      return 4;
    }
    const auto Phi = EachSlot<Motion, kQuads>(columns_, I, kPhi);
    Quad h[kQuads][4];
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
      const double* k = own_ + j;
      const auto c_j = kWithC ? Dot(Phi, OneSlot<Force, kQuads>(k, kF1)) : Quads<kQuads>{};
      const auto h_j = Dot(Phi, OneSlot<Force, kQuads>(k, kF2));
#pragma GCC unroll 2
      for (int i = 0; i < kQuads; ++i) {
        h[i][j] = And(h_j.x[i], Mask(related[i], j));
        if (j >= count_) continue;
        if (kWithC) StoreSome(AtC(I + 4 * i, K_ + j), And(c_j.x[i], Mask(related[i], j)), 4);
        StoreSome(AtH(I + 4 * i, K_ + j), h[i][j], 4);
      }
    }
#pragma GCC unroll 2
    for (int i = 0; i < kQuads; ++i) {
      Transpose(h[i]);
#pragma GCC unroll 4
      for (int j = 0; j < 4; ++j) StoreSome(AtH(K_, I + 4 * i + j), h[i][j], count_);
    }
    return 4 * kQuads;
  }

  template <int kQuads>
  CIVITA_INLINE int Below(int I) const {
    unsigned related[kQuads];
    for (int i = 0; i < kQuads; ++i) related[i] = Related(after_, I + 4 * i);
    if (related[0] == 0) {
      for (int j = 0; j < 4; ++j) StoreSome(AtC(I, K_ + j), Quad{}, n_ - I);
      return 4;
    }
    const auto F2 = EachSlot<Force, kQuads>(columns_, I, kF2);
    const auto F3 = EachSlot<V3, kQuads>(columns_, I, kF3);
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
      const double* k = own_ + j;
      const auto c_j =
          Dot(OneSlot<Motion, kQuads>(k, kPhidot), F2) + Dot(OneSlot<V3, kQuads>(k, kPhi), F3);
#pragma GCC unroll 2
      for (int i = 0; i < kQuads; ++i) {
        StoreSome(AtC(I + 4 * i, K_ + j), And(c_j.x[i], Mask(related[i], j)), n_ - I - 4 * i);
      }
    }
    return 4 * kQuads;
  }

  CIVITA_INLINE void Diagonal() const {
    const unsigned before = Related(before_, K_), after = Related(after_, K_);
    const auto Phi = EachSlot<Motion, 1>(columns_, K_, kPhi);
    const auto F2 = EachSlot<Force, 1>(columns_, K_, kF2);
    const auto F3 = EachSlot<V3, 1>(columns_, K_, kF3);
    Quad h[4], mirrored[4];
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
      const double* k = own_ + j;
      mirrored[j] = h[j] = And(Dot(Phi, OneSlot<Force, 1>(k, kF2)).x[0], Mask(before, j));
      if (!kWithC || j >= count_) continue;
      const auto above = Dot(Phi, OneSlot<Force, 1>(k, kF1));
      const auto below = Dot(OneSlot<Motion, 1>(k, kPhidot), F2) + Dot(OneSlot<V3, 1>(k, kPhi), F3);
      StoreSome(AtC(K_, K_ + j),
                Select(Mask(after, j), below.x[0], And(above.x[0], Mask(before, j))), count_);
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
