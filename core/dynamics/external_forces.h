#pragma once

#include <span>

#include "civita/model.h"
#include "civita/workspace.h"

namespace civita {

/// A wrench on a body from outside: a force through a point of the body and a moment besides.
template <typename T>
struct ExternalForce {
  int body = 0;  ///< index in Model::bodies(), as NamedFrame::body; −1 acts on the world
  Vector3<T> point = Vector3<T>::Zero();   ///< where, in the body's frame, m; see NamedFrame::X_BF
  Vector3<T> moment = Vector3<T>::Zero();  ///< N·m, world axes
  Vector3<T> force = Vector3<T>::Zero();   ///< N, world axes
};

/// Any contiguous container of them; deduced from the Workspace as all arguments are.
template <typename T>
using ExternalForces = std::span<const ExternalForce<std::type_identity_t<T>>>;

/// Generalized forces τ = Σ Jᵀ[moment; force], nv numbers, in O(N + number of forces) by sums over
/// subtrees. Needs Stage::kPosition.
template <typename T>
void CalcGeneralizedForces(const Model& model, ExternalForces<T> forces, Workspace<T>& workspace,
                           VectorOut<T> tau);

/// Inverse dynamics with forces from outside, τ = H v̇ + C v + g − Jᵀf, in O(N) ([F], section 5.3).
/// Needs Stage::kVelocity.
template <typename T>
void CalcInverseDynamicsWithExternalForces(const Model& model, VectorIn<T> vdot,
                                           ExternalForces<T> forces, Workspace<T>& workspace,
                                           VectorOut<T> tau);

}  // namespace civita
