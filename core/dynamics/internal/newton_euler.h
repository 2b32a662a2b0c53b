#pragma once

#include "civita/factorization.h"
#include "core/dynamics/internal/scratch.h"

// The recursions of rnea.h and passivity_rnea.h for algorithms that go on from what these leave in
// the scratch. Arguments and stage are checked before.

namespace civita::internal {

/// CalcInverseDynamics: leaves A of every body and F of every subtree.
template <typename T>
void CalcNewtonEuler(const Tree& tree, VectorIn<T> vdot, Scratch<T>& s, VectorOut<T> tau);

/// Vr and A of every body, J v_r and J̇ v_r + J v̇_r + the world's acceleration; own_acceleration(k)
/// is Φ_k v̇_r,k.
template <typename T, typename OwnAcceleration>
void CalcReferenceMotions(const Tree& tree, VectorIn<T> v_r, const Motion<T>& world, Scratch<T>& s,
                          OwnAcceleration own_acceleration) {
  for (int b = 0; b < tree.num_bodies; ++b) {
    const Link& link = tree.links[b];
    s.Vr[b] = link.parent < 0 ? Motion<T>{} : s.Vr[link.parent];
    s.A[b] = link.parent < 0 ? world : s.A[link.parent];
    for (int k = link.iv; k < link.iv + link.nv; ++k) {
      s.Vr[b] += v_r[k] * s.Phi[k];
      s.A[b] += v_r[k] * s.Phidot[k] + own_acceleration(k);
    }
  }
}

/// Adds `sign` times the part of C w that no body holds: the armature's ½a (v × w) of rotations
/// that do not commute, and the injections on coordinates. Both matrices are skew.
template <typename T>
void AddSkewParts(const Tree& tree, const Factorization& factorization, const Scratch<T>& s,
                  VectorIn<T> w, T sign, VectorOut<T>& tau);

}  // namespace civita::internal
