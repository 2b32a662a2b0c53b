#pragma once

#include "core/kernels/frames.h"

namespace civita::kernels::CIVITA_INSTRUCTION_SET {

/// Net force I a + B(ξ, I) ξ_r of four bodies about the reference point, by way of their centres of
/// mass, with B of the family's t:
///   force = m (a + ω_r × u + t (u × ω_r + ω × u_r)),
///   moment = I (α − ω × ω_r) + (½(1 + t) tr(I) ω − I ω) × ω_r + t m u × u_r
/// about the centre of mass; for ξ_r = ξ it is Euler's equation and the same for every t.
template <Carried kCarried>
CIVITA_INLINE Force<Pack> CalcNetForce(const LinkBlock& link, const Block& block,
                                       const Motion<Pack>& a, const Motion<Pack>& vr, double t) {
  const Pack m = Load(link.m);
  const M3<Pack>& R = block.R;
  const S3<Pack> I = {Load(link.I[0]), Load(link.I[1]), Load(link.I[2]),
                      Load(link.I[3]), Load(link.I[4]), Load(link.I[5])};
  const V3<Pack> c = block.r + R * LoadV3(link.com);
  const V3<Pack> u = block.v.u + Cross(block.v.w, c);
  const V3<Pack> w_body = TransposeTimes(R, block.v.w), alpha_body = TransposeTimes(R, a.w);
  if constexpr (kCarried == Carried::kAcceleration) {
    const V3<Pack> f = m * (a.u + Cross(a.w, c) + Cross(block.v.w, u));
    return {R * (I * alpha_body + Cross(w_body, I * w_body)) + Cross(c, f), f};
  }
  const Pack tt = Broadcast(t);
  const V3<Pack> ur = vr.u + Cross(vr.w, c);
  const V3<Pack> f =
      m * (a.u + Cross(a.w, c) + Cross(vr.w, u) + tt * (Cross(u, vr.w) + Cross(block.v.w, ur)));
  const V3<Pack> wr_body = TransposeTimes(R, vr.w);
  const Pack half_trace = (0.5 + 0.5 * t) * (I.xx + I.yy + I.zz);
  const V3<Pack> n_body =
      I * (alpha_body - Cross(w_body, wr_body)) + Cross(half_trace * w_body - I * w_body, wr_body);
  return {R * n_body + (tt * m) * Cross(u, ur) + Cross(c, f), f};
}

/// Four columns [x y z 0] of numbers side by side.
CIVITA_INLINE void Scatter(const V3<Pack>& x, Pack* c0, Pack* c1, Pack* c2, Pack* c3) {
  Pack a = x.x, b = x.y, c = x.z, d = {0, 0, 0, 0};
  Transpose(a, b, c, d);
  *c0 = a;
  *c1 = b;
  *c2 = c;
  *c3 = d;
}

CIVITA_INLINE void SumForces(const PlanView& plan, ForceRow* rows) {
  ForceRow sum = rows[plan.n - 1];
  for (int i = plan.n - 1; i > 0; --i) {
    const int parent = plan.parent[i];
    if (parent == i - 1) {
      sum.n += rows[parent].n;
      sum.f += rows[parent].f;
      rows[parent] = sum;
      continue;
    }
    if (parent >= 0) {
      rows[parent].n += sum.n;
      rows[parent].f += sum.f;
    }
    sum = rows[i - 1];
  }
}

template <Carried kCarried>
CIVITA_INLINE void CalcForces(const PlanView& plan, double* scratch, const Inputs& in, double t,
                              double* tau) {
  const Memory memory(plan, scratch);
  const Frame<kCarried>* frames = memory.FramesOf<kCarried>();
  ForceRow* rows = memory.Forces();
  CalcLocals(plan, memory, in.q);
  ComposeFrames<kCarried>(plan, memory, in);
  for (int b = 0; b < plan.blocks; ++b) {
    const Frame<kCarried>* f = frames + kLanes * b;
    Block& block = memory.blocks[b];
    GatherPose(f, &block);
    block.v = Gather(f[0].v, f[1].v, f[2].v, f[3].v);
    const Motion<Pack> a = Gather(f[0].a, f[1].a, f[2].a, f[3].a);
    Motion<Pack> vr = block.v;
    if constexpr (kCarried == Carried::kReference) {
      vr = Gather(f[0].vr, f[1].vr, f[2].vr, f[3].vr);
    }
    memory.columns[b].Phi = CalcPhi(plan.links[b], block);
    const Force<Pack> F = CalcNetForce<kCarried>(plan.links[b], block, a, vr, t);
    ForceRow* row = rows + kLanes * b;
    Scatter(F.n, &row[0].n, &row[1].n, &row[2].n, &row[3].n);
    Scatter(F.f, &row[0].f, &row[1].f, &row[2].f, &row[3].f);
  }
  SumForces(plan, rows);
  for (int b = 0; b < plan.blocks; ++b) {
    const ForceRow* row = rows + kLanes * b;
    const Motion<Pack>& Phi = memory.columns[b].Phi;
    const V3<Pack> n = Gather(row[0].n, row[1].n, row[2].n, row[3].n);
    const V3<Pack> f = Gather(row[0].f, row[1].f, row[2].f, row[3].f);
    const int count = plan.n - kLanes * b < kLanes ? plan.n - kLanes * b : kLanes;
    Pack x = Dot(Phi.w, n) + Dot(Phi.u, f);
    x += LoadUnaligned(plan.armature + kLanes * b) * LoadUnaligned(in.vdot_r + kLanes * b);
    StoreSome(tau + kLanes * b, x, count);
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
