#pragma once

#include "core/kernels/batch_memory.h"

namespace civita::kernels::CIVITA_INSTRUCTION_SET {

inline void CalcCoriolisMatrices(const PlanView& plan, double* scratch, const Batch& batch,
                                 int first, int count) {
  const Tree& tree = *plan.tree;
  const BatchMemory memory = LoadState(tree, scratch, batch, first, count);
  for (int b = 0; b < tree.num_bodies; ++b) {
    const Link& link = tree.links[b];
    CalcBatchPose(link, memory, b);
    CalcBatchVelocity(link, memory, b);
    const BatchBody& body = memory.bodies[b];
    CalcInertia<States>(link, &memory.bodies[b]);
    Put(body.I, &memory.Ic[b]);
    Put(CalcChristoffelFactor(body.I, body.V), &memory.B[b]);
  }
  SumOverSubtrees(tree, memory.Ic);
  SumOverSubtrees(tree, memory.B);
  const auto calc_pairs = [&](const auto& C) {
    CalcCoriolisPairs(tree, memory.Ic, memory.B, memory.Phi, memory.Phidot, memory.v, C, memory.H);
  };
  if (batch.by_rows) {
    calc_pairs(SquareByRows{memory.C});
  } else {
    calc_pairs(memory.C);
  }
  StoreColumns(memory.C.data, tree.nv * tree.nv, batch.C, first, count);
  StoreColumns(memory.H.data, tree.nv * tree.nv, batch.H, first, count);
}

/// H alone, by composite inertias; a matrix as in CalcMassPairs.
template <typename Matrix>
CIVITA_INLINE void CalcMassMatrices(const Tree& tree, const BatchMemory& memory, const Batch& batch,
                                    int first, int count, Matrix H) {
  LoadColumns(batch.q, first, count, batch.nq, memory.q);
  for (int b = 0; b < tree.num_bodies; ++b) {
    CalcBatchPose(tree.links[b], memory, b);
    CalcInertia<States>(tree.links[b], &memory.bodies[b]);
    Put(memory.bodies[b].I, &memory.Ic[b]);
  }
  SumOverSubtrees(tree, memory.Ic);
  CalcMassPairs(tree, memory.Ic, memory.Phi, H);
}
inline void CalcMassMatrices(const PlanView& plan, double* scratch, const Batch& batch, int first,
                             int count) {
  const Tree& tree = *plan.tree;
  const BatchMemory memory(tree, scratch, batch.nq);
  CalcMassMatrices(tree, memory, batch, first, count, memory.H);
  StoreColumns(memory.H.data, tree.nv * tree.nv, batch.H, first, count);
}

}  // namespace civita::kernels::CIVITA_INSTRUCTION_SET
