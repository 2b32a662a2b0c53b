#pragma once

#include "core/kernels/pack.h"
#include "core/kernels/plan_view.h"

// Numbers of slots side by side, as packs, or one slot's numbers in a row of memory, as what goes
// from slot to slot wants them.

namespace civita::kernels::CIVITA_INSTRUCTION_SET {

/// kNumbers numbers of a pack of slots, whose rows are `stride` numbers apart.
template <int kNumbers>
CIVITA_INLINE void FromRows(const double* rows, int stride, Pack* x) {
  for (int first = 0; first < kNumbers; first += kWidth) {
    for (int l = 0; l < kWidth; ++l) x[first + l] = Load(rows + l * stride + first);
    Transpose(x + first);
  }
}

/// All numbers of an X for pack b of slots, from rows of them.
template <typename X>
CIVITA_INLINE X FromRows(const double* rows, int stride, int b) {
  X x;
  FromRows<sizeof(X) / sizeof(Pack)>(rows + b * kWidth * stride, stride, x.numbers());
  return x;
}

/// And back; x is lost.
template <int kNumbers>
CIVITA_INLINE void ToRows(Pack* x, double* rows, int stride) {
  for (int first = 0; first < kNumbers; first += kWidth) {
    Transpose(x + first);
    for (int l = 0; l < kWidth; ++l) Store(rows + l * stride + first, x[first + l]);
  }
}

/// Adds every slot's row to its parent's; along a chain the sum stays in registers.
template <int kNumbers>
CIVITA_INLINE void SumRows(const PlanView& plan, double* rows, int stride) {
  constexpr int kPacks = kNumbers / kWidth;
  Pack sum[kPacks];
  const auto row = [rows, stride](int slot, int pack) {
    return rows + slot * stride + pack * kWidth;
  };
  for (int c = 0; c < kPacks; ++c) sum[c] = Load(row(plan.n - 1, c));
  for (int i = plan.n - 1; i > 0; --i) {
    const int parent = plan.parent[i];
    if (parent == i - 1) {
      for (int c = 0; c < kPacks; ++c) {
        sum[c] += Load(row(parent, c));
        Store(row(parent, c), sum[c]);
      }
      continue;
    }
    if (parent >= 0) {
      for (int c = 0; c < kPacks; ++c) Store(row(parent, c), Load(row(parent, c)) + sum[c]);
    }
    for (int c = 0; c < kPacks; ++c) sum[c] = Load(row(i - 1, c));
  }
}

}  // namespace civita::kernels::CIVITA_INSTRUCTION_SET
