#pragma once

#include "civita/error.h"
#include "civita/external_forces.h"
#include "core/dynamics/internal/scratch.h"
#include "core/spatial/internal/eigen.h"

namespace civita::internal {

/// Calls `add(body, F)` for every force, F about the reference point of the body's tree; one that
/// acts on the world moves nothing.
template <typename T, typename Add>
void ForEachExternalForce(const Tree& tree, ExternalForces<T> forces, const Scratch<T>& s,
                          Add add) {
  for (const ExternalForce<T>& external : forces) {
    CIVITA_CHECK(external.body >= -1 && external.body < tree.num_bodies,
                 "a force on body " << external.body << ", the model has " << tree.num_bodies);
    if (external.body < 0) continue;
    const typename Kinematics<T>::Body& body = s.bodies[external.body];
    const V3<T> p = body.r + body.R_WB * ToV3<T>(external.point);
    const V3<T> f = ToV3<T>(external.force);
    add(external.body, Force<T>{ToV3<T>(external.moment) + Cross(p, f), f});
  }
}

/// τ += sign·Jᵀf, by way of F of every body.
template <typename T>
void AddGeneralizedForces(const Model& model, ExternalForces<T> forces, T sign, Scratch<T>& s,
                          VectorOut<T>& tau) {
  if (forces.empty()) return;
  const Tree& tree = model.tree();
  UpdateBodies(tree, s);
  for (Force<T>& F : s.F) F = {};
  ForEachExternalForce(tree, forces, s, [&](int b, const Force<T>& F) { s.F[b] += F; });
  SumOverSubtrees(tree, s.F);
  for (int k = 0; k < tree.nv; ++k) tau[k] += sign * Dot(s.Phi[k], s.F[tree.body[k]]);
}

}  // namespace civita::internal
