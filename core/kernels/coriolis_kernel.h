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

CIVITA_INLINE void SetRate(const Motion<Pack>& v, Summed* x) {
  x->B = CalcChristoffelFactor(x->J, v);
}

/// Inertia and its rate of a pack of slots, which are summed over subtrees.
struct alignas(64) SummedRates {
  Inertia<Pack> J, Jdot;
  Pack padding[4];  ///< zero, as rows are summed in whole packs

  CIVITA_INLINE Pack* numbers() { return &J.m; }
};
static_assert(sizeof(SummedRates) == Memory::kRowNumbers * sizeof(Pack));
/// Of which these are not padding, in whole packs.
constexpr int kRateNumbers =
    (2 * sizeof(Inertia<double>) / sizeof(double) + kWidth - 1) / kWidth * kWidth;

/// The same for Ḣ, with İ^C in the place of B^C.
CIVITA_INLINE void CalcPairForces(const SummedRates& x, Columns* columns) {
  columns->F1 = x.J * columns->Phidot + x.Jdot * columns->Phi;
  columns->F2 = x.J * columns->Phi;
}
CIVITA_INLINE void SetRate(const Motion<Pack>& v, SummedRates* x) {
  x->Jdot = internal::CalcInertiaRate(x->J, v);
}

/// Φ, Φ̇ and the composites' forces of every slot, by the first kNumbers of a Sum.
template <typename Sum = Summed, int kNumbers = Memory::kRowNumbers>
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
    Sum x = {};
    x.J = CalcWorldInertia(link, f.R(), f.r());
    SetRate(f.v(), &x);
    ToRows<kNumbers>(x.numbers(), row(b), Memory::kRowNumbers);
  }
  SumRows<kNumbers>(plan, memory.rows, Memory::kRowNumbers);
  for (int b = 0; b < NumPacks(plan); ++b) {
    Sum x;
    FromRows<kNumbers>(row(b), Memory::kRowNumbers, x.numbers());
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

// Below, a P is a Quad, TwoQuads or a Pack. Spread: x in all lanes.
CIVITA_INLINE void Spread(double x, Quad* y) { *y = Quad{x, x, x, x}; }
CIVITA_INLINE void Spread(double x, TwoQuads* y) { y->x[0] = y->x[1] = Quad{x, x, x, x}; }
CIVITA_INLINE Quad QuadOf(const TwoQuads& x, int i) { return x.x[i]; }
template <typename P>
CIVITA_INLINE void Spread(double x, P* y) {
  *y = Broadcast(x);
}
template <typename P>
constexpr int kQuads = sizeof(P) / sizeof(Quad);

/// Where DerivativeColumns, and Columns what they have of it, have what.
enum Number : int {
  kPhi = offsetof(DerivativeColumns, Phi) / sizeof(Pack),
  kPhidot = offsetof(DerivativeColumns, Phidot) / sizeof(Pack),
  kF1 = offsetof(DerivativeColumns, F1) / sizeof(Pack),
  kF2 = offsetof(DerivativeColumns, F2) / sizeof(Pack),
  kF3 = offsetof(DerivativeColumns, F3) / sizeof(Pack),
  kPsidot = offsetof(DerivativeColumns, Psidot) / sizeof(Pack),
  kPsiddot = offsetof(DerivativeColumns, Psiddot) / sizeof(Pack),
  kG = offsetof(DerivativeColumns, G) / sizeof(Pack)
};
static_assert(offsetof(Columns, Phi) == kPhi * sizeof(Pack) &&
              offsetof(Columns, Phidot) == kPhidot * sizeof(Pack) &&
              offsetof(Columns, F1) == kF1 * sizeof(Pack) &&
              offsetof(Columns, F2) == kF2 * sizeof(Pack) &&
              offsetof(Columns, F3) == kF3 * sizeof(Pack));
/// Numbers of a spatial vector and of a vector; where the second vector of a force begins.
constexpr int kSpatial = sizeof(Motion<double>) / sizeof(double);
constexpr int kVector = sizeof(V3<double>) / sizeof(double);
static_assert(offsetof(Force<double>, f) == kVector * sizeof(double));

/// What the tiles compute. C: of the square of products, whether at all and from which numbers, and
/// how many F3 has; where k moves i, kForce_iᵀ kBy_k more, unless these are the same.
template <bool kWithH, bool kWithC, Number kAbove, Number kRate, Number kAxis,
          int kAxisNumbers = kVector, Number kForce = kPhi, Number kBy = kPhi>
struct Products {
  static constexpr bool with_H = kWithH, with_C = kWithC, with_more = kForce != kBy;
  static constexpr Number above = kAbove, rate = kRate, axis = kAxis, force = kForce, by = kBy;
  static constexpr int axis_numbers = kAxisNumbers;
  /// H_ik is of so many numbers of slot i from Φ on and of k from this on.
  static constexpr Number momentum = kF2;
  static constexpr int momentum_numbers = kSpatial;
  static constexpr bool with_armature = true;
};
using CoriolisProducts = Products<true, true, kF1, kPhidot, kPhi>;
using MassProducts = Products<true, false, kF1, kPhidot, kPhi>;
/// Ḣ_ik = Φ_iᵀ F1_k + Φ̇_iᵀ F2_k in the place of H.
struct MassRateProducts : MassProducts {
  static constexpr Number momentum = kF1;
  static constexpr int momentum_numbers = 2 * kSpatial;
  static constexpr bool with_armature = false;
  static_assert(kPhidot == kPhi + kSpatial && kF2 == kF1 + kSpatial);
};

/// Numbers of the slots from one on, as a P.
template <typename P>
struct Slots {
  const double* first;
  template <typename T>
  CIVITA_INLINE Slots(const T* columns, int slot)
      : first(&AtLane(PackOf(columns, slot).Phi.w.x, LaneOf(slot))) {}
  CIVITA_INLINE P operator()(int number) const {
    return *reinterpret_cast<const P*>(first + number * kWidth);
  }
};
template <>
struct Slots<TwoQuads> {
  Slots<Quad> first, second;
  template <typename T>
  CIVITA_INLINE Slots(const T* columns, int slot)
      : first(columns, slot), second(columns, slot + 4) {}
  CIVITA_INLINE TwoQuads operator()(int number) const { return {{first(number), second(number)}}; }
};

/// y_j += Σ_a x_a k_ja, j < 4, of the numbers x of some slots and those k of four slots one after
/// the other, the first one's at *own. A loop: unrolled, all of this would not fit the cache of
/// decoded instructions.
template <int kNumbers, typename P>
CIVITA_INLINE void AddProducts(const Slots<P>& slots, Number x, const double* own, Number k, P* y) {
#pragma GCC unroll 1
  for (int a = 0; a < kNumbers; ++a) {
    const P x_a = slots(x + a);
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
      P k_ja;
      Spread(own[(k + a) * kWidth + j], &k_ja);
      y[j] = y[j] + x_a * k_ja;
    }
  }
}

