#pragma once

#include "core/kernels/derivatives_kernel.h"

// Centre of mass, momentum about it and their matrices by the formulas of
// core/dynamics/centroidal.cc: columns of composites, moved to the centre of mass.

namespace civita::kernels::CIVITA_INSTRUCTION_SET {

/// Inertia, its rate but for the mass, and momentum, whose force is the rate's first moment, of a
/// pack of slots, which are summed over subtrees.
struct alignas(64) SummedWithRate {
  Inertia<Pack> J;
  V3<Pack> hdot;
  S3<Pack> Ibardot;
  V3<Pack> n;
  Pack padding[2];  ///< zero, as rows are summed whole

  CIVITA_INLINE Pack* numbers() { return &J.m; }
};
static_assert(sizeof(SummedWithRate) == Memory::kRowNumbers * sizeof(Pack));
/// Where a slot's row has the first moment, its rate and the moment of the momentum.
constexpr int kSummedH = offsetof(Inertia<double>, h) / sizeof(double),
              kSummedHdot = offsetof(SummedWithRate, hdot) / sizeof(Pack),
              kSummedMoment = offsetof(SummedWithRate, n) / sizeof(Pack);

CIVITA_INLINE V3<double> VectorAt(const double* x) { return {x[0], x[1], x[2]}; }

/// The trees one after the other, and where their reference points are from the first one's.
class Trees {
 public:
  CIVITA_INLINE Trees(const PlanView& plan, const Memory& memory, const double* q)
      : plan_(plan), memory_(memory), q_(q), first_(TreeOrigin(plan, memory, q, 0)) {}

  CIVITA_INLINE const V3<double>& first() const { return first_; }

  /// use(row, offset) of each tree, with the row of its first slot, which has the sums over it.
  template <typename Use>
  CIVITA_INLINE void ForEach(int row_numbers, const Use& use) const {
    for (int root = 0; root < plan_.n; root = plan_.end[root]) {
      use(memory_.rows + root * row_numbers, Offset(root));
    }
  }

  /// Of the next pack of slots, the offset of each slot's tree.
  CIVITA_INLINE V3<Pack> OffsetsOfNext() {
    V3<Pack> x = Broadcast(offset_);
    while (plan_.end[root_] < slot_ + kWidth && plan_.end[root_] < plan_.n) {
      root_ = plan_.end[root_];
      offset_ = Offset(root_);
      const LaneMask lanes = MaskOf(~0u << (root_ - slot_) & ((1u << kWidth) - 1u));
      x.x = Select(lanes, Broadcast(offset_.x), x.x);
      x.y = Select(lanes, Broadcast(offset_.y), x.y);
      x.z = Select(lanes, Broadcast(offset_.z), x.z);
    }
    slot_ += kWidth;
    return x;
  }

 private:
  CIVITA_INLINE V3<double> Offset(int root) const {
    return TreeOrigin(plan_, memory_, q_, root) - first_;
  }

  const PlanView& plan_;
  const Memory& memory_;
  const double* q_;
  V3<double> first_, offset_ = {};
  int root_ = 0, slot_ = 0;
};

/// Total mass, and the centre of mass from the first tree's reference point.
struct MassCenter {
  double mass = 0;
  V3<double> p = {};

