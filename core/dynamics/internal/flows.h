#pragma once

#include "core/dynamics/internal/scratch.h"

namespace civita::internal {

/// Of every coordinate of body b ψ̇ = ξ₀ × Φ, χ = η₀ × Φ and χ̇ = a₀ × Φ + η₀ × ψ̇ (Psidot, Chi,
/// Chidot), where ξ₀, η₀ and a₀ are the motions J v, J v_r and J v̇_r + J̇ v_r of what comes before
/// the joint, the parent and the translations of a free joint, which its rotations do not turn.
/// twist_r(b) is η of a body, s.A has a, of the world `world`.
template <typename T, typename Twist>
void CalcFlowsOf(int b, const Tree& tree, const VectorIn<T>& v_r, const VectorIn<T>& vdot_r,
                 const Motion<T>& world, const Twist& twist_r, Scratch<T>& s) {
  const Link& link = tree.links[b];
  const bool is_root = link.parent < 0;
  Motion<T> V = is_root ? Motion<T>{} : s.bodies[link.parent].V;
  Motion<T> Vr = is_root ? Motion<T>{} : twist_r(link.parent);
  Motion<T> A = is_root ? world : s.A[link.parent];
  if (link.joint == JointType::kFree) {
    V.u += V3<T>{s.v[link.iv], s.v[link.iv + 1], s.v[link.iv + 2]};
    Vr.u += V3<T>{v_r[link.iv], v_r[link.iv + 1], v_r[link.iv + 2]};
    A.u += V3<T>{vdot_r[link.iv], vdot_r[link.iv + 1], vdot_r[link.iv + 2]};
  }
  for (int k = link.iv; k < link.iv + link.nv; ++k) {
    s.Psidot[k] = Cross(V, s.Phi[k]);
    s.Chi[k] = Cross(Vr, s.Phi[k]);
    s.Chidot[k] = Cross(A, s.Phi[k]) + Cross(Vr, s.Psidot[k]);
  }
}

/// The same of all bodies.
template <typename T, typename Twist>
void CalcFlows(const Tree& tree, VectorIn<T> v_r, VectorIn<T> vdot_r, const Motion<T>& world,
               const Twist& twist_r, Scratch<T>& s) {
  for (int b = 0; b < tree.num_bodies; ++b) CalcFlowsOf<T>(b, tree, v_r, vdot_r, world, twist_r, s);
}

/// The same of v_r = v, for which χ = ψ̇ and Chidot is ψ̈.
template <typename T>
void CalcFlows(const Tree& tree, VectorIn<T> vdot, const Motion<T>& world, Scratch<T>& s) {
  CalcFlows<T>(
      tree, s.v, vdot, world, [&s](int b) -> const Motion<T>& { return s.bodies[b].V; }, s);
}

/// The acceleration A = J v̇ + J̇ v of body b, and its flows of v_r = v, without gravity. Needs those
/// of its parent.
template <typename T>
void CalcAccelerationAndFlows(int b, const Tree& tree, VectorIn<T> vdot, Scratch<T>& s) {
  const Link& link = tree.links[b];
  s.A[b] = link.parent < 0 ? Motion<T>{} : s.A[link.parent];
  for (int k = link.iv; k < link.iv + link.nv; ++k) {
    s.A[b] += s.v[k] * s.Phidot[k] + vdot[k] * s.Phi[k];
  }
  CalcFlowsOf<T>(
      b, tree, s.v, vdot, Motion<T>{}, [&s](int c) -> const Motion<T>& { return s.bodies[c].V; },
      s);
}

}  // namespace civita::internal
