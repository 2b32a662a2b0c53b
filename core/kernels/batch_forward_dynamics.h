#pragma once

#include "core/kernels/batch_rnea.h"

// Forward dynamics by articulated bodies, as core/dynamics/forward_dynamics.cc has it, a state a
// lane. F is the force at v̇ = 0, so that no acceleration but that of v̇ is carried, and what a body
// adds is computed where it is added: that needs not wait for the coordinates behind it.

namespace civita::kernels::CIVITA_INSTRUCTION_SET {

/// I^A about the reference point, [n; f] = [I B; Bᵀ M] [ω; u], and F of what hangs on a coordinate.
struct BatchArticulatedBody {
  S3<States> I, M;
  M3<States> B;
  Force<States> F;
};
static_assert(sizeof(BatchArticulatedBody) <=
              sizeof(Inertia<States>) + sizeof(ChristoffelFactor<States>) + sizeof(Motion<States>));

CIVITA_INLINE void SetZero(BatchArticulatedBody* x) {
#pragma GCC unroll 27
  for (int i = 0; i < 27; ++i) (&x->I.xx)[i] = States{};
}
CIVITA_INLINE void Add(const BatchArticulatedBody& from, BatchArticulatedBody* x) {
#pragma GCC unroll 27
  for (int i = 0; i < 27; ++i) (&x->I.xx)[i] += (&from.I.xx)[i];
}

/// The body alone.
CIVITA_INLINE void AddBody(const Tree& tree, const BatchMemory& memory, int b,
                           BatchArticulatedBody* x) {
  const Link& link = tree.links[b];
  const BatchBody& body = memory.bodies[b];
  const auto [m, h, I] = WorldInertia<States>(body.R_WB, body.r, Constant<States>(link.mass),
                                              Cast<States>(link.com), Cast<States>(link.inertia));
  x->I += I;
  x->M += S3<States>{m, {}, {}, m, {}, m};
  x->B += Skew(h);
  x->F += NetForceOn(tree, memory, b);
}

/// I^A −= G Uᵀ and F += G rest.
CIVITA_INLINE void Subtract(const Force<States>& G, const Force<States>& U, const States& rest,
                            BatchArticulatedBody* x) {
  const auto subtract = [](const V3<States>& a, const V3<States>& b, S3<States>* M) {
    M->xx -= a.x * b.x;
    M->xy -= a.x * b.y;
    M->xz -= a.x * b.z;
    M->yy -= a.y * b.y;
    M->yz -= a.y * b.z;
    M->zz -= a.z * b.z;
  };
  subtract(G.n, U.n, &x->I);
  subtract(G.f, U.f, &x->M);
  const States n[3] = {G.n.x, G.n.y, G.n.z}, f[3] = {U.f.x, U.f.y, U.f.z};
#pragma GCC unroll 9
  for (int i = 0; i < 9; ++i) x->B.a[i] -= n[i / 3] * f[i % 3];
  x->F += rest * G;
}

/// Dot, of which half waits for the other: every coordinate waits for the one before.
CIVITA_INLINE States DotByHalves(const Motion<States>& x, const Force<States>& F) {
  return Dot(x.w, F.n) + Dot(x.u, F.f);
}

/// Coordinates from the last one on, as Eliminate of core/dynamics/forward_dynamics.cc: `tau`
/// becomes the first term of v̇.
CIVITA_INLINE void Eliminate(const Tree& tree, const BatchMemory& memory, Force<States>* gain) {
  auto* const sums =
      reinterpret_cast<BatchArticulatedBody*>(memory.Ic);  // of all children but b + 1
  bool* const has_sum = reinterpret_cast<bool*>(memory.v_r);
  for (int b = 0; b < tree.num_bodies; ++b) has_sum[b] = false;
  BatchArticulatedBody x = {};
  for (int b = tree.num_bodies - 1; b >= 0; --b) {
    const Link& link = tree.links[b];
    if (has_sum[b]) Add(sums[b], &x);
    AddBody(tree, memory, b, &x);
    for (int k = link.iv + link.nv - 1; k >= link.iv; --k) {
      const Motion<States>& Phi = memory.Phi[k];
      const Force<States> U = {x.I * Phi.w + x.B * Phi.u, TransposeTimes(x.B, Phi.w) + x.M * Phi.u};
      const States D = DotByHalves(Phi, U) + Constant<States>(tree.armature[k]);
      const States inverse = Constant<States>(1) / D;
      const Force<States> G = inverse * U;
      const States rest = memory.tau[k] - Dot(Phi, x.F);
      Subtract(G, U, rest, &x);
      Put(G, &gain[k]);
      memory.tau[k] = rest * inverse;
    }
    const int parent = link.parent;
    if (parent == b - 1) continue;
    if (parent >= 0) {
      if (!has_sum[parent]) SetZero(&sums[parent]);
      has_sum[parent] = true;
      Add(x, &sums[parent]);
    }
    SetZero(&x);
  }
}

inline void CalcForwardDynamics(const PlanView& plan, double* scratch, const Batch& batch,
                                int first, int count) {
  const Tree& tree = *plan.tree;
  const BatchMemory memory = LoadState(tree, scratch, batch, first, count);
  LoadColumns(batch.force, first, count, tree.nv, memory.tau);
  for (int b = 0; b < tree.num_bodies; ++b) CalcMotion<true>(tree, memory, b, memory.v);
  auto* const gain = reinterpret_cast<Force<States>*>(memory.Phidot);
  Eliminate(tree, memory, gain);
  Motion<States> a = {};
  for (int b = 0; b < tree.num_bodies; ++b) {
    const Link& link = tree.links[b];
    if (link.parent < 0) {
      a = Motion<States>{};
    } else if (link.parent != b - 1) {
      a = memory.A[link.parent];
    }
    for (int k = link.iv; k < link.iv + link.nv; ++k) {
      memory.tau[k] -= DotByHalves(a, gain[k]);
      a += memory.tau[k] * memory.Phi[k];
    }
    Put(a, &memory.A[b]);
  }
  StoreColumns(memory.tau, tree.nv, batch.vdot, first, count);
}

}  // namespace civita::kernels::CIVITA_INSTRUCTION_SET
