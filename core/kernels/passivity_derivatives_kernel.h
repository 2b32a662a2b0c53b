#pragma once

#include "core/kernels/coriolis_kernel.h"
#include "core/kernels/derivatives_kernel.h"
#include "core/kernels/torsion_kernel.h"

// Derivatives of H v̇_r + C v_r + g by the formulas of core/dynamics/passivity_derivatives.cc: as
// those of inverse dynamics, with a factor of any torsion at each of two velocities.

namespace civita::kernels::CIVITA_INSTRUCTION_SET {

/// Where ReferenceColumns have what, but for the numbers that begin as in Columns.
constexpr Number ReferenceNumber(size_t offset) {
  return static_cast<Number>(offset / sizeof(Pack));
}
static_assert(offsetof(ReferenceColumns, Phi) == kPhi * sizeof(Pack) &&
              offsetof(ReferenceColumns, Chi) == kPhidot * sizeof(Pack) &&
              offsetof(ReferenceColumns, F1) == kF1 * sizeof(Pack) &&
              offsetof(ReferenceColumns, F2) == kF2 * sizeof(Pack) &&
              offsetof(ReferenceColumns, Qr) == kF3 * sizeof(Pack));
constexpr Number kChi = kPhidot, kQr = kF3, kQ = ReferenceNumber(offsetof(ReferenceColumns, Q)),
                 kReferencePsidot = ReferenceNumber(offsetof(ReferenceColumns, Psidot)),
                 kChidot = ReferenceNumber(offsetof(ReferenceColumns, Chidot)),
                 kReferenceG = ReferenceNumber(offsetof(ReferenceColumns, G));

using ReferenceVelocityProducts = Products<false, true, kF1, kChi, kPhi, kSpatial>;
using ReferencePositionProducts =
    Products<false, true, kReferenceG, kChidot, kReferencePsidot, kSpatial, kQ, kChi>;

/// B of any factorization at a velocity: [B11 M; −f× − Mᵀ e×].
struct TwistFactor {
  M3<Pack> B11, M;
  V3<Pack> f, e;

  CIVITA_INLINE Force<Pack> operator*(const Motion<Pack>& x) const {
    return {B11 * x.w + M * x.u, Cross(x.w, f) + Cross(e, x.u) - TransposeTimes(M, x.w)};
  }
};
/// Bᵀ x.
CIVITA_INLINE Force<Pack> TransposeTimes(const TwistFactor& B, const Motion<Pack>& x) {
  return {TransposeTimes(B.B11, x.w) + Cross(B.f, x.u) - B.M * x.u,
          TransposeTimes(B.M, x.w) - Cross(B.e, x.u)};
}

/// B(v), or with −D in place of D what torsion adds.
template <bool kOpposite>
CIVITA_INLINE TwistFactor CalcTwistFactor(const PlanView& plan, int b, const LinkPack& link,
                                          const M3<Pack>& R, const V3<Pack>& r,
                                          const Inertia<Pack>& J, const Motion<Pack>& v,
                                          const Torsion& torsion) {
  const ChristoffelFactor<Pack> B = CalcChristoffelFactor(J, v);
  TorsionFactor D = CalcFamilyFactor(link, R, r, v, torsion.t);
  if (torsion.injections != nullptr) {
    AddInjections(torsion.injections + b * kWidth, kLanes * plan.blocks, R, r, v, &D);
  }
  const Pack sign = Broadcast(kOpposite ? -1 : 1);
  TwistFactor all = {B.B11, sign * D.M, B.f, sign * D.e};
  all.B11 += Skew(sign * D.d);
  return all;
}

/// What of a pack of slots is summed over subtrees.
struct alignas(64) SummedAtTwo {
  Inertia<Pack> J;
  TwistFactor B, Br;
  Force<Pack> F;

