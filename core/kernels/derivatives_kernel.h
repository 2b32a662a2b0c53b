#pragma once

#include "core/kernels/coriolis_kernel.h"
#include "core/kernels/rnea_kernel.h"

// Derivatives of inverse dynamics by the formulas of core/dynamics/dynamics_derivatives.cc: the
// square of products that C is, once for ∂τ/∂v and once for ∂τ/∂q.

namespace civita::kernels::CIVITA_INSTRUCTION_SET {

using VelocityProducts = Products<true, true, kF1, kPhidot, kPhi>;
using PositionProducts = Products<false, true, kG, kPsiddot, kPsidot>;

/// Inertia, Coriolis factor and net force of a pack of slots, which are summed over subtrees.
struct alignas(64) SummedWithForce {
  Inertia<Pack> J;
  ChristoffelFactor<Pack> B;
  Force<Pack> F;
  Pack padding[4];  ///< zero, as rows are summed whole

  CIVITA_INLINE Pack* numbers() { return &J.m; }
};
/// Where a slot's row has the force.
constexpr int kSummedForce = offsetof(SummedWithForce, F) / sizeof(Pack);
static_assert(sizeof(SummedWithForce) == Memory::kRowNumbersWithForce * sizeof(Pack));

/// 2 B (ω, ·).
CIVITA_INLINE Force<Pack> TwiceFactor(const ChristoffelFactor<Pack>& B, const V3<Pack>& w) {
  const V3<Pack> twice = w + w;
  return {B.B11 * twice, Cross(twice, B.f)};
}

/// Φ, Φ̇ + ψ̇, ψ̇ and ψ̈ of joints of one degree of freedom at velocity v and acceleration a, for which
/// ψ̇ = Φ̇ and ψ̈ = a × Φ + v × Φ̇ whether or not v and a have their own share.
CIVITA_INLINE void SetFlows(const Motion<Pack>& v, const Motion<Pack>& a, DerivativeColumns* x) {
  const Motion<Pack> Phidot = Cross(v, x->Phi);
  x->Phidot = Phidot + Phidot;
  x->Psidot = Phidot.w;
  x->Psiddot = Cross(a, x->Phi) + Cross(v, Phidot);
}

/// The same of the rotations of a triple: ψ̇ = ξ₀ × Φ, ψ̈ = a₀ × Φ + ξ₀ × ψ̇, with ξ₀ and a₀ of what
/// comes before them.
CIVITA_INLINE void SetFlowsOfTriple(const PlanView& plan, const Memory& memory, const Inputs& in,
                                    int triple) {
  const auto* frames = memory.FramesOf<Carried::kAcceleration>();
  Motion<double> v0 = {}, a0 = {{}, {-plan.gravity[0], -plan.gravity[1], -plan.gravity[2]}};
  const int parent = plan.parent[triple];
  if (plan.kind[triple] != SlotKind::kBall) {  // of a free joint, after its translations
    v0.u = {in.v[triple - 3], in.v[triple - 2], in.v[triple - 1]};
    a0.u = a0.u + V3<double>{in.vdot_r[triple - 3], in.vdot_r[triple - 2], in.vdot_r[triple - 1]};
  } else if (parent >= 0) {
    v0 = ToMotion(frames[parent].v);
    a0 = ToMotion(frames[parent].a);
  }
  const Motion<double> v = ToMotion(frames[triple].v);
  for (int k = triple; k < triple + 3; ++k) {
    const unsigned lane = LaneOf(k);
    DerivativeColumns& pack = PackOf(memory.derivatives, k);
    const Motion<double> Phi = AtLane(pack.Phi, lane);
    const Motion<double> Psidot = Cross(v0, Phi);
    PutAtLane(Cross(v, Phi) + Psidot, lane, &pack.Phidot);
    PutAtLane(Psidot.w, lane, &pack.Psidot);
    PutAtLane(Cross(a0, Phi) + Cross(v0, Psidot), lane, &pack.Psiddot);
  }
}

/// A rotation k moves those before it in its own triple, so that F does not turn along:
/// ∂τ_i/∂q_k −= Φ_iᵀ (Φ_k ×* F). `forces` is where the row of slot 0 has its F.
template <typename T>
CIVITA_INLINE void SubtractWithinTriple(const T* columns, const double* forces, int row_numbers,
                                        int triple, MatrixView dtau_dq) {
  for (int k = triple + 1; k < triple + 3; ++k) {
    const double* F = forces + k * row_numbers;
    const Force<double> turned =
        CrossForce(PhiOf(columns, k), Force<double>{{F[0], F[1], F[2]}, {F[3], F[4], F[5]}});
    for (int i = triple; i < k; ++i) {
      dtau_dq.data[k * dtau_dq.stride + i] -= Dot(PhiOf(columns, i), turned);
    }
  }
}

/// The columns of every slot, and in its row what is summed.
CIVITA_INLINE void CalcDerivativeColumns(const PlanView& plan, const Memory& memory,
                                         const Inputs& in) {
  constexpr int kNumbers = Memory::kRowNumbersWithForce;
  const auto row = [&](int pack) { return memory.rows + pack * kWidth * kNumbers; };
  CalcLocals(plan, memory, in.q);
  ComposeFrames<Carried::kAcceleration>(plan, memory, in);
  for (int b = 0; b < NumPacks(plan); ++b) {
    const LinkPack link(plan, b);
    const CarriedPack<Carried::kAcceleration> f(memory, b);
    DerivativeColumns& columns = memory.derivatives[b];
    columns.Phi = CalcPhi(link, f.R(), f.r());
    SetFlows(f.v(), f.a(), &columns);
    SummedWithForce x = {};
    x.J = CalcWorldInertia(link, f.R(), f.r());
    x.B = CalcChristoffelFactor(x.J, f.v());
    x.F = CalcNetForce(link, f, 0);
    ToRows<kNumbers>(x.numbers(), row(b), kNumbers);
  }
  for (int t = 0; t < plan.num_triples; ++t) SetFlowsOfTriple(plan, memory, in, plan.triples[t]);
  SumRows<kNumbers>(plan, memory.rows, kNumbers);
  for (int b = 0; b < NumPacks(plan); ++b) {
    const auto x = FromRows<SummedWithForce>(memory.rows, kNumbers, b);
    DerivativeColumns& columns = memory.derivatives[b];
    const Motion<Pack>& Phi = columns.Phi;
    columns.F1 = x.J * columns.Phidot + TwiceFactor(x.B, Phi.w);
    columns.F2 = x.J * Phi;
    const V3<Pack> F3 = TransposeTimes(x.B.B11, Phi.w) + Cross(x.B.f, Phi.u);
    columns.F3 = F3 + F3;
    columns.G = CrossForce(Phi, x.F) + x.J * columns.Psiddot + TwiceFactor(x.B, columns.Psidot);
  }
}

inline void CalcInverseDynamicsDerivatives(const PlanView& plan, double* scratch, const double* q,
                                           const double* v, const double* vdot, MatrixView dtau_dq,
                                           MatrixView dtau_dv, MatrixView H) {
  const Memory memory(plan, scratch);
  CalcDerivativeColumns(plan, memory, {q, v, v, vdot});
  if (plan.base > 0) {
    PutMomenta(plan, memory, memory.derivatives, H);
    PutTranslations<false>(plan, memory.derivatives, kF1, dtau_dv);
    PutTranslations<false>(plan, memory.derivatives, kG, dtau_dq);
  }
  CalcTiles<VelocityProducts>(plan, memory.derivatives, dtau_dv, H);
  CalcTiles<PositionProducts>(plan, memory.derivatives, dtau_dq, {});
  for (int t = 0; t < plan.num_triples; ++t) {
    SubtractWithinTriple(memory.derivatives, memory.rows + kSummedForce,
                         Memory::kRowNumbersWithForce, plan.triples[t], dtau_dq);
  }
}

}  // namespace civita::kernels::CIVITA_INSTRUCTION_SET