  CIVITA_INLINE MassCenter(const Trees& trees, int row_numbers) {
    trees.ForEach(row_numbers, [this](const double* row, const V3<double>& offset) {
      mass += row[0];
      p += VectorAt(row + kSummedH) + row[0] * offset;
    });
    p = (1 / mass) * p;
  }
};

/// The first kRows of the numbers x of a pack of slots, a column each; x is lost.
template <int kRows>
CIVITA_INLINE void PutColumns(const PlanView& plan, int b, Pack* x, const MatrixView& M) {
  const int* iv = plan.iv + kWidth * b;
  const int count = plan.n - kWidth * b;
  for (int first = 0; first < kRows; first += kWidth) {
    Transpose(x + first);
    for (int l = 0; l < kWidth && l < count; ++l) {
      StoreSome(M.data + iv[l] * M.stride + first, x[first + l], kRows - first);
    }
  }
}
/// [n; f] where there is a matrix.
CIVITA_INLINE void PutForces(const PlanView& plan, int b, const V3<Pack>& n, const V3<Pack>& f,
                             const MatrixView& M) {
  if (M.data == nullptr) return;
  Pack x[kLanes] = {n.x, n.y, n.z, f.x, f.y, f.z};
  PutColumns<6>(plan, b, x, M);
}
CIVITA_INLINE void PutVectors(const PlanView& plan, int b, const V3<Pack>& f, const MatrixView& M) {
  if (M.data == nullptr) return;
  Pack x[kLanes] = {f.x, f.y, f.z};
  PutColumns<3>(plan, b, x, M);
}

/// [x × e_a; s e_a] of the base's translations a, or s e_a where there are three rows.
template <int kRows>
CIVITA_INLINE void PutTranslationColumns(const PlanView& plan, const V3<double>& x, double s,
                                         const MatrixView& M) {
  if (M.data == nullptr) return;
  const M3<double> moments = Skew(x);
  for (int a = 0; a < plan.base; ++a) {
    double* column = M.data + plan.iv[a - plan.base] * M.stride;
    for (int i = 0; i < 3; ++i) {
      if (kRows == 6) column[i] = moments(i, a);
      column[kRows - 3 + i] = i == a ? s : 0;
    }
  }
}

/// Of every slot, in F2 and F1, I^C Φ and its rate.
CIVITA_INLINE void CalcMomentumColumns(const PlanView& plan, const Memory& memory, const double* q,
                                       const double* v) {
  constexpr int kNumbers = Memory::kRowNumbers;
  const auto row = [&](int pack) { return memory.rows + pack * kWidth * kNumbers; };
  CalcLocals(plan, memory, q);
  ComposeFrames<Carried::kVelocity>(plan, memory, {q, v, nullptr, nullptr});
  for (int b = 0; b < NumPacks(plan); ++b) {
    const LinkPack link(plan, b);
    const CarriedPack<Carried::kVelocity> f(memory, b);
    const Motion<Pack> xi = f.v();
    Columns& columns = memory.columns[b];
    columns.Phi = CalcPhi(link, f.R(), f.r());
    columns.Phidot = Cross(xi, columns.Phi);
    SummedWithRate x = {};
    x.J = CalcWorldInertia(link, f.R(), f.r());
    const Inertia<Pack> rate = internal::CalcInertiaRate(x.J, xi);
    x.hdot = rate.h;
    x.Ibardot = rate.Ibar;
    x.n = (x.J * xi).n;
    ToRows<kNumbers>(x.numbers(), row(b), kNumbers);
  }
  SumRows<kNumbers>(plan, memory.rows, kNumbers);
  for (int b = 0; b < NumPacks(plan); ++b) {
    const auto x = FromRows<SummedWithRate>(memory.rows, kNumbers, b);
    Columns& columns = memory.columns[b];
    const Motion<Pack>& Phi = columns.Phi;
    columns.F2 = x.J * Phi;
    columns.F1 = x.J * columns.Phidot;
    columns.F1.n = columns.F1.n + x.Ibardot * Phi.w + Cross(x.hdot, Phi.u);
    columns.F1.f = columns.F1.f + Cross(Phi.w, x.hdot);
  }
}

inline double CalcCentroidal(const PlanView& plan, double* scratch, const double* q,
                             const double* v, const CentroidalQuery& query) {
  const Memory memory(plan, scratch);
  if (v == nullptr) {
    CalcCompositeInertias(plan, memory, q);
  } else {
    CalcMomentumColumns(plan, memory, q, v);
  }
  Trees trees(plan, memory, q);
  constexpr int kNumbers = Memory::kRowNumbers;
  const MassCenter center(trees, kNumbers);
  const double per_mass = 1 / center.mass;
  Force<double> momentum = {};
  if (v != nullptr) {
    trees.ForEach(kNumbers, [&](const double* row, const V3<double>& offset) {
      const V3<double> f = VectorAt(row + kSummedHdot);
      momentum += {VectorAt(row + kSummedMoment) + Cross(offset, f), f};
    });
    momentum.n = momentum.n - Cross(center.p, momentum.f);
  }
  if (query.center != nullptr) *query.center = trees.first() + center.p;
  if (query.momentum != nullptr) *reinterpret_cast<Force<double>*>(query.momentum) = momentum;
  // Of the base's translations, whose tree is the first one.
  const double* sums = memory.rows;
  const V3<double> cdot = per_mass * momentum.f;
  PutTranslationColumns<6>(plan, VectorAt(sums + kSummedH) - sums[0] * center.p, sums[0], query.A);
  PutTranslationColumns<3>(plan, {}, per_mass * sums[0], query.J);
  PutTranslationColumns<6>(plan, VectorAt(sums + kSummedHdot) - sums[0] * cdot, 0, query.Adot);
  PutTranslationColumns<3>(plan, {}, 0, query.Jdot);
  const V3<Pack> p = Broadcast(center.p), pdot = Broadcast(cdot);
  for (int b = 0; b < NumPacks(plan); ++b) {
    const V3<Pack> arm = p - trees.OffsetsOfNext();
    const Force<Pack>&F = memory.columns[b].F2, &Fdot = memory.columns[b].F1;
    PutForces(plan, b, F.n - Cross(arm, F.f), F.f, query.A);
    PutVectors(plan, b, Broadcast(per_mass) * F.f, query.J);
    if (v == nullptr) continue;
    PutForces(plan, b, Fdot.n - Cross(arm, Fdot.f) - Cross(pdot, F.f), Fdot.f, query.Adot);
    PutVectors(plan, b, Broadcast(per_mass) * Fdot.f, query.Jdot);
  }
  return center.mass;
}

/// By the columns of inverse dynamics' derivatives, whose sums of forces are ḣ.
inline double CalcCentroidalDerivatives(const PlanView& plan, double* scratch, const double* q,
                                        const double* v, const double* vdot, MatrixView by_q,
                                        MatrixView by_v, MatrixView by_vdot) {
  const Memory memory(plan, scratch);
  CalcDerivativeColumns(plan, memory, {q, v, v, vdot});
  Trees trees(plan, memory, q);
  constexpr int kNumbers = Memory::kRowNumbersWithForce, kF = kSummedForce + kForceF;
  const MassCenter center(trees, kNumbers);
  V3<double> force = {};
  trees.ForEach(kNumbers,
                [&force](const double* row, const V3<double>&) { force += VectorAt(row + kF); });
  const V3<double> per_mass = (1 / center.mass) * force;
  const double* sums = memory.rows;
  PutTranslationColumns<6>(plan, VectorAt(sums + kSummedH) - sums[0] * center.p, sums[0], by_vdot);
  PutTranslationColumns<6>(plan, {}, 0, by_v);
  PutTranslationColumns<6>(plan, sums[0] * per_mass - VectorAt(sums + kF), 0, by_q);
  const V3<Pack> p = Broadcast(center.p), turned = Broadcast(per_mass);
  for (int b = 0; b < NumPacks(plan); ++b) {
    const V3<Pack> arm = p - trees.OffsetsOfNext();
    const DerivativeColumns& x = memory.derivatives[b];
    PutForces(plan, b, x.F2.n - Cross(arm, x.F2.f), x.F2.f, by_vdot);
    PutForces(plan, b, x.F1.n - Cross(arm, x.F1.f), x.F1.f, by_v);
    // The centre of mass moves by F2/m.
    PutForces(plan, b, x.G.n - Cross(arm, x.G.f) - Cross(x.F2.f, turned), x.G.f, by_q);
  }
  return center.mass;
}

}  // namespace civita::kernels::CIVITA_INSTRUCTION_SET
