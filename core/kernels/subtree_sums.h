#pragma once

#include "core/kernels/frames.h"

namespace civita::kernels::CIVITA_INSTRUCTION_SET {

/// The first 4·kQuads summed numbers of four slots, a row each; and back.
template <int kQuads>
CIVITA_INLINE void ToRows(const Block& block, Row* row) {
  const Pack* x = &block.J.m;
  for (int c = 0; c < kQuads; ++c) {
    Pack a0 = x[4 * c], a1 = x[4 * c + 1], a2 = x[4 * c + 2], a3 = x[4 * c + 3];
    Transpose(a0, a1, a2, a3);
    row[0].a[c] = a0;
    row[1].a[c] = a1;
    row[2].a[c] = a2;
    row[3].a[c] = a3;
  }
}
template <int kQuads>
CIVITA_INLINE void FromRows(const Row* row, Block* block) {
  Pack* x = &block->J.m;
  for (int c = 0; c < kQuads; ++c) {
    Pack a0 = row[0].a[c], a1 = row[1].a[c], a2 = row[2].a[c], a3 = row[3].a[c];
    Transpose(a0, a1, a2, a3);
    x[4 * c] = a0;
    x[4 * c + 1] = a1;
    x[4 * c + 2] = a2;
    x[4 * c + 3] = a3;
  }
}

/// Adds every slot's row to its parent's; along a chain the sum stays in registers.
template <int kQuads>
CIVITA_INLINE void SumRows(const PlanView& plan, Row* rows) {
  Pack sum[kQuads];
  for (int c = 0; c < kQuads; ++c) sum[c] = rows[plan.n - 1].a[c];
  for (int i = plan.n - 1; i > 0; --i) {
    const int parent = plan.parent[i];
    if (parent == i - 1) {
      for (int c = 0; c < kQuads; ++c) {
        sum[c] += rows[parent].a[c];
        rows[parent].a[c] = sum[c];
      }
      continue;
    }
    if (parent >= 0) {
      for (int c = 0; c < kQuads; ++c) rows[parent].a[c] += sum[c];
    }
    for (int c = 0; c < kQuads; ++c) sum[c] = rows[i - 1].a[c];
  }
}

/// Φ and the composite inertia I^C of every slot.
CIVITA_INLINE void CalcCompositeInertias(const PlanView& plan, const Memory& memory,
                                         const double* q) {
  const Frame<Carried::kPose>* frames = memory.FramesOf<Carried::kPose>();
  CalcLocals(plan, memory, q);
  ComposeFrames<Carried::kPose>(plan, memory, {q, nullptr, nullptr, nullptr});
  for (int b = 0; b < plan.blocks; ++b) {
    Block& block = memory.blocks[b];
    GatherPose(frames + kLanes * b, &block);
    memory.columns[b].Phi = CalcPhi(plan.links[b], block);
    block.J = CalcWorldInertia(plan.links[b], block);
    ToRows<3>(block, memory.rows + kLanes * b);
  }
  SumRows<3>(plan, memory.rows);
  for (int b = 0; b < plan.blocks; ++b) {
    FromRows<3>(memory.rows + kLanes * b, &memory.blocks[b]);
  }
}

}  // namespace civita::kernels::CIVITA_INSTRUCTION_SET
