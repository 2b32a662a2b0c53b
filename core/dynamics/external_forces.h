#pragma once

#include <span>

#include "civita/model.h"
#include "civita/workspace.h"

namespace civita {

/// An external wrench on a body: a force at a point of the body, and a moment.
template <typename T>
struct ExternalForce {
  int body = 0;  ///< index in Model::bodies(), as NamedFrame::body; −1 the world
  Vector3<T> point = Vector3<T>::Zero();   ///< point of application, given in the body's frame (m)
  Vector3<T> moment = Vector3<T>::Zero();  ///< N·m, expressed in world axes
  Vector3<T> force = Vector3<T>::Zero();   ///< N, expressed in world axes
};

/// External forces in any contiguous container; the scalar is deduced from the Workspace.
template <typename T>
using ExternalForces = std::span<const ExternalForce<std::type_identity_t<T>>>;

/// Generalized forces τ = Σ Jᵀ[moment; force] of external forces (nv numbers, N·m or N), in
/// O(N + number of forces) by sums over subtrees. Needs Stage::kPosition.
template <typename T>
void CalcGeneralizedForces(const Model& model, ExternalForces<T> forces, Workspace<T>& workspace,
                           VectorOut<T> tau);

/// Inverse dynamics under external forces f, τ = H v̇ + C v + g − Jᵀf (nv numbers, N·m or N) at
/// acceleration v̇ (nv numbers), in O(N) ([F], section 5.3), armature included. Needs
/// Stage::kVelocity.
template <typename T>
void CalcInverseDynamicsWithExternalForces(const Model& model, VectorIn<T> vdot,
                                           ExternalForces<T> forces, Workspace<T>& workspace,
                                           VectorOut<T> tau);

}  // namespace civita
