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

/// Column k of H, whose rows are i: F2_kᵀ Φ_i where i moves k, F2_iᵀ Φ_k where k moves i; and of C:
/// F1_kᵀ Φ_i and F2_iᵀ Φ̇_k + F3_iᵀ Φ_k.
template <bool kWithC>
CIVITA_INLINE void CalcColumn(const PlanView& plan, const Memory& memory, int k, double* c,
                              double* h) {
  const Columns* columns = memory.columns;
  const double* own = LaneOf(columns, k);
  const auto broadcast = [own](int first) { return BroadcastV3(own + first * kWidth); };
  const Motion<Pack> Phi = {broadcast(0), broadcast(3)}, Phidot = {broadcast(6), broadcast(9)};
  const Force<Pack> F1 = {broadcast(12), broadcast(15)}, F2 = {broadcast(18), broadcast(21)};
  const auto c_before = [&](const Columns& i) { return Dot(i.Phi, F1); };
  const auto h_before = [&](const Columns& i) { return Dot(i.Phi, F2); };
  const auto c_after = [&](const Columns& i) { return Dot(Phidot, i.F2) + Dot(Phi.w, i.F3); };
  const auto h_after = [&](const Columns& i) { return Dot(Phi, i.F2); };
  const Relations relations(plan);
  const int n = plan.n, K = k / kWidth;
  for (int I = 0; I < K; ++I) {
    const unsigned lanes = relations.Before(I, k);
    const Columns& i = columns[I];
    if (kWithC)
      StoreUnaligned(c + I * kWidth, lanes == 0 ? Pack{} : And(c_before(i), MaskOf(lanes)));
    StoreUnaligned(h + I * kWidth, lanes == 0 ? Pack{} : And(h_before(i), MaskOf(lanes)));
  }
  {
    const LaneMask before = MaskOf(relations.Before(K, k)), after = MaskOf(relations.After(K, k));
    const int count = n - K * kWidth;
    const Columns& i = columns[K];
    if (kWithC)
      StoreSome(c + K * kWidth, Select(after, c_after(i), And(c_before(i), before)), count);
    const Pack armature = And(LoadUnaligned(plan.armature + K * kWidth), MaskOf(1u << k % kWidth));
    StoreSome(h + K * kWidth, Select(after, h_after(i), And(h_before(i), before)) + armature,
              count);
  }
  for (int I = K + 1; I * kWidth < n; ++I) {
    const unsigned lanes = relations.After(I, k);
    const int count = n - I * kWidth;
    const Columns& i = columns[I];
    if (kWithC)
      StoreSome(c + I * kWidth, lanes == 0 ? Pack{} : And(c_after(i), MaskOf(lanes)), count);
    StoreSome(h + I * kWidth, lanes == 0 ? Pack{} : And(h_after(i), MaskOf(lanes)), count);
  }
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

inline void CalcCoriolisMatrix(const PlanView& plan, double* scratch, const double* q,
                               const double* v, MatrixView C, MatrixView H) {
  const Memory memory(plan, scratch);
  CalcColumns(plan, memory, q, v);
  for (int k = 0; k < plan.n; ++k) {
    CalcColumn<true>(plan, memory, k, C.data + k * C.stride, H.data + k * H.stride);
  }
  AddArmature(plan, v, C);
}

/// H alone, by composite inertias.
inline void CalcMassMatrix(const PlanView& plan, double* scratch, const double* q, MatrixView H) {
  const Memory memory(plan, scratch);
  CalcCompositeInertias(plan, memory, q);
  for (int k = 0; k < plan.n; ++k) {
    CalcColumn<false>(plan, memory, k, nullptr, H.data + k * H.stride);
  }
}

}  // namespace civita::kernels::CIVITA_INSTRUCTION_SET
