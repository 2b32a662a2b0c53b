#pragma once

#include "core/kernels/coriolis_kernel.h"
#include "core/kernels/rnea_kernel.h"

// Forward dynamics by articulated bodies in world axes ([F], section 7.3): H v̇ = τ − τ_0, with τ_0
// that of inverse dynamics at v̇ = 0, whose forces on bodies are F, by eliminating slot after slot
// from the leaves on, as core/dynamics/forward_dynamics.cc does. Spatial vectors and matrices are
// in columns [x y z ·], whose fourth numbers mean nothing.

namespace civita::kernels::CIVITA_INSTRUCTION_SET {

/// Where a slot's row has what, as it begins: Φ, F, the mass, and of its body's inertia
/// [A B; −B m·1] the columns, which overlap: A_xx A_xy A_xz A_yz A_zz A_xy A_yy A_yz, and of
/// B = h× h_y −h_x 0 h_z −h_y −h_z 0 h_x.
constexpr int kRowPhi = 0, kRowF = kRowPhi + kSpatial, kRowMass = kRowF + kSpatial, kRowA = 16;
constexpr int kRowB = kRowA + kLanes, kBodyNumbers = kRowB + kLanes;
constexpr int kColumnsA[3] = {kRowA, kRowA + 5, kRowA + 2};
constexpr int kColumnsB[3] = {kRowB + 2, kRowB + 5, kRowB};
/// The same once it is eliminated, in place of what comes after Φ: U = I^A Φ, later the
/// acceleration of what the slot moves, G = U/D and (τ − Φᵀ F)/D.
constexpr int kRowU = 8, kRowG = kRowU + kLanes, kRowRest = kRowG + kLanes;
static_assert(kBodyNumbers % kLanes == 0 && kBodyNumbers <= Memory::kMostRowNumbers);

/// I^A = [A B; Bt M] and F of what hangs on a slot.
struct ArticulatedBody {
  Quad A[3], B[3], Bt[3], M[3], n, f;
};
static_assert(sizeof(ArticulatedBody) == Memory::kArticulatedNumbers * sizeof(double));

CIVITA_INLINE double* RowOf(const Memory& memory, int slot) {
  return memory.rows + slot * kBodyNumbers;
}
CIVITA_INLINE Quad QuadAt(const double* p) { return *reinterpret_cast<const UnalignedQuad*>(p); }
CIVITA_INLINE void PutQuad(const Quad& x, double* p) { *reinterpret_cast<UnalignedQuad*>(p) = x; }
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
    Pack x[kBodyNumbers] = {Phi.w.x, Phi.w.y, Phi.w.z, Phi.u.x, Phi.u.y, Phi.u.z, F.n.x, F.n.y,
                            F.n.z,   F.f.x,   F.f.y,   F.f.z,   I.m,     o,       o,     o,
                            A.xx,    A.xy,    A.xz,    A.yz,    A.zz,    A.xy,    A.yy,  A.yz,
                            h.y,     -h.x,    o,       h.z,     -h.y,    -h.z,    o,     h.x};
    ToRows<kBodyNumbers>(x, RowOf(memory, b * kWidth), kBodyNumbers);
  }
}

