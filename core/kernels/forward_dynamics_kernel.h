#pragma once

#include "core/kernels/rnea_kernel.h"

// Forward dynamics by articulated bodies in world axes ([F], section 7.3): H v̇ = τ − τ_0, with τ_0 that
// of inverse dynamics at v̇ = 0, whose forces on bodies are F, by eliminating slot after slot from the
// leaves on, as core/dynamics/forward_dynamics.cc does. Spatial vectors and matrices are in columns
// [x y z ·], whose fourth numbers mean nothing.

namespace civita::kernels::CIVITA_INSTRUCTION_SET {

/// A slot as it begins: Φ, the inertia [A B; −B m·1] of its body, and F, whose fourth number is m.
struct alignas(64) BodyRow {
  Quad Phi_w, Phi_u, A[3], B[3], n, f;
};
/// The same once it is eliminated: G = U/D of U = I^A Φ, and the acceleration of what it moves.
struct alignas(64) EliminatedRow {
  Quad Phi_w, Phi_u, G_w, G_u, U_w, U_u, a_w, a_u;
  double rest;  ///< (τ − Φᵀ F)/D
};
constexpr int kBodyNumbers = sizeof(BodyRow) / sizeof(double);
static_assert(kBodyNumbers <= Memory::kMostRowNumbers && sizeof(EliminatedRow) <= sizeof(BodyRow));

/// I^A = [A B; Bt M] and F of what hangs on a slot.
struct ArticulatedBody {
  Quad A[3], B[3], Bt[3], M[3], n, f;
};
static_assert(sizeof(ArticulatedBody) == Memory::kArticulatedNumbers * sizeof(double));

// Of what is in memory: from a register it would have to be shuffled.
CIVITA_INLINE double NumberOf(const Quad& x, int i) {
  return reinterpret_cast<const double*>(&x)[i];
}
/// The sum of the first three.
CIVITA_INLINE double Sum3(const Quad& x) { return (x[0] + x[1]) + x[2]; }

/// Rows of all slots.
CIVITA_INLINE void CalcBodyRows(const PlanView& plan, const Memory& memory) {
  for (int b = 0; b < NumPacks(plan); ++b) {
    const LinkPack link(plan, b);
    const CarriedPack<Carried::kAcceleration> carried(memory, b);
    const M3<Pack> R = carried.R();
    const V3<Pack> r = carried.r();
    const Motion<Pack> Phi = CalcPhi(link, R, r);
    const Force<Pack> F = CalcNetForce<Carried::kAcceleration>(link, carried, 0);
    const Inertia<Pack> I = CalcWorldInertia(link, R, r);
    const V3<Pack>& h = I.h;
    const S3<Pack>& A = I.Ibar;
    const Pack o = {};
    Pack x[kBodyNumbers] = {Phi.w.x, Phi.w.y, Phi.w.z, o, Phi.u.x, Phi.u.y, Phi.u.z, o,
                            A.xx,    A.xy,    A.xz,    o, A.xy,    A.yy,    A.yz,    o,
                            A.xz,    A.yz,    A.zz,    o, o,       h.z,     -h.y,    o,
                            -h.z,    o,       h.x,     o, h.y,     -h.x,    o,       o,
                            F.n.x,   F.n.y,   F.n.z,   o, F.f.x,   F.f.y,   F.f.z,   I.m};
    ToRows<kBodyNumbers>(x, memory.rows + b * kWidth * kBodyNumbers, kBodyNumbers);
  }
}

/// Takes external forces from those on the bodies.
CIVITA_INLINE void SubtractForces(const Memory& memory, const PointForces& forces) {
  const auto* frames = memory.FramesOf<Carried::kAcceleration>();
  for (int i = 0; i < forces.count; ++i) {
    const PointForce force = forces.at(forces.data, i);
    if (force.slot < 0) continue;
    const auto& frame = frames[force.slot];
    BodyRow& row = reinterpret_cast<BodyRow*>(memory.rows)[force.slot];
    const double *p = force.point, *m = force.moment, *f = force.force;
    const Quad on_body = {f[0], f[1], f[2], 0};
    row.n -= Quad{m[0], m[1], m[2], 0} + Cross3(frame.r + Turn(frame, p[0], p[1], p[2]), on_body);
    row.f -= on_body;
  }
}

// Number by number: where structs are copied, GCC 12 keeps x in memory throughout.
CIVITA_INLINE void Put(const ArticulatedBody& x, ArticulatedBody* to) {
  for (int c = 0; c < 3; ++c) {
    to->A[c] = x.A[c];
    to->B[c] = x.B[c];
    to->Bt[c] = x.Bt[c];
    to->M[c] = x.M[c];
  }
  to->n = x.n;
  to->f = x.f;
}
CIVITA_INLINE void Clear(ArticulatedBody* x) {
  for (int c = 0; c < 3; ++c) x->A[c] = x->B[c] = x->Bt[c] = x->M[c] = Quad{};
  x->n = x->f = Quad{};
}
CIVITA_INLINE void Add(const ArticulatedBody& from, ArticulatedBody* x) {
  for (int c = 0; c < 3; ++c) {
    x->A[c] += from.A[c];
    x->B[c] += from.B[c];
    x->Bt[c] += from.Bt[c];
    x->M[c] += from.M[c];
  }
  x->n += from.n;
  x->f += from.f;
}

CIVITA_INLINE void Add(const BodyRow& body, ArticulatedBody* x) {
  const double mass = NumberOf(body.f, 3);
  for (int c = 0; c < 3; ++c) {
    x->A[c] += body.A[c];
    x->B[c] += body.B[c];
    x->Bt[c] -= body.B[c];
    x->M[c] += Quad{c == 0 ? mass : 0, c == 1 ? mass : 0, c == 2 ? mass : 0, 0};
  }
  x->n += body.n;
  x->f += body.f;
}

/// What an eliminated slot takes from the body: I^A −= G Uᵀ, and F += U rest.
CIVITA_INLINE void Subtract(const EliminatedRow& slot, ArticulatedBody* x) {
  const Quad G_w = slot.G_w, G_u = slot.G_u;
  for (int c = 0; c < 3; ++c) {
    const double w = NumberOf(slot.U_w, c), u = NumberOf(slot.U_u, c);
    x->A[c] -= G_w * w;
    x->B[c] -= G_w * u;
    x->Bt[c] -= G_u * w;
    x->M[c] -= G_u * u;
  }
  x->n += slot.U_w * slot.rest;
  x->f += slot.U_u * slot.rest;
}

/// Slots from the last one on to 0. Every one is eliminated by itself, as if its body hung on a chain
/// of massless ones: with the force f = I^A a + F on it and a = a' + Φ v̇,
///   v̇ = (τ − Φᵀ F)/D − Gᵀ a',   D = Φᵀ I^A Φ + armature,   G = I^A Φ/D,
///   f = (I^A − D G Gᵀ) a' + F + G (τ − Φᵀ F).
/// What the slot before took is subtracted from products with Φ, and from the body after them, so that
/// most of the work waits for the reciprocal of the slot before that one.
/// @returns what the base bears.
CIVITA_INLINE ArticulatedBody EliminateSlots(const PlanView& plan, const Memory& memory,
                                             const double* tau) {
  auto* const sums = reinterpret_cast<ArticulatedBody*>(memory.articulated);
  auto* const rows = reinterpret_cast<EliminatedRow*>(memory.rows);
  const EliminatedRow none = {};
  const EliminatedRow* last = &none;
  double last_inverse = 0;
  ArticulatedBody x;
  Clear(&x);
  for (int i = plan.n - 1; i >= 0; --i) {
    EliminatedRow& row = rows[i];
    if (plan.end[i] == i + 1) {
      Clear(&x);
      last = &none;
      last_inverse = 0;
    } else if (plan.end[i + 1] != plan.end[i]) {
      Add(sums[i], &x);
    }
    Add(reinterpret_cast<BodyRow&>(row), &x);
    const Quad Phi_w = row.Phi_w, Phi_u = row.Phi_u, U_w = last->U_w, U_u = last->U_u;
    Quad V_w = {}, V_u = {}, other_w = {}, other_u = {};
    for (int c = 0; c < 3; ++c) {
      const double w = NumberOf(row.Phi_w, c), u = NumberOf(row.Phi_u, c);
      V_w += x.A[c] * w;
      V_u += x.Bt[c] * w;
      other_w += x.B[c] * u;
      other_u += x.M[c] * u;
    }
    V_w += other_w;
    V_u += other_u;
    const double along = Sum3(Phi_w * U_w + Phi_u * U_u);
    const double D = Sum3(Phi_w * V_w + Phi_u * V_u) + plan.armature[i] - along * along * last_inverse;
    const double rest = tau[i] - Sum3(Phi_w * x.n + Phi_u * x.f) - along * last->rest;
    Subtract(*last, &x);
    const double inverse = 1 / D;
    row.U_w = V_w - U_w * (along * last_inverse);
    row.U_u = V_u - U_u * (along * last_inverse);
    row.G_w = row.U_w * inverse;
    row.G_u = row.U_u * inverse;
    row.rest = rest * inverse;
    last = &row;
    last_inverse = inverse;
    const int parent = plan.parent[i];
    if (parent == i - 1 || parent < 0) continue;  // or the world bears it
    Subtract(row, &x);
    if (plan.end[parent] == plan.end[i]) {  // the last of its children, which comes first
      Put(x, &sums[parent]);
    } else {
      Add(x, &sums[parent]);
    }
  }
  Subtract(*last, &x);
  return x;
}

/// The base's translations: M v̇ = τ − f. @returns their acceleration.
CIVITA_INLINE Quad SolveBase(const PlanView& plan, const ArticulatedBody& x, const double* tau,
                             double* vdot) {
  const double *m = plan.armature, f[3] = {tau[-3] - x.f[0], tau[-2] - x.f[1], tau[-1] - x.f[2]};
  const V3<double> a = {x.M[0][0] + m[-3], x.M[0][1], x.M[0][2]};
  const V3<double> b = {x.M[0][1], x.M[1][1] + m[-2], x.M[1][2]};
  const V3<double> c = {x.M[0][2], x.M[1][2], x.M[2][2] + m[-1]};
  const V3<double> bc = Cross(b, c), ca = Cross(c, a), ab = Cross(a, b);
  const V3<double> y = (1 / Dot(a, bc)) * (f[0] * bc + f[1] * ca + f[2] * ab);
  vdot[-3] = y.x;
  vdot[-2] = y.y;
  vdot[-1] = y.z;
  return Quad{y.x, y.y, y.z, 0};
}

/// v̇ from the roots on.
CIVITA_INLINE void AccelerateSlots(const PlanView& plan, const Memory& memory, Quad base,
                                   double* vdot) {
  auto* const rows = reinterpret_cast<EliminatedRow*>(memory.rows);
  Quad a_w = {}, a_u = base;
  for (int i = 0; i < plan.n; ++i) {
    EliminatedRow& row = rows[i];
    const int parent = plan.parent[i];
    if (parent != i - 1) {
      a_w = parent < 0 ? Quad{} : rows[parent].a_w;
      a_u = parent < 0 ? Quad{} : rows[parent].a_u;
    }
    const double rate = row.rest - Sum3(row.G_w * a_w + row.G_u * a_u);
    vdot[i] = rate;
    a_w += row.Phi_w * rate;
    a_u += row.Phi_u * rate;
    row.a_w = a_w;
    row.a_u = a_u;
  }
}

inline void CalcForwardDynamics(const PlanView& plan, double* scratch, const double* q,
                                const double* v, const double* zeros, const double* tau,
                                const PointForces& forces, double* vdot) {
  const Memory memory(plan, scratch);
  CalcLocals(plan, memory, q);
  ComposeFrames<Carried::kAcceleration>(plan, memory, {q, v, v, zeros});
  CalcBodyRows(plan, memory);
  SubtractForces(memory, forces);
  const ArticulatedBody x = EliminateSlots(plan, memory, tau);
  AccelerateSlots(plan, memory, plan.base > 0 ? SolveBase(plan, x, tau, vdot) : Quad{}, vdot);
}

}  // namespace civita::kernels::CIVITA_INSTRUCTION_SET
