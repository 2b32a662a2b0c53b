#pragma once

#include "core/kernels/batch_frames.h"

namespace civita::kernels::CIVITA_INSTRUCTION_SET {

/// C_ik, C_ki, H_ik of every slot i that moves k, by
///   F1 = I^C Φ̇_k + B^C Φ_k, F2 = I^C Φ_k, F3 = (B^C)ᵀ Φ_k, whose force part is zero.
CIVITA_INLINE void CalcPairs(const PlanView& plan, const BatchMemory& memory, int k,
                             const Subtree& subtree) {
  const Motion<States> Phi = memory.columns[k].Phi;
  const Force<States> F2 = subtree.J * Phi;
  Force<States> F1 = subtree.J * memory.columns[k].Phidot;
  F1 += {subtree.B.B11 * Phi.w, Cross(Phi.w, subtree.B.f)};
  const V3<States> F3 = TransposeTimes(subtree.B.B11, Phi.w) + Cross(subtree.B.f, Phi.u);
  const int n = plan.n, row = plan.iv[k];
  for (int i = k; i >= 0; i = plan.parent[i]) {
    const SlotColumns& ci = memory.columns[i];
    const int column = plan.iv[i];
    const States c_ki = Dot(ci.Phidot, F2) + Dot(ci.Phi.w, F3);
    const States c_ik = Dot(ci.Phi, F1), h = Dot(ci.Phi, F2);
    memory.C[row + n * column] = c_ki;
    memory.C[column + n * row] = c_ik;
    memory.H[row + n * column] = h;
    memory.H[column + n * row] = h;
  }
}

/// Armature a·1: H's diagonal, and ½a (v×) in C for rotations that do not commute.
CIVITA_INLINE void AddBatchArmature(const PlanView& plan, const BatchMemory& memory) {
  const int n = plan.n;
  for (int k = 0; k < n; ++k) memory.H[plan.iv[k] * (n + 1)] += plan.armature[k];
  for (int t = 0; t < plan.num_triples; ++t) {
    const double half = 0.5 * plan.armature[plan.triples[t]];
    const int first = plan.iv[plan.triples[t]];
    for (int a = 0; a < 3; ++a) {
      const int i = first + a, j = first + (a + 1) % 3, l = first + (a + 2) % 3;
      memory.C[i + n * l] += half * memory.v[j];
      memory.C[l + n * i] -= half * memory.v[j];
    }
  }
}

inline void CalcCoriolisMatrices(const PlanView& plan, double* scratch, const Batch& batch,
                                 int first, int count) {
  const BatchMemory memory(plan, scratch, batch.nq);
  LoadColumns(batch.q, first, count, batch.nq, memory.q);
  LoadColumns(batch.v, first, count, plan.n, memory.v);
  ForEachJoint(plan, [&](int slot, int last) {
    SetPose(plan, memory, slot, last);
    const Motion<States> v = CalcVelocity(plan, memory, slot, last);
    Put(v, &memory.bodies[last].v);
    SetColumnRates(plan, memory, slot, last, v);
    const Inertia<States> J = CalcWorldInertia(plan, memory, last);
    Put(J, &memory.subtrees[last].J);
    Put(ChristoffelFactor(J, v), &memory.subtrees[last].B);
  });
  ForEachSlotInwards(
      plan, memory, [&](int k, int last) { CalcPairs(plan, memory, k, memory.subtrees[last]); },
      [](Subtree& parent, const Subtree& subtree) {
        parent.J += subtree.J;
        parent.B += subtree.B;
      });
  AddBatchArmature(plan, memory);
  StoreColumns(memory.C, plan.n * plan.n, batch.C, first, count);
  StoreColumns(memory.H, plan.n * plan.n, batch.H, first, count);
}

/// H alone, by composite inertias.
inline void CalcMassMatrices(const PlanView& plan, double* scratch, const Batch& batch, int first,
                             int count) {
  const BatchMemory memory(plan, scratch, batch.nq);
  LoadColumns(batch.q, first, count, batch.nq, memory.q);
  ForEachJoint(plan, [&](int slot, int last) {
    SetPose(plan, memory, slot, last);
    Put(CalcWorldInertia(plan, memory, last), &memory.subtrees[last].J);
  });
  const int n = plan.n;
  ForEachSlotInwards(
      plan, memory,
      [&](int k, int last) {
        const Force<States> F2 = memory.subtrees[last].J * memory.columns[k].Phi;
        for (int i = k; i >= 0; i = plan.parent[i]) {
          const States h = Dot(memory.columns[i].Phi, F2);
          memory.H[plan.iv[k] + n * plan.iv[i]] = memory.H[plan.iv[i] + n * plan.iv[k]] = h;
        }
      },
      [](Subtree& parent, const Subtree& subtree) { parent.J += subtree.J; });
  for (int k = 0; k < n; ++k) memory.H[plan.iv[k] * (n + 1)] += plan.armature[k];
  StoreColumns(memory.H, n * n, batch.H, first, count);
}

}  // namespace civita::kernels::CIVITA_INSTRUCTION_SET
