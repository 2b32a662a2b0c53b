#pragma once

#include "core/kernels/batch_frames.h"

namespace civita::kernels::CIVITA_INSTRUCTION_SET {

/// What H has of slot k and the base's translations, which are its first coordinates.
CIVITA_INLINE void PutMomentum(const PlanView& plan, const BatchMemory& memory, int k,
                               const V3<States>& p) {
  const std::ptrdiff_t n = plan.nv, at = plan.iv[k];
  Put(p, reinterpret_cast<V3<States>*>(memory.H + n * at));
  memory.H[at] = p.x;
  memory.H[at + n] = p.y;
  memory.H[at + 2 * n] = p.z;
}

/// C_ik, C_ki, H_ik of every slot i that moves k, by
///   F1 = I^C Φ̇_k + B^C Φ_k, F2 = I^C Φ_k, F3 = (B^C)ᵀ Φ_k, whose force part is zero.
/// Those of the base's translations i are F1's and F2's, and C_ki is zero.
CIVITA_INLINE void CalcPairs(const PlanView& plan, const BatchMemory& memory, int k,
                             const InertiaAndFactor& sum) {
  const auto& [J, B] = sum;
  const Motion<States> Phi = memory.columns[k].Phi;
  const Force<States> F2 = J * Phi;
  Force<States> F1;
  PutSum(J * memory.columns[k].Phidot, {B.B11 * Phi.w, Cross(Phi.w, B.f)}, &F1);
  const V3<States> F3 = TransposeTimes(B.B11, Phi.w) + Cross(B.f, Phi.u);
  // Copies, because a store could change what `plan` and `memory` hold, for all that GCC knows.
  const SlotColumns* const columns = memory.columns;
  const int *const parent = plan.parent, *const iv = plan.iv;
  const std::ptrdiff_t n = plan.nv, at = iv[k];
  const std::ptrdiff_t lowest = -plan.base;
  States *const C_row = memory.C + at, *const C_column = memory.C + n * at;
  States *const H_row = memory.H + at, *const H_column = memory.H + n * at;
  std::ptrdiff_t i = k;
  // Hides that the first i is k: GCC would hand Φ_k from above to the loop in registers, of which
  // none are left.
  asm("" : "+r"(i));
  for (; i >= 0; i = parent[i]) {
    const SlotColumns& ci = columns[i];
    const std::ptrdiff_t to = iv[i], across = n * to;
    C_row[across] = Dot(ci.Phidot, F2) + Dot(ci.Phi.w, F3);
    const States h = Dot(ci.Phi, F2);
    H_row[across] = h;
    H_column[to] = h;
    C_column[to] = Dot(ci.Phi, F1);
  }
  if (i < lowest) return;
  PutMomentum(plan, memory, k, F2.f);
  Put(F1.f, reinterpret_cast<V3<States>*>(C_column));
}

/// H's block of the base's translations, whose other numbers are always zero.
CIVITA_INLINE void PutMass(const PlanView& plan, const BatchMemory& memory, const States& mass) {
  for (int i = 0; i < 3; ++i) memory.H[i * (plan.nv + 1)] = mass;
}

CIVITA_INLINE void AddArmatureToDiagonal(const PlanView& plan, const BatchMemory& memory) {
  for (int k = -plan.base; k < plan.n; ++k) {
    memory.H[plan.iv[k] * (plan.nv + 1)] += plan.armature[k];
  }
}

/// Armature a·1: H's diagonal, and ½a (v×) in C for rotations that do not commute.
CIVITA_INLINE void AddBatchArmature(const PlanView& plan, const BatchMemory& memory) {
  AddArmatureToDiagonal(plan, memory);
  const int n = plan.nv;
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
  LoadColumns(batch.v, first, count, plan.nv, memory.v);
  ForEachJoint(plan, [&](int slot, int last) {
    SetPose(plan, memory, slot, last);
    const Motion<States> v = CalcVelocity(plan, memory, slot, last);
    Put(v, &memory.bodies[last].v);
    SetColumnRates(plan, memory, slot, last, v);
  });
  ForEachJointInwards(
      plan, *memory.zero, memory.sums,
      [&](int last, const InertiaAndFactor& carried, InertiaAndFactor* sum) {
        const Inertia<States> J = CalcWorldInertia(plan, memory, last);
        PutSum(J, carried.J, &sum->J);
        PutSum(CalcChristoffelFactor(J, memory.bodies[last].v), carried.B, &sum->B);
      },
      [&](int slot, int last, const InertiaAndFactor& sum) {
        if (slot < 0) PutMass(plan, memory, sum.J.m);
        for (int k = slot < 0 ? 0 : slot; k <= last; ++k) CalcPairs(plan, memory, k, sum);
      });
  AddBatchArmature(plan, memory);
  StoreColumns(memory.C, plan.nv * plan.nv, batch.C, first, count);
  StoreColumns(memory.H, plan.nv * plan.nv, batch.H, first, count);
}

/// H alone, by composite inertias.
inline void CalcMassMatrices(const PlanView& plan, double* scratch, const Batch& batch, int first,
                             int count) {
  const BatchMemory memory(plan, scratch, batch.nq);
  LoadColumns(batch.q, first, count, batch.nq, memory.q);
  ForEachJoint(plan, [&](int slot, int last) { SetPose(plan, memory, slot, last); });
  const int n = plan.nv;
  ForEachJointInwards(
      plan, memory.zero->J, reinterpret_cast<Inertia<States>*>(memory.sums),
      [&](int last, const Inertia<States>& carried, Inertia<States>* sum) {
        PutSum(CalcWorldInertia(plan, memory, last), carried, sum);
      },
      [&](int slot, int last, const Inertia<States>& J) {
        if (slot < 0) PutMass(plan, memory, J.m);
        for (int k = slot < 0 ? 0 : slot; k <= last; ++k) {
          const Force<States> F2 = J * memory.columns[k].Phi;
          int i = k;
          for (; i >= 0; i = plan.parent[i]) {
            const States h = Dot(memory.columns[i].Phi, F2);
            memory.H[plan.iv[k] + n * plan.iv[i]] = memory.H[plan.iv[i] + n * plan.iv[k]] = h;
          }
          if (i >= -plan.base) PutMomentum(plan, memory, k, F2.f);
        }
      });
  AddArmatureToDiagonal(plan, memory);
  StoreColumns(memory.H, n * n, batch.H, first, count);
}

}  // namespace civita::kernels::CIVITA_INSTRUCTION_SET