  static constexpr int kNumbers = Memory::kMostRowNumbers;
  CIVITA_INLINE Pack* numbers() { return &J.m; }
};
static_assert(sizeof(SummedAtTwo) == SummedAtTwo::kNumbers * sizeof(Pack));
/// Where a slot's row has them.
constexpr int kForceAtTwo = offsetof(SummedAtTwo, F) / sizeof(Pack),
              kReferenceE = (offsetof(SummedAtTwo, Br) + offsetof(TwistFactor, e)) / sizeof(Pack);

/// χ, ψ̇ and χ̇ of the rotations of a triple, by the motions of what comes before them.
CIVITA_INLINE void SetReferenceFlowsOfTriple(const PlanView& plan, const Memory& memory,
                                             const Inputs& in, int triple) {
  const auto* frames = memory.FramesOf<Carried::kReference>();
  Motion<double> v0 = {}, vr0 = {},
                 a0 = {{}, {-plan.gravity[0], -plan.gravity[1], -plan.gravity[2]}};
  const int parent = plan.parent[triple];
  if (plan.kind[triple] != SlotKind::kBall) {  // of a free joint, after its translations
    const int t = triple - 3;
    v0.u = {in.v[t], in.v[t + 1], in.v[t + 2]};
    vr0.u = {in.v_r[t], in.v_r[t + 1], in.v_r[t + 2]};
    a0.u = a0.u + V3<double>{in.vdot_r[t], in.vdot_r[t + 1], in.vdot_r[t + 2]};
  } else if (parent >= 0) {
    v0 = ToMotion(frames[parent].v);
    vr0 = ToMotion(frames[parent].vr);
    a0 = ToMotion(frames[parent].a);
  }
  for (int k = triple; k < triple + 3; ++k) {
    const unsigned lane = LaneOf(k);
    ReferenceColumns& pack = PackOf(memory.references, k);
    const Motion<double> Phi = AtLane(pack.Phi, lane), Psidot = Cross(v0, Phi);
    PutAtLane(Cross(vr0, Phi), lane, &pack.Chi);
    PutAtLane(Psidot, lane, &pack.Psidot);
    PutAtLane(Cross(a0, Phi) + Cross(vr0, Psidot), lane, &pack.Chidot);
  }
}

/// ∂/∂v along the base's translations, which torsion alone has: forces of the columns, and e× among
/// themselves.
CIVITA_INLINE void PutByTranslations(const PlanView& plan, const Memory& memory,
                                     MatrixView dtau_dv) {
  const double* e = memory.rows + kReferenceE;  // of slot 0 and all that it moves
  for (int a = 0; a < 3; ++a) {
    double* column = dtau_dv.data + (a - 3) * dtau_dv.stride;
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    column[b - 3] = e[c];
    column[c - 3] = -e[b];
    for (int k = 0; k < plan.end[0]; ++k) {
      column[k] = reinterpret_cast<const double*>(&PackOf(
          memory.references, k))[(kQr + kVector + a) * kWidth + static_cast<int>(LaneOf(k))];
    }
  }
}

/// The bodies' part alone: the armature of rotations that do not commute is the caller's.
inline void CalcPassivityDerivatives(const PlanView& plan, double* scratch, const Torsion& torsion,
                                     const double* q, const double* v, const double* v_r,
                                     const double* vdot_r, MatrixView dtau_dq, MatrixView dtau_dv) {
  const Memory memory(plan, scratch);
  const Inputs in = {q, v, v_r, vdot_r};
  constexpr int kNumbers = SummedAtTwo::kNumbers;
  const auto row = [&](int pack) { return memory.rows + pack * kWidth * kNumbers; };
  CalcLocals(plan, memory, q);
  ComposeFrames<Carried::kReference>(plan, memory, in);
  for (int b = 0; b < NumPacks(plan); ++b) {
    const LinkPack link(plan, b);
    const CarriedPack<Carried::kReference> f(memory, b);
    const M3<Pack> R = f.R();
    const V3<Pack> r = f.r();
    const Motion<Pack> xi = f.v(), eta = f.vr(), a = f.a();
    ReferenceColumns& x = memory.references[b];
    // Of joints of one degree of freedom, whether or not the motions have their own share.
    x.Phi = CalcPhi(link, R, r);
    x.Chi = Cross(eta, x.Phi);
    x.Psidot = Cross(xi, x.Phi);
    x.Chidot = Cross(a, x.Phi) + Cross(eta, x.Psidot);
    SummedAtTwo sum;
    sum.J = CalcWorldInertia(link, R, r);
    sum.B = CalcTwistFactor<false>(plan, b, link, R, r, sum.J, xi, torsion);
    sum.Br = CalcTwistFactor<true>(plan, b, link, R, r, sum.J, eta, torsion);
    sum.F = sum.J * a + sum.B * eta;
    ToRows<kNumbers>(sum.numbers(), row(b), kNumbers);
  }
  for (int t = 0; t < plan.num_triples; ++t) {
    SetReferenceFlowsOfTriple(plan, memory, in, plan.triples[t]);
  }
  SumRows<kNumbers>(plan, memory.rows, kNumbers);
  for (int b = 0; b < NumPacks(plan); ++b) {
    const auto sum = FromRows<SummedAtTwo>(memory.rows, kNumbers, b);
    ReferenceColumns& x = memory.references[b];
    const Motion<Pack>& Phi = x.Phi;
    x.F1 = sum.J * x.Chi + sum.Br * Phi;
    x.F2 = sum.J * Phi;
    x.Q = TransposeTimes(sum.B, Phi);
    x.Qr = TransposeTimes(sum.Br, Phi);
    x.G = CrossForce(Phi, sum.F) + sum.J * x.Chidot + sum.Br * x.Psidot + sum.B * x.Chi;
  }
  if (plan.base > 0) {
    PutTranslations<false>(plan, memory.references, kF1, dtau_dv);
    PutTranslations<false>(plan, memory.references, kReferenceG, dtau_dq);
    PutByTranslations(plan, memory, dtau_dv);
  }
  CalcTiles<ReferenceVelocityProducts>(plan, memory.references, dtau_dv, {});
  CalcTiles<ReferencePositionProducts>(plan, memory.references, dtau_dq, {});
  for (int t = 0; t < plan.num_triples; ++t) {
    SubtractWithinTriple(memory.references, memory.rows + kForceAtTwo, kNumbers, plan.triples[t],
                         dtau_dq);
  }
}

}  // namespace civita::kernels::CIVITA_INSTRUCTION_SET
