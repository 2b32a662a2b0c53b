#pragma once

#include "core/kernels/batch_frames.h"

namespace civita::kernels::CIVITA_INSTRUCTION_SET {

/// B̃ᵀ Φ, whose force part is zero.
CIVITA_INLINE V3<States> TransposeTimes(const CoriolisFactor<States>& B,
                                        const Motion<States>& Phi) {
  return TransposeTimes(B.B11, Phi.w) + Cross(B.f, Phi.u);
}

/// Factors a_ik of the symbols of one k: Γ_ijk = a_ik · ω_j for every j on the path to k, ω_j the
/// angular part of Φ_j. With x_ij = Φ_iᵀ B̃_k Φ_j, a_ik is B̃_kᵀ Φ_i where i is on the path, too; for
/// i further out Γ_ijk = −Φ_kᵀ B̃_i Φ_j, hence −B̃_iᵀ Φ_k; else zero.
CIVITA_INLINE void CalcSymbolFactors(const PlanView& plan, const BatchMemory& memory, int k) {
  const int padded = kLanes * plan.blocks;
  for (int i = 0; i < plan.n; ++i) {
    V3<States>& a = memory.symbols[plan.iv[i]];
    const V3<States> zero{};
    if (i <= k) {
      const bool moves = plan.related[k / kLanes * padded + i] >> k % kLanes & 1;
      a = moves ? TransposeTimes(memory.subtrees[k].B, memory.columns[i].Phi) : zero;
    } else {
      const bool moves = plan.related[i / kLanes * padded + k] >> i % kLanes & 1;
      a = moves ? zero - TransposeTimes(memory.subtrees[i].B, memory.columns[k].Phi) : zero;
    }
  }
}

/// Where a state's Γ_ijk begin that have this j and k.
CIVITA_INLINE LanePointers<double> SymbolColumn(const PlanView& plan, const Batch& batch, int j,
                                                int k, int first, int count) {
  const std::ptrdiff_t n = plan.n;
  return {MatrixView{batch.Gamma.data + n * (plan.iv[j] + n * plan.iv[k]), batch.Gamma.stride},
          first, count};
}

/// Γ_ijk = Γ_ikj of all i, for j and k on one path or none.
CIVITA_INLINE void StoreSymbols(const PlanView& plan, const BatchMemory& memory, const Batch& batch,
                                int j, int k, int first, int count) {
  const LanePointers<double> jk = SymbolColumn(plan, batch, j, k, first, count);
  const LanePointers<double> kj = SymbolColumn(plan, batch, k, j, first, count);
  const int padded = kLanes * plan.blocks;
  if (plan.related[k / kLanes * padded + j] >> k % kLanes & 1) {
    const V3<States> w = memory.columns[j].Phi.w;
    StoreEach([&](int i) { return Dot(memory.symbols[i], w); }, plan.n, count, jk, kj);
  } else {
    StoreEach([&](int) { return States{}; }, plan.n, count, jk, kj);
  }
}

/// Γ_ikj of all i, for rotations j before k of one triple: Γ_ijk + Φ_iᵀ I^C (Φ_k × Φ_j), I^C of the
/// one of i and k that is further out.
CIVITA_INLINE void StoreTripleSymbols(const PlanView& plan, const BatchMemory& memory,
                                      const Batch& batch, int j, int k, int last, int first,
                                      int count) {
  const int padded = kLanes * plan.blocks;
  const V3<States> w = memory.columns[j].Phi.w;
  const Motion<States> bracket = Cross(memory.columns[k].Phi, memory.columns[j].Phi);
  const Force<States> F = memory.subtrees[last].J * bracket;
  for (int i = 0; i < plan.n; ++i) {
    States& x = memory.tau[plan.iv[i]];
    x = Dot(memory.symbols[plan.iv[i]], w);
    if (i <= k && (plan.related[k / kLanes * padded + i] >> k % kLanes & 1)) {
      x += Dot(memory.columns[i].Phi, F);
    } else if (i > k && (plan.related[i / kLanes * padded + k] >> i % kLanes & 1)) {
      x += Dot(bracket, memory.columns[i].F2);
    }
  }
  StoreEach([&](int i) { return memory.tau[i]; }, plan.n, count,
            SymbolColumn(plan, batch, k, j, first, count));
}

/// A constant metric a·1 on rates with [e_j, e_k] = ε_jkl e_l has Γ_ijk = ½ a ε_ijk.
CIVITA_INLINE void AddSymbolArmature(const PlanView& plan, const Batch& batch, int first,
                                     int count) {
  for (int t = 0; t < plan.num_triples; ++t) {
    const int triple = plan.triples[t];
    const double half = 0.5 * plan.armature[triple];
    for (int a = 0; a < 3; ++a) {
      const int i = triple + a, j = triple + (a + 1) % 3, k = triple + (a + 2) % 3;
      const LanePointers<double> jk = SymbolColumn(plan, batch, j, k, first, count);
      const LanePointers<double> kj = SymbolColumn(plan, batch, k, j, first, count);
      for (int l = 0; l < count; ++l) {
        jk.at[l][plan.iv[i]] += half;
        kj.at[l][plan.iv[i]] -= half;
      }
    }
  }
}

inline void CalcChristoffelSymbols(const PlanView& plan, double* scratch, const Batch& batch,
                                   int first, int count) {
  const BatchMemory memory(plan, scratch, batch.nq);
  LoadColumns(batch.q, first, count, batch.nq, memory.q);
  ForEachJoint(plan, [&](int slot, int last) {
    SetPose(plan, memory, slot, last);
    memory.subtrees[last].J = CalcWorldInertia(plan, memory, last);
  });
  ForEachSlotInwards(
      plan, memory,
      [&](int k, int last) {
        SlotColumns& columns = memory.columns[k];
        const Inertia<States>& J = memory.subtrees[last].J;
        memory.subtrees[k].B = ChristoffelFactor(J, columns.Phi);
        if (plan.num_triples > 0) columns.F2 = J * columns.Phi;
      },
      [](Subtree& parent, const Subtree& subtree) { parent.J += subtree.J; });
  int triple = 0;
  for (int k = 0; k < plan.n; ++k) {
    CalcSymbolFactors(plan, memory, k);
    for (int j = 0; j <= k; ++j) StoreSymbols(plan, memory, batch, j, k, first, count);
    if (triple < plan.num_triples && k > plan.triples[triple]) {
      const int last = plan.triples[triple] + 2;
      for (int j = plan.triples[triple]; j < k; ++j) {
        StoreTripleSymbols(plan, memory, batch, j, k, last, first, count);
      }
      if (k == last) ++triple;
    }
  }
  AddSymbolArmature(plan, batch, first, count);
}

}  // namespace civita::kernels::CIVITA_INSTRUCTION_SET
