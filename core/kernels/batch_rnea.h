#pragma once

#include "core/kernels/batch_frames.h"
#include "core/kernels/net_force.h"

namespace civita::kernels::CIVITA_INSTRUCTION_SET {

/// J v̇_r + J̇ v_r of what the joint moves at velocity v, gravity as an acceleration of the world.
CIVITA_INLINE void SetAcceleration(const PlanView& plan, const BatchMemory& memory, int first,
                                   int last, const Motion<States>& v, const States* v_r) {
  const int parent = plan.parent[first];
  Motion<States> a = JointMotion(plan, memory, first, last, memory.vdot_r) +
                     Cross(v, JointMotion(plan, memory, FirstCarried(plan, first), last, v_r));
  if (parent < 0) {
    a.u.x -= plan.gravity[0];
    a.u.y -= plan.gravity[1];
    a.u.z -= plan.gravity[2];
  } else {
    a = memory.rates[parent].a + a;
  }
  Put(a, &memory.rates[last].a);
}

/// τ_k = Φ_kᵀ F of the subtree, and the armature's share.
CIVITA_INLINE void ProjectForces(const PlanView& plan, const BatchMemory& memory) {
  ForEachJointInwards(
      plan, *reinterpret_cast<Force<States>*>(memory.zero),
      reinterpret_cast<Force<States>*>(memory.sums),
      [&](int last, const Force<States>& carried, Force<States>* sum) {
        PutSum(memory.forces[last], carried, sum);
      },
      [&](int slot, int last, const Force<States>& F) {
        for (int k = slot; k <= last; ++k) {
          const int i = plan.iv[k];
          memory.tau[i] = Dot(memory.columns[k].Phi, F) + plan.armature[k] * memory.vdot_r[i];
        }
      });
}

inline void CalcInverseDynamics(const PlanView& plan, double* scratch, const Batch& batch,
                                int first, int count) {
  const BatchMemory memory(plan, scratch, batch.nq);
  LoadColumns(batch.q, first, count, batch.nq, memory.q);
  LoadColumns(batch.v, first, count, plan.nv, memory.v);
  LoadColumns(batch.vdot_r, first, count, plan.nv, memory.vdot_r);
  ForEachJoint(plan, [&](int slot, int last) {
    SetPose(plan, memory, slot, last);
    const Motion<States> v = CalcVelocity(plan, memory, slot, last);
    Put(v, &memory.bodies[last].v);
    SetAcceleration(plan, memory, slot, last, v, memory.v);
    const Link link(plan, last);
    const BodyState& body = memory.bodies[last];
    Put(NetForce(body.pose.R, body.pose.r, link.Get(link.block.m), link.Get(link.block.com),
                 link.Get(link.block.I), v, memory.rates[last].a),
        &memory.forces[last]);
  });
  ProjectForces(plan, memory);
  StoreColumns(memory.tau, plan.nv, batch.tau, first, count);
}

/// With the family's C. The armature of rotations that do not commute adds ½a v × v_r.
inline void CalcPassivityInverseDynamics(const PlanView& plan, double* scratch, const Batch& batch,
                                         int first, int count) {
  const BatchMemory memory(plan, scratch, batch.nq);
  LoadColumns(batch.q, first, count, batch.nq, memory.q);
  LoadColumns(batch.v, first, count, plan.nv, memory.v);
  LoadColumns(batch.v_r, first, count, plan.nv, memory.v_r);
  LoadColumns(batch.vdot_r, first, count, plan.nv, memory.vdot_r);
  ForEachJoint(plan, [&](int slot, int last) {
    SetPose(plan, memory, slot, last);
    const Motion<States> v = CalcVelocity(plan, memory, slot, last);
    Put(v, &memory.bodies[last].v);
    SetAcceleration(plan, memory, slot, last, v, memory.v_r);
    const Link link(plan, last);
    const BodyState& body = memory.bodies[last];
    Motion<States> v_r = JointMotion(plan, memory, slot, last, memory.v_r);
    if (plan.parent[slot] >= 0) v_r = memory.rates[plan.parent[slot]].v_r + v_r;
    Put(v_r, &memory.rates[last].v_r);
    Put(NetForce(body.pose.R, body.pose.r, link.Get(link.block.m), link.Get(link.block.com),
                 link.Get(link.block.I), v, memory.rates[last].a, v_r, batch.t),
        &memory.forces[last]);
  });
  ProjectForces(plan, memory);
  for (int s = 0; s < plan.num_triples; ++s) {
    const int k = plan.iv[plan.triples[s]];
    const double half = 0.5 * plan.armature[plan.triples[s]];
    for (int a = 0; a < 3; ++a) {
      const int i = k + a, j = k + (a + 1) % 3, l = k + (a + 2) % 3;
      memory.tau[i] += half * (memory.v[j] * memory.v_r[l] - memory.v[l] * memory.v_r[j]);
    }
  }
  StoreColumns(memory.tau, plan.nv, batch.tau, first, count);
}

}  // namespace civita::kernels::CIVITA_INSTRUCTION_SET
