#pragma once

#include "civita/error.h"
#include "civita/external_forces.h"
#include "core/dynamics/internal/scratch.h"
#include "core/spatial/internal/eigen.h"

namespace civita::internal {

/// @throws ContractError where one acts on a body that the model does not have.
template <typename T>
void CheckBodies(const Tree& tree, ExternalForces<T> forces) {
  for (const ExternalForce<T>& external : forces) {
    CIVITA_CHECK(external.body >= -1 && external.body < tree.num_bodies,
                 "a force on body " << external.body << ", the model has " << tree.num_bodies);
  }
}

/// Calls `add(body, p, F)` for every force, with its point p and F about the reference point of the
/// body's tree; one that acts on the world moves nothing.
template <typename T, typename Add>
void ForEachExternalForce(const Tree& tree, ExternalForces<T> forces, const Scratch<T>& s,
                          Add add) {
  CheckBodies<T>(tree, forces);
  for (const ExternalForce<T>& external : forces) {
    if (external.body < 0) continue;
    const typename Kinematics<T>::Body& body = s.bodies[external.body];
    const V3<T> p = body.r + body.R_WB * ToV3<T>(external.point);
    const V3<T> f = ToV3<T>(external.force);
    add(external.body, p, Force<T>{ToV3<T>(external.moment) + Cross(p, f), f});
  }
}

/// τ += sign·Jᵀf, by way of F of every body.
template <typename T>
void AddGeneralizedForces(const Model& model, ExternalForces<T> forces, T sign, Scratch<T>& s,
                          VectorOut<T>& tau) {
  if (forces.empty()) return;
  const Tree& tree = TreeOf(model);
  UpdateBodies(tree, s);
  for (Force<T>& F : s.F) F = {};
  ForEachExternalForce(tree, forces, s,
                       [&](int b, const V3<T>&, const Force<T>& F) { s.F[b] += F; });
  SumOverSubtrees(tree, s.F);
  for (int k = 0; k < tree.nv; ++k) tau[k] += sign * Dot(s.Phi[k], s.F[tree.body[k]]);
}

/// dtau_dq += sign ∂(Jᵀf)/∂q. Along coordinate j the point moves with Φ_j, and with it the moment
/// of a force; where j moves i, Φ_i turns.
template <typename T>
void AddGeneralizedForceDerivatives(const Model& model, ExternalForces<T> forces, T sign,
                                    Scratch<T>& s, MatrixOut<T>& dtau_dq) {
  if (forces.empty()) return;
  const Tree& tree = TreeOf(model);
  UpdateBodies(tree, s);
  ForEachExternalForce(tree, forces, s, [&](int b, const V3<T>& p, const Force<T>& F) {
    for (int j = tree.LastCoordinate(b); j >= 0; j = tree.parent[j]) {
      const V3<T> moment = Cross(PointVelocity(s.Phi[j], p), F.f);
      for (int i = tree.LastCoordinate(b); i >= 0; i = tree.parent[i]) {
        T rate = Dot(s.Phi[i].w, moment);
        if (tree.Moves(j, i)) rate += Dot(Cross(s.Phi[j], s.Phi[i]), F);
        dtau_dq(i, j) += sign * rate;
      }
    }
  });
}

}  // namespace civita::internal
