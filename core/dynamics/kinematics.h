#pragma once

#include "civita/model.h"
#include "civita/workspace.h"

namespace civita {

/// Poses, inertias and columns Φ at configuration q (nq numbers); quaternions are normalized here,
/// a zero one counts as the identity. Sets Stage::kPosition.
template <typename T>
void UpdateKinematics(const Model& model, VectorIn<T> q, Workspace<T>& workspace);

/// The same with velocities v (nv numbers, MuJoCo's conventions, see JointType): body velocities ξ
/// and Φ̇ too. Sets Stage::kVelocity.
template <typename T>
void UpdateKinematics(const Model& model, VectorIn<T> q, VectorIn<T> v, Workspace<T>& workspace);

}  // namespace civita
