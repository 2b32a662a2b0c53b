#pragma once

#include "core/kernels/frames.h"
#include "core/kernels/net_force.h"

namespace civita::kernels::CIVITA_INSTRUCTION_SET {

/// Net forces of a pack of bodies.
template <Carried kCarried>
CIVITA_INLINE Force<Pack> CalcNetForce(const LinkPack& link, const CarriedPack<kCarried>& x,
                                       double t) {
  const LinkBlock& block = link.block;
  const Pack m = link(block.m);
  const V3<Pack> com = link(block.com);
  const S3<Pack> I = link(block.I);
  if constexpr (kCarried == Carried::kAcceleration) {
    return NetForce(x.R(), x.r(), m, com, I, x.v(), x.a());
  } else {
    return NetForce(x.R(), x.r(), m, com, I, x.v(), x.a(), x.vr(), t);
  }
}

/// Numbers of a force [n; f · ·] in a slot's row, and where f begins.
constexpr int kForceNumbers = 8, kForceF = offsetof(Force<double>, f) / sizeof(double);

template <Carried kCarried>
CIVITA_INLINE void CalcForces(const PlanView& plan, double* scratch, const Inputs& in, double t,
                              double* tau) {
  const Memory memory(plan, scratch);
  CalcLocals(plan, memory, in.q);
  ComposeFrames<kCarried>(plan, memory, in);
  const auto row = [&](int pack) { return memory.rows + pack * kWidth * kForceNumbers; };
  for (int b = 0; b < NumPacks(plan); ++b) {
    const LinkPack link(plan, b);
    const CarriedPack<kCarried> carried(memory, b);
    memory.columns[b].Phi = CalcPhi(link, carried.R(), carried.r());
    const Force<Pack> F = CalcNetForce<kCarried>(link, carried, t);
    Pack x[kForceNumbers] = {F.n.x, F.n.y, F.n.z, F.f.x, F.f.y, F.f.z};
    ToRows<kForceNumbers>(x, row(b), kForceNumbers);
  }
  SumRows<kForceNumbers>(plan, memory.rows, kForceNumbers);
  for (int a = 0; a < plan.base; ++a) {  // the force on all that the base moves
    const int i = a - plan.base;
    tau[i] = memory.rows[kForceF + a] + plan.armature[i] * in.vdot_r[i];
  }
  for (int b = 0; b < NumPacks(plan); ++b) {
    Pack x[kForceNumbers];
    FromRows<kForceNumbers>(row(b), kForceNumbers, x);
    Pack sum = Dot(memory.columns[b].Phi, Force<Pack>{{x[0], x[1], x[2]}, {x[3], x[4], x[5]}});
    sum += LoadUnaligned(plan.armature + kWidth * b) * LoadUnaligned(in.vdot_r + kWidth * b);
    StoreSome(tau + kWidth * b, sum, plan.n - kWidth * b);
  }
}

inline void CalcInverseDynamics(const PlanView& plan, double* scratch, const double* q,
                                const double* v, const double* vdot, double* tau) {
  CalcForces<Carried::kAcceleration>(plan, scratch, {q, v, v, vdot}, 0, tau);
}

/// The armature of rotations that do not commute adds ½a v × v_r.
inline void CalcPassivityInverseDynamics(const PlanView& plan, double* scratch, double t,
                                         const double* q, const double* v, const double* v_r,
                                         const double* vdot_r, double* tau) {
  CalcForces<Carried::kReference>(plan, scratch, {q, v, v_r, vdot_r}, t, tau);
  for (int s = 0; s < plan.num_triples; ++s) {
    const int k = plan.triples[s];
    const double half = 0.5 * plan.armature[k];
    for (int a = 0; a < 3; ++a) {
      const int i = k + a, j = k + (a + 1) % 3, l = k + (a + 2) % 3;
      tau[i] += half * (v[j] * v_r[l] - v[l] * v_r[j]);
    }
  }
}

}  // namespace civita::kernels::CIVITA_INSTRUCTION_SET
