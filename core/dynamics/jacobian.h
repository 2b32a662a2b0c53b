#pragma once

#include "civita/model.h"
#include "civita/workspace.h"

// Where the model's frames are and how they move. A point is given in the axes of its frame, from
// the frame's origin (m), and stays fixed in it. Velocities are [angular (rad/s); linear velocity
// of the point (m/s)], both in world axes, "local, world-aligned". Frames fixed in the world have
// zero Jacobians.

namespace civita {

/// Pose in the world: x_W = R x_F + p, p in m.
template <typename T>
struct FramePose {
  Matrix3<T> R;
  Vector3<T> p;
};

/// Needs Stage::kPosition.
template <typename T>
FramePose<T> CalcFramePose(const Model& model, const Model::NamedFrame& frame,
                           Workspace<T>& workspace);

/// [ω; ṗ] of the point. Needs Stage::kVelocity.
template <typename T>
Vector6<T> CalcFrameVelocity(const Model& model, const Model::NamedFrame& frame,
                             const Eigen::Vector3d& point, Workspace<T>& workspace);

/// J, 6 × nv, with J v = [ω; ṗ]: column k is Φ_k moved to the point.
/// As mj_jac, its rotational rows first. Needs Stage::kPosition.
template <typename T>
void CalcFrameJacobian(const Model& model, const Model::NamedFrame& frame,
                       const Eigen::Vector3d& point, Workspace<T>& workspace, MatrixOut<T> J);

/// J̇ along v, 6 × nv, from Φ̇_k and ṗ, no differences. As mj_jacDot. Needs Stage::kVelocity.
template <typename T>
void CalcFrameJacobianDerivative(const Model& model, const Model::NamedFrame& frame,
                                 const Eigen::Vector3d& point, Workspace<T>& workspace,
                                 MatrixOut<T> Jdot);

/// J̇ v without the matrix: the part of [ω̇; p̈] (rad/s², m/s²) that v̇ has no share in. Needs
/// Stage::kVelocity.
template <typename T>
Vector6<T> CalcFrameBiasAcceleration(const Model& model, const Model::NamedFrame& frame,
                                     const Eigen::Vector3d& point, Workspace<T>& workspace);

}  // namespace civita
