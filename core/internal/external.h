#pragma once

#include <Eigen/Geometry>

#include "civita/error.h"
#include "civita/external_forces.h"
#include "core/internal/path.h"

namespace civita::internal {

/// Calls `add(body state, F)` for every force, F about the reference point of the body's tree; one
/// that acts on the world moves nothing.
template <typename T, typename Add>
void ForEachExternalForce(const Model& model, ExternalForces<T> forces, Workspace<T>& workspace,
                          Add add) {
  for (const ExternalForce<T>& external : forces) {
    CIVITA_CHECK(external.body >= -1 && external.body < model.num_bodies(),
                 "a force on body " << external.body << ", the model has " << model.num_bodies());
    if (external.body < 0) continue;
    typename Workspace<T>::Body& body = workspace.bodies[static_cast<size_t>(external.body)];
    const Vector3<T> p = body.r + body.R_WB * external.point;
    add(body, Force<T>{external.moment + p.cross(external.force), external.force});
  }
}

/// τ += sign·Jᵀf, by way of F of every body.
template <typename T>
void AddGeneralizedForces(const Model& model, ExternalForces<T> forces, T sign,
                          Workspace<T>& workspace, VectorOut<T>& tau) {
  using Body = typename Workspace<T>::Body;
  if (forces.empty()) return;
  UpdateBodies(model, workspace);
  for (Body& body : workspace.bodies) body.F = Force<T>::Zero();
  ForEachExternalForce(model, forces, workspace,
                       [](Body& body, const Force<T>& F) { body.F += F; });
  SumOverSubtrees(model, workspace, [](Body& parent, const Body& body) { parent.F += body.F; });
  for (size_t b = 0; b < workspace.bodies.size(); ++b) {
    const Model::Body& body = model.bodies()[b];
    for (int k = body.iv; k < body.iv + body.nv; ++k) {
      tau[k] += sign * Dot(workspace.Phi[static_cast<size_t>(k)], workspace.bodies[b].F);
    }
  }
}

}  // namespace civita::internal
