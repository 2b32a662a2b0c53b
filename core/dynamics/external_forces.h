#pragma once

#include <span>

#include "civita/model.h"
#include "civita/workspace.h"

namespace civita {

/// An external wrench on a body: a force at a point of the body, and a moment.
template <typename T>
struct ExternalForce {
  int body = -2;  ///< index in Model::bodies(), −1 the world; to be set
  /// Point of application (m), given in the frame of Model::Body, whose origin is the joint's
  /// anchor. ForceOnFrame takes one in the frame of a name.
  Vector3<T> point = Vector3<T>::Zero();
  Vector3<T> moment = Vector3<T>::Zero();  ///< N·m, expressed in world axes
  Vector3<T> force = Vector3<T>::Zero();   ///< N, expressed in world axes
};

/// A wrench on what carries `frame`: `point` is given in the frame (m), `moment` (N·m) and `force`
/// (N) are expressed in world axes.
template <typename T = double>
ExternalForce<T> ForceOnFrame(const Model::NamedFrame& frame, const Eigen::Vector3d& point,
                              const Vector3<std::type_identity_t<T>>& moment,
                              const Vector3<std::type_identity_t<T>>& force) {
  const Eigen::Vector3d point_B = frame.X_BF.p + frame.X_BF.R * point;
  return {frame.body, point_B.template cast<T>(), moment, force};
}

/// External forces in any contiguous container; the scalar is deduced from the Workspace.
template <typename T>
using ExternalForces = std::span<const ExternalForce<std::type_identity_t<T>>>;

/// Generalized forces τ = Σ Jᵀ[moment; force] of external forces (nv numbers, N·m or N), in
/// O(N + number of forces) by sums over subtrees. Needs Stage::kPosition.
template <typename T>
void CalcGeneralizedForces(const Model& model, ExternalForces<T> forces, Workspace<T>& workspace,
                           VectorOut<T> tau);

}  // namespace civita
