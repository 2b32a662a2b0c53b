#pragma once

#include "core/kernels/frames.h"

namespace civita::kernels::CIVITA_INSTRUCTION_SET {

/// Numbers of a pack of slots that are summed over subtrees.
struct alignas(64) Summed {
  Inertia<Pack> J;
  ChristoffelFactor<Pack> B;
  Pack padding[2];  ///< zero, as rows are summed whole

  CIVITA_INLINE Pack* numbers() { return &J.m; }
};
static_assert(sizeof(Summed) == Memory::kRowNumbers * sizeof(Pack));
/// Of which inertias are these, in whole packs.
constexpr int kInertiaNumbers =
    (sizeof(Inertia<double>) / sizeof(double) + kWidth - 1) / kWidth * kWidth;

/// Φ and the composite inertia I^C of every slot.
CIVITA_INLINE void CalcCompositeInertias(const PlanView& plan, const Memory& memory,
                                         const double* q) {
  CalcLocals(plan, memory, q);
  ComposeFrames<Carried::kPose>(plan, memory, {q, nullptr, nullptr, nullptr});
  const auto row = [&](int pack) { return memory.rows + pack * kWidth * Memory::kRowNumbers; };
  for (int b = 0; b < NumPacks(plan); ++b) {
    const LinkPack link(plan, b);
    const CarriedPack<Carried::kPose> pose(memory, b);
    memory.columns[b].Phi = CalcPhi(link, pose.R(), pose.r());
    Summed x = {};
    x.J = CalcWorldInertia(link, pose.R(), pose.r());
    ToRows<kInertiaNumbers>(x.numbers(), row(b), Memory::kRowNumbers);
  }
  SumRows<kInertiaNumbers>(plan, memory.rows, Memory::kRowNumbers);
  for (int b = 0; b < NumPacks(plan); ++b) {
    Summed x;
    FromRows<kInertiaNumbers>(row(b), Memory::kRowNumbers, x.numbers());
    memory.columns[b].F2 = x.J * memory.columns[b].Phi;
    memory.composites[b].J = x.J;
  }
}

/// Φ of one slot; T is Columns or DerivativeColumns.
template <typename T>
CIVITA_INLINE Motion<double> PhiOf(const T* columns, int slot) {
  return AtLane(PackOf(columns, slot).Phi, LaneOf(slot));
}

/// Lanes of a pack that move slot k, k included; lanes that k moves.
class Relations {
 public:
  CIVITA_INLINE explicit Relations(const PlanView& plan)
      : before_(plan.before), after_(plan.after), stride_(kLanes * plan.blocks) {}
  CIVITA_INLINE unsigned Before(int pack, int k) const { return At(before_, pack, k); }
  CIVITA_INLINE unsigned After(int pack, int k) const { return At(after_, pack, k); }

 private:
  CIVITA_INLINE unsigned At(const uint8_t* bits, int pack, int k) const {
    const int first = pack * kWidth;
    const unsigned block = bits[first / kLanes * stride_ + k];
    return kWidth == kLanes ? block : block >> first % kLanes & ((1u << kWidth) - 1u);
  }

  const uint8_t *before_, *after_;
  int stride_;
};

}  // namespace civita::kernels::CIVITA_INSTRUCTION_SET
