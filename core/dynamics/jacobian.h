#pragma once

#include "civita/model.h"
#include "civita/workspace.h"

// Poses, velocities and Jacobians of the model's frames, at their origins or other points that are
// fixed in them. Velocities are [angular (rad/s); linear velocity of the point (m/s)], both
// expressed in world axes ("local, world-aligned"); civita/frame_motion.h has those in other axes,
// and of a frame against another. Frames fixed in the world have zero Jacobians.

namespace civita {

/// Pose X_WF of `frame` F in the world, O(1). Needs Stage::kPosition.
template <typename T>
RigidTransform<T> CalcFramePose(const Model& model, const Model::NamedFrame& frame,
                                Workspace<T>& workspace);

/// Velocity [ω; ṗ] (rad/s, m/s, expressed in world axes) of a frame and of the point fixed in it,
/// O(1). Needs Stage::kVelocity.
template <typename T>
Vector6<T> CalcFrameVelocity(const Model& model, const FramePoint& at, Workspace<T>& workspace);

/// Jacobian J, 6 × nv, with J v = [ω; ṗ] (expressed in world axes) of a frame and of the point
/// fixed in it: column k is Φ_k moved to the point. Its rows, as all 6-vectors, are [angular;
/// linear], while the six velocities v of a free joint, and so its columns, are [linear; angular].
/// Equals mj_jac with the rotational rows first. Needs Stage::kPosition.
template <typename T>
void CalcFrameJacobian(const Model& model, const FramePoint& at, Workspace<T>& workspace,
                       MatrixOut<T> J);

/// Rate J̇ along v, 6 × nv, of CalcFrameJacobian, from Φ̇_k and ṗ without differences. Equals
/// mj_jacDot with the rotational rows first. Needs Stage::kVelocity.
template <typename T>
void CalcFrameJacobianDerivative(const Model& model, const FramePoint& at, Workspace<T>& workspace,
                                 MatrixOut<T> Jdot);

/// Bias acceleration J̇ v of a frame and of the point fixed in it, without the matrix: [ω̇; p̈]
/// (rad/s², m/s², expressed in world axes) at v̇ = 0. Needs Stage::kVelocity.
template <typename T>
Vector6<T> CalcFrameBiasAcceleration(const Model& model, const FramePoint& at,
                                     Workspace<T>& workspace);

}  // namespace civita
