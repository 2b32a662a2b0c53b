#pragma once

#include "civita/model.h"
#include "civita/workspace.h"

// Poses of the model's frames, their velocities, accelerations and Jacobians, and those of the
// points fixed in them, in the axes of one's choice, and of one frame relative to another. Rows are
// [angular; linear]: rad/s and m/s, rad/s² and m/s². Frames fixed in the world have zero Jacobians.
// All are O(N) and allocate nothing.

namespace civita {

/// The point whose motion the linear part is, and the axes in which both parts are expressed.
/// Pinocchio's enumeration has the same names.
enum class ReferenceFrame {
  kWorld,              ///< point of the body at the world's origin, whichever it is; world axes
  kLocal,              ///< the point; axes of the frame
  kLocalWorldAligned,  ///< the point; world axes
};

/// Pose X_WF of `frame` F in the world, O(1). Needs Stage::kPosition.
template <typename T>
RigidTransform<T> CalcFramePose(const Model&, const Model::NamedFrame& frame, Workspace<T>&);

/// Velocity of a frame and of the point, as `reference` says. Needs Stage::kVelocity.
template <typename T>
Vector6<T> CalcFrameVelocity(const Model&, const FramePoint& at, ReferenceFrame reference,
                             Workspace<T>&);

/// Spatial acceleration of a frame about the point at acceleration v̇ (nv numbers), [ω̇; p̈ − ω × ṗ]
/// ([F], section 2.11), as `reference` says: with kWorld and kLocal the rate of the numbers of
/// CalcFrameVelocity. Gravity is not in it. Needs Stage::kVelocity.
template <typename T>
Vector6<T> CalcFrameAcceleration(const Model&, const FramePoint& at, ReferenceFrame reference,
                                 VectorIn<T> vdot, Workspace<T>&);

/// Classical acceleration [ω̇; p̈] of a frame and of the point at acceleration v̇ (nv numbers), as
/// `reference` says: with kLocalWorldAligned the rate of the numbers of CalcFrameVelocity. An
/// accelerometer at the point feels Rᵀ(p̈ − gravity). Needs Stage::kVelocity.
template <typename T>
Vector6<T> CalcFrameClassicalAcceleration(const Model&, const FramePoint& at,
                                          ReferenceFrame reference, VectorIn<T> vdot,
                                          Workspace<T>&);

/// Bias acceleration J̇ v of a frame and of the point, [ω̇; p̈] in world axes at v̇ = 0, without the
/// matrix. Needs Stage::kVelocity.
template <typename T>
Vector6<T> CalcFrameBiasAcceleration(const Model&, const FramePoint& at, Workspace<T>&);

/// Jacobian J, 6 × nv, with J v the velocity of CalcFrameVelocity: column k is Φ_k moved to the
/// point. Its rows, as all 6-vectors, are [angular; linear], while the six velocities v of a free
/// joint, and so its columns, are [linear; angular]. With kLocal and the point 0 it is the
/// derivative of the frame's pose by q in tangent spaces: X_WF(q ⊕ δ) = X_WF(q) exp(J δ) to first
/// order. With kLocalWorldAligned it equals mj_jac with the rotational rows first. Needs
/// Stage::kPosition.
template <typename T>
void CalcFrameJacobian(const Model&, const FramePoint& at, ReferenceFrame reference, Workspace<T>&,
                       MatrixOut<T> J);

/// Rate J̇, 6 × nv, of the numbers of CalcFrameJacobian along v, so that J v̇ + J̇ v is the rate of
/// the numbers of CalcFrameVelocity. Needs Stage::kVelocity.
template <typename T>
void CalcFrameJacobianDerivative(const Model&, const FramePoint& at, ReferenceFrame reference,
                                 Workspace<T>&, MatrixOut<T> Jdot);

/// Derivatives of CalcFrameVelocity by q, along q ⊕ δ e_j with v constant, and by v, which is J
/// (6 × nv each), on the point fixed in the frame or, with kWorld, in space. Needs
/// Stage::kVelocity.
template <typename T>
void CalcFrameVelocityDerivatives(const Model&, const FramePoint& at, ReferenceFrame reference,
                                  Workspace<T>&, MatrixOut<T> dV_dq, MatrixOut<T> dV_dv);

/// Derivatives of CalcFrameAcceleration at v̇ (nv numbers) by q, along q ⊕ δ e_j with v and v̇
/// constant, by v, and by v̇, which is J (6 × nv each). Needs Stage::kVelocity.
template <typename T>
void CalcFrameAccelerationDerivatives(const Model&, const FramePoint& at, ReferenceFrame reference,
                                      VectorIn<T> vdot, Workspace<T>&, MatrixOut<T> dA_dq,
                                      MatrixOut<T> dA_dv, MatrixOut<T> dA_dvdot);

/// Derivatives of CalcFrameClassicalAcceleration, likewise.
template <typename T>
void CalcFrameClassicalAccelerationDerivatives(const Model&, const FramePoint& at,
                                               ReferenceFrame reference, VectorIn<T> vdot,
                                               Workspace<T>&, MatrixOut<T> dA_dq,
                                               MatrixOut<T> dA_dv, MatrixOut<T> dA_dvdot);

/// Jacobian J, 6 × nv, of the motion of frame B and the point `at` relative to frame A,
/// which takes the world's place: J v is the velocity of B, less that of A about the same point,
///   kWorld              at A's origin, in A's axes: the spatial twist of X_AB,
///   kLocal              at the point, in B's axes: the body twist of X_AB where the point is 0,
///   kLocalWorldAligned  at the point, in A's axes: its linear part is the rate of the point's
///                       place in A.
/// With A fixed at the world's origin it equals CalcFrameJacobian. X_AB = X_WA⁻¹ X_WB by
/// CalcFramePose. Needs Stage::kPosition.
template <typename T>
void CalcRelativeJacobian(const Model&, const Model::NamedFrame& A, const FramePoint& at,
                          ReferenceFrame reference, Workspace<T>&, MatrixOut<T> J);

/// Rate J̇, 6 × nv, of the numbers of CalcRelativeJacobian along v. Needs Stage::kVelocity.
template <typename T>
void CalcRelativeJacobianDerivative(const Model&, const Model::NamedFrame& A, const FramePoint& at,
                                    ReferenceFrame reference, Workspace<T>&, MatrixOut<T> Jdot);

// The same in world axes at the point, kLocalWorldAligned.

template <typename T>
Vector6<T> CalcFrameVelocity(const Model& model, const FramePoint& at, Workspace<T>& workspace) {
  return CalcFrameVelocity<T>(model, at, ReferenceFrame::kLocalWorldAligned, workspace);
}
template <typename T>
void CalcFrameJacobian(const Model& model, const FramePoint& at, Workspace<T>& workspace,
                       MatrixOut<T> J) {
  CalcFrameJacobian<T>(model, at, ReferenceFrame::kLocalWorldAligned, workspace, J);
}
template <typename T>
void CalcFrameJacobianDerivative(const Model& model, const FramePoint& at, Workspace<T>& workspace,
                                 MatrixOut<T> Jdot) {
  CalcFrameJacobianDerivative<T>(model, at, ReferenceFrame::kLocalWorldAligned, workspace, Jdot);
}

}  // namespace civita