/// Of four columns, whose relations to four rows are a byte each, what is related.
CIVITA_INLINE void MaskColumns(unsigned related, Quad* x) {
  if (related == 0x0f0f0f0fu) return;
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j) x[j] = And(x[j], MaskOf(related >> 8 * j & 15u));
}

/// `rows` numbers of each of the first `columns` of four columns, one below the other at p.
CIVITA_INLINE void StoreColumns(double* p, std::ptrdiff_t stride, const Quad* x, int rows,
                                int columns) {
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j) {
    if (j < columns) StoreSome(p + j * stride, x[j], rows);
  }
}

/// Four columns of C and H, from slot K on, or the last ones, by quads of rows, two of them at a
/// time where both are related to the columns, so that what a column's slot has is loaded once for
/// both. Where i moves k, H_ik = H_ki = F2_kᵀ Φ_i and C_ik = F1_kᵀ Φ_i; where k moves i,
/// C_ik = F2_iᵀ Φ̇_k + F3_iᵀ Φ_k, or others in the places of F1, Φ̇ and the last Φ.
template <typename Of, typename T>
class FourColumns {
 public:
  CIVITA_INLINE FourColumns(const PlanView& plan, const T* columns, int K, MatrixView C,
                            MatrixView H)
      : before_(plan.before + K),
        after_(plan.after + K),
        stride_(kLanes * plan.blocks),
        armature_(plan.armature + K),
        columns_(columns),
        own_(Slots<Quad>(columns, K).first),
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
    if (!Of::with_C) return;
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