/// Takes external forces from those on the bodies.
CIVITA_INLINE void SubtractForces(const Memory& memory, const PointForces& forces) {
  const auto* frames = memory.FramesOf<Carried::kAcceleration>();
  for (int i = 0; i < forces.count; ++i) {
    const PointForce force = forces.at(forces.data, i);
    if (force.slot < 0) continue;
    const auto& frame = frames[force.slot];
    const double *p = force.point, *m = force.moment, *f = force.force;
    const Quad on_body = {f[0], f[1], f[2], 0};
    const Quad moment =
        Quad{m[0], m[1], m[2], 0} + Cross3(frame.r + Turn(frame, p[0], p[1], p[2]), on_body);
    double* F = RowOf(memory, force.slot) + kRowF;
    for (int c = 0; c < 3; ++c) F[c] -= moment[c];
    for (int c = 0; c < 3; ++c) F[kVector + c] -= f[c];
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

/// The body of a slot's row.
CIVITA_INLINE void AddBody(const double* row, ArticulatedBody* x) {
  const double m = row[kRowMass];
  for (int c = 0; c < 3; ++c) {
    const Quad B = QuadAt(row + kColumnsB[c]);
    x->A[c] += QuadAt(row + kColumnsA[c]);
    x->B[c] += B;
    x->Bt[c] -= B;
    x->M[c] += Quad{c == 0 ? m : 0, c == 1 ? m : 0, c == 2 ? m : 0, 0};
  }
  x->n += QuadAt(row + kRowF);
  x->f += QuadAt(row + kRowF + kVector);
}

/// What an eliminated slot takes from the body: I^A −= G Uᵀ, and F += U rest.
CIVITA_INLINE void Subtract(const double* row, ArticulatedBody* x) {
  const double* const U = row + kRowU;
  const Quad G_w = QuadAt(row + kRowG), G_u = QuadAt(row + kRowG + 4);
  for (int c = 0; c < 3; ++c) {
    x->A[c] -= G_w * U[c];
    x->B[c] -= G_w * U[4 + c];
    x->Bt[c] -= G_u * U[c];
    x->M[c] -= G_u * U[4 + c];
  }
  x->n += QuadAt(U) * row[kRowRest];
  x->f += QuadAt(U + 4) * row[kRowRest];
}

/// Slots from the last one on to 0. Every one is eliminated by itself, as if its body hung on a
/// chain of massless ones: with the force f = I^A a + F on it and a = a' + Φ v̇,
///   v̇ = (τ − Φᵀ F)/D − Gᵀ a',   D = Φᵀ I^A Φ + armature,   G = I^A Φ/D,
///   f = (I^A − D G Gᵀ) a' + F + G (τ − Φᵀ F).
/// What the slot before took is subtracted from products with Φ, and from the body after them, so
/// that most of the work waits for the reciprocal of the slot before that one.
/// @returns what the base bears.
CIVITA_INLINE ArticulatedBody EliminateSlots(const PlanView& plan, const Memory& memory,
                                             const double* tau) {
  static constexpr double kNone[kBodyNumbers] = {};
  auto* const sums = reinterpret_cast<ArticulatedBody*>(memory.articulated);
  const double* last = kNone;
  double last_inverse = 0;
  ArticulatedBody x;
  Clear(&x);
  for (int i = plan.n - 1; i >= 0; --i) {
    double* const row = RowOf(memory, i);
    if (plan.end[i] == i + 1) {
      Clear(&x);
      last = kNone;
      last_inverse = 0;
    } else if (plan.end[i + 1] != plan.end[i]) {
      Add(sums[i], &x);
    }
    AddBody(row, &x);
    const double *const w = row + kRowPhi, *const u = w + kVector;
    const Quad Phi_w = QuadAt(w), Phi_u = QuadAt(u);
    const Quad U_w = QuadAt(last + kRowU), U_u = QuadAt(last + kRowU + 4);
    const Quad V_w = (x.A[0] * w[0] + x.A[1] * w[1] + x.A[2] * w[2]) +
                     (x.B[0] * u[0] + x.B[1] * u[1] + x.B[2] * u[2]);
    const Quad V_u = (x.Bt[0] * w[0] + x.Bt[1] * w[1] + x.Bt[2] * w[2]) +
                     (x.M[0] * u[0] + x.M[1] * u[1] + x.M[2] * u[2]);
    const double along = Sum3(Phi_w * U_w + Phi_u * U_u);
    const double D =
        Sum3(Phi_w * V_w + Phi_u * V_u) + plan.armature[i] - along * along * last_inverse;
    const double rest = tau[i] - Sum3(Phi_w * x.n + Phi_u * x.f) - along * last[kRowRest];
    Subtract(last, &x);
    const double inverse = 1 / D, share = along * last_inverse;
    const Quad new_w = V_w - U_w * share, new_u = V_u - U_u * share;
    PutQuad(new_w, row + kRowU);
    PutQuad(new_u, row + kRowU + 4);
    PutQuad(new_w * inverse, row + kRowG);
    PutQuad(new_u * inverse, row + kRowG + 4);
    row[kRowRest] = rest * inverse;
    last = row;
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
  Subtract(last, &x);
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
  Quad a_w = {}, a_u = base;
  for (int i = 0; i < plan.n; ++i) {
    double* const row = RowOf(memory, i);
    const int parent = plan.parent[i];
    if (parent != i - 1) {
      const double* const a = RowOf(memory, parent) + kRowU;
      a_w = parent < 0 ? Quad{} : QuadAt(a);
      a_u = parent < 0 ? Quad{} : QuadAt(a + 4);
    }
    const double rate =
        row[kRowRest] - Sum3(QuadAt(row + kRowG) * a_w + QuadAt(row + kRowG + 4) * a_u);
    vdot[i] = rate;
    a_w += QuadAt(row + kRowPhi) * rate;
    a_u += QuadAt(row + kRowPhi + kVector) * rate;
    PutQuad(a_w, row + kRowU);
    PutQuad(a_u, row + kRowU + 4);
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
