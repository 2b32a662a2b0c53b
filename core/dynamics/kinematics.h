#pragma once

#include "civita/model.h"
#include "civita/workspace.h"

namespace civita {

/// Computes the Kinematics of `workspace` that depend on the configuration q alone (nq numbers):
/// poses, spatial inertias and motion columns Φ, in O(N). Quaternions of q are normalized; a zero
/// quaternion counts as the identity. Sets Stage::kPosition.
/// Allocates only where neither the model nor a copy of it has met a workspace before (kernels).
/// @throws ContractError if q has another size or the workspace another structure than the model.
template <typename T>
void UpdateKinematics(const Model& model, VectorIn<T> q, Workspace<T>& workspace);

/// Computes all Kinematics of `workspace` at configuration q (nq numbers) and generalized velocity
/// v (nv numbers, in the conventions of JointType): poses, spatial inertias, motion columns Φ, body
/// velocities ξ and rates Φ̇, in O(N). Quaternions of q are normalized; a zero quaternion counts as
/// the identity. Sets Stage::kVelocity. Allocates only where neither the model nor a copy of it has
/// met a workspace before (kernels).
/// @throws ContractError if q or v has another size or the workspace another structure than the
/// model.
template <typename T>
void UpdateKinematics(const Model& model, VectorIn<T> q, VectorIn<T> v, Workspace<T>& workspace);

}  // namespace civita