  CIVITA_INLINE void Put(const MatrixView& M, int i, const Quad* x, int rows) const {
    StoreColumns(M.data + K_ * M.stride + i, M.stride, x, rows, count_);
  }
  /// Four columns of H from k on, the rows that are these columns.
  CIVITA_INLINE void PutMirrored(int k, const Quad* x) const {
    StoreColumns(H_.data + k * H_.stride + K_, H_.stride, x, count_, 4);
  }

  template <typename P>
  CIVITA_INLINE int Above(int I) const {
    if (kQuads<P> == 1 && Related(before_, I) == 0) {
      const Quad zeros[4] = {};
      if (Of::with_C) Put(C_, I, zeros, 4);
      if (Of::with_H) Put(H_, I, zeros, 4);
      if (Of::with_H) PutMirrored(I, zeros);
      return 4;
    }
    const Slots<P> rows(columns_, I);
    if (Of::with_H) {
      P h[4] = {};
      AddProducts<Of::momentum_numbers>(rows, kPhi, own_, Of::momentum, h);
#pragma GCC unroll 2
      for (int i = 0; i < kQuads<P>; ++i) {
        Quad x[4] = {QuadOf(h[0], i), QuadOf(h[1], i), QuadOf(h[2], i), QuadOf(h[3], i)};
        MaskColumns(Related(before_, I + 4 * i), x);
        Put(H_, I + 4 * i, x, 4);
        Transpose(x);
        PutMirrored(I + 4 * i, x);
      }
    }
    if (!Of::with_C) return 4 * kQuads<P>;
    P c[4] = {};
    AddProducts<kSpatial>(rows, kPhi, own_, Of::above, c);
#pragma GCC unroll 2
    for (int i = 0; i < kQuads<P>; ++i) {
      Quad x[4] = {QuadOf(c[0], i), QuadOf(c[1], i), QuadOf(c[2], i), QuadOf(c[3], i)};
      MaskColumns(Related(before_, I + 4 * i), x);
      Put(C_, I + 4 * i, x, 4);
    }
    return 4 * kQuads<P>;
  }

  template <typename P>
  CIVITA_INLINE void AddBelow(const Slots<P>& rows, P* c) const {
    AddProducts<kSpatial>(rows, kF2, own_, Of::rate, c);
    AddProducts<Of::axis_numbers>(rows, kF3, own_, Of::axis, c);
    if constexpr (Of::with_more) AddProducts<kSpatial>(rows, Of::force, own_, Of::by, c);
  }

  template <typename P>
  CIVITA_INLINE int Below(int I) const {
    constexpr bool kOneQuad = kQuads<P> == 1;
    const int last = I + 4 * (kQuads<P> - 1);
    Quad x[4] = {};
    if (!kOneQuad || Related(after_, I) != 0) {
      const Slots<P> rows(columns_, I);
      P c[4] = {};
      AddBelow(rows, c);
#pragma GCC unroll 2
      for (int i = 0; i < kQuads<P>; ++i) {
#pragma GCC unroll 4
        for (int j = 0; j < 4; ++j) x[j] = QuadOf(c[j], i);
        MaskColumns(Related(after_, I + 4 * i), x);
        if (!kOneQuad && i == 0) Put(C_, I, x, 4);
      }
    }
    Put(C_, last, x, n_ - last);
    return 4 * kQuads<P>;
  }

  CIVITA_INLINE void Diagonal() const {
    const unsigned before = Related(before_, K_), after = Related(after_, K_);
    const Slots<Quad> rows(columns_, K_);
    if (Of::with_H) {
      Quad h[4] = {}, mirrored[4];
      AddProducts<Of::momentum_numbers>(rows, kPhi, own_, Of::momentum, h);
#pragma GCC unroll 4
      for (int j = 0; j < 4; ++j) mirrored[j] = h[j] = And(h[j], MaskOf(before >> 8 * j & 15u));
      Transpose(mirrored);
      const Quad armature = *reinterpret_cast<const UnalignedQuad*>(armature_);
#pragma GCC unroll 4
      for (int j = 0; j < 4; ++j) {
        h[j] = Select(MaskOf(14u << j & 15u), mirrored[j], h[j]);
        if (Of::with_armature) h[j] = h[j] + And(armature, MaskOf(1u << j));
      }
      Put(H_, K_, h, count_);
    }
    if (!Of::with_C) return;
    Quad above[4] = {}, below[4] = {};
    AddProducts<kSpatial>(rows, kPhi, own_, Of::above, above);
    AddBelow(rows, below);
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
      above[j] = Select(MaskOf(after >> 8 * j & 15u), below[j],
                        And(above[j], MaskOf(before >> 8 * j & 15u)));
    }
    Put(C_, K_, above, count_);
  }

  // Copies, as stores to C and H could change all that they are copies of.
  const uint8_t *before_, *after_;
  int stride_;
  const double* armature_;
  const T* columns_;
  const double* own_;
  MatrixView C_, H_;
  int n_, K_, count_;
};

