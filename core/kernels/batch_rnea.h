#pragma once

#include "core/kernels/batch_memory.h"
#include "core/kernels/net_force.h"

namespace civita::kernels::CIVITA_INSTRUCTION_SET {

/// Pose and velocity of body b, and J v̇_r + J̇ v_r, gravity as an acceleration of the world; with
/// kAtRest v̇_r = 0.
template <bool kAtRest = false>
CIVITA_INLINE void CalcMotion(const Tree& tree, const BatchMemory& memory, int b,
                              const States* v_r) {
  const Link& link = tree.links[b];
  CalcBatchPose(link, memory, b);
  CalcBatchVelocity(link, memory, b);
  Motion<States> a = JointMotion(link, memory.Phidot, v_r);
  if constexpr (!kAtRest) a += JointMotion(link, memory.Phi, memory.vdot_r);
  if (link.parent < 0) {
    a.u += Cast<States>(-tree.gravity);
  } else {
    a += memory.A[link.parent];
  }
  Put(a, &memory.A[b]);
}

/// The net force on body b of the acceleration memory.A.
CIVITA_INLINE Force<States> NetForceOn(const Tree& tree, const BatchMemory& memory, int b) {
  const Link& link = tree.links[b];
  const BatchBody& body = memory.bodies[b];
  return NetForce(body.R_WB, body.r, Constant<States>(link.mass), Cast<States>(link.com),
                  Cast<States>(link.inertia), body.V, memory.A[b]);
}

/// τ_k = Φ_kᵀ F of the subtree, and the armature's share.
CIVITA_INLINE void ProjectForces(const Tree& tree, const BatchMemory& memory) {
  SumOverSubtrees(tree, memory.F, [&](int b, const Force<States>& F) {
    const Link& link = tree.links[b];
    for (int k = link.iv; k < link.iv + link.nv; ++k) {
      memory.tau[k] = Dot(memory.Phi[k], F) + tree.armature[k] * memory.vdot_r[k];
    }
  });
}

inline void CalcInverseDynamics(const PlanView& plan, double* scratch, const Batch& batch,
                                int first, int count) {
  const Tree& tree = *plan.tree;
  const BatchMemory memory = LoadState(tree, scratch, batch, first, count);
  LoadColumns(batch.vdot_r, first, count, tree.nv, memory.vdot_r);
  for (int b = 0; b < tree.num_bodies; ++b) {
    CalcMotion(tree, memory, b, memory.v);
    Put(NetForceOn(tree, memory, b), &memory.F[b]);
  }
  ProjectForces(tree, memory);
  StoreColumns(memory.tau, tree.nv, batch.tau, first, count);
}

/// With the family's C. The armature of rotations that do not commute adds ½a v × v_r.
inline void CalcPassivityInverseDynamics(const PlanView& plan, double* scratch, const Batch& batch,
                                         int first, int count) {
  const Tree& tree = *plan.tree;
  const BatchMemory memory = LoadState(tree, scratch, batch, first, count);
  LoadColumns(batch.v_r, first, count, tree.nv, memory.v_r);
  LoadColumns(batch.vdot_r, first, count, tree.nv, memory.vdot_r);
  for (int b = 0; b < tree.num_bodies; ++b) {
    const Link& link = tree.links[b];
    const BatchBody& body = memory.bodies[b];
    CalcMotion(tree, memory, b, memory.v_r);
    Motion<States> v_r = JointMotion(link, memory.Phi, memory.v_r);
    if (link.parent >= 0) v_r += memory.Vr[link.parent];
    Put(v_r, &memory.Vr[b]);
    Put(NetForce(body.R_WB, body.r, Constant<States>(link.mass), Cast<States>(link.com),
                 Cast<States>(link.inertia), body.V, memory.A[b], v_r, batch.t),
        &memory.F[b]);
  }
  ProjectForces(tree, memory);
  for (int k = 0; k < tree.nv; ++k) {
    if (tree.triple[k] != k) continue;
    const auto vector = [k](const States* x) { return V3<States>{x[k], x[k + 1], x[k + 2]}; };
    const V3<States> skew =
        Constant<States>(0.5 * tree.armature[k]) * Cross(vector(memory.v), vector(memory.v_r));
    memory.tau[k] += skew.x;
    memory.tau[k + 1] += skew.y;
    memory.tau[k + 2] += skew.z;
  }
  StoreColumns(memory.tau, tree.nv, batch.tau, first, count);
}

}  // namespace civita::kernels::CIVITA_INSTRUCTION_SET