template <typename Of, typename T>
CIVITA_INLINE void CalcTiles(const PlanView& plan, const T* columns, MatrixView C, MatrixView H) {
  for (int K = 0; K < plan.n; K += 4) FourColumns<Of, T>(plan, columns, K, C, H).Calc();
}

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

/// Of a matrix with the force F at every slot (a Number) that the base moves, the rows of the
/// base's translations, before CalcTiles; and their columns, which are the same or zero.
template <bool kSymmetric, typename T>
CIVITA_INLINE void PutTranslations(const PlanView& plan, const T* columns, Number F, MatrixView M) {
  const int n = plan.n, end = plan.end[0];
  for (int K = 0; K < n; K += 4) {
    const Slots<Quad> slots(columns, K);
    Quad f[4] = {slots(F + kVector), slots(F + kVector + 1), slots(F + kVector + 2), Quad{}};
    const int moved = end - K < 0 ? 0 : end - K, count = n - K < 4 ? n - K : 4;
    if (moved < 4) {
      for (int c = 0; c < 3; ++c) f[c] = And(f[c], MaskOf((1u << moved) - 1u));
    }
    for (int c = 0; c < 3; ++c) {
      StoreSome(M.data + (c - 3) * M.stride + K, kSymmetric ? f[c] : Quad{}, count);
    }
    Transpose(f);
    double* rows = M.data + K * M.stride - 3;
    // The fourth number is row 0's, which CalcTiles overwrites.
    for (int j = 0; j < count; ++j, rows += M.stride) StoreSome(rows, f[j], 4);
  }
  for (int k = -3; k < 0; ++k) {
    for (int i = -3; i < 0; ++i) M.data[k * M.stride + i] = 0;
  }
}

/// H's rows and columns of the base's translations: linear momenta of the columns, and the mass.
template <typename T>
CIVITA_INLINE void PutMomenta(const PlanView& plan, const Memory& memory, const T* columns,
                              MatrixView H) {
  PutTranslations<true>(plan, columns, kF2, H);
  const double mass = memory.rows[0];  // of slot 0 and all that it moves
  for (int k = -3; k < 0; ++k) H.data[k * H.stride + k] = mass + plan.armature[k];
}

inline void CalcCoriolisMatrix(const PlanView& plan, double* scratch, const double* q,
                               const double* v, MatrixView C, MatrixView H) {
  const Memory memory(plan, scratch);
  CalcColumns(plan, memory, q, v);
  if (plan.base > 0) {  // C has the rates of the momenta
    PutMomenta(plan, memory, memory.columns, H);
    PutTranslations<false>(plan, memory.columns, kF1, C);
  }
  CalcTiles<CoriolisProducts>(plan, memory.columns, C, H);
  AddArmature(plan, v, C);
}

/// H alone, by composite inertias.
inline void CalcMassMatrix(const PlanView& plan, double* scratch, const double* q, MatrixView H) {
  const Memory memory(plan, scratch);
  CalcCompositeInertias(plan, memory, q);
  if (plan.base > 0) PutMomenta(plan, memory, memory.columns, H);
  CalcTiles<MassProducts>(plan, memory.columns, {}, H);
}

/// Ḣ along v, by the rates of composite inertias.
inline void CalcMassMatrixDerivative(const PlanView& plan, double* scratch, const double* q,
                                     const double* v, MatrixView Hdot) {
  const Memory memory(plan, scratch);
  CalcColumns<SummedRates, kRateNumbers>(plan, memory, q, v);
  if (plan.base > 0) PutTranslations<true>(plan, memory.columns, kF1, Hdot);
  CalcTiles<MassRateProducts>(plan, memory.columns, {}, Hdot);
}

}  // namespace civita::kernels::CIVITA_INSTRUCTION_SET
