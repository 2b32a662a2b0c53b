#pragma once

#include "civita/frame_motion.h"
#include "civita/space_kinematics.h"

// Jacobians and accelerations of closed chains in their independent velocities w: J̄ = J A with the
// rate J̇ A + J Ȧ, for J of the spanning tree. Names, rows, axes and units are those of the
// functions for open trees (civita/frame_motion.h, civita/centroidal.h). Poses and velocities,
// which are no matter of the velocities' choice, come from those with SpaceWorkspace::tree(). All
// are O(N) if clusters are of bounded size, and allocate nothing.

namespace civita {

/// Jacobian J̄, 6 × nw, with J̄ w the velocity of CalcFrameVelocity. Needs Stage::kPosition of the
/// tree.
template <typename T>
void CalcFrameJacobian(const VelocitySpace&, const FramePoint& at, ReferenceFrame reference,
                       SpaceWorkspace<T>&, MatrixOut<T> J);

/// Rate J̄̇, 6 × nw, of the numbers of CalcFrameJacobian along w. Needs Stage::kVelocity of the tree.
template <typename T>
void CalcFrameJacobianDerivative(const VelocitySpace&, const FramePoint& at,
                                 ReferenceFrame reference, SpaceWorkspace<T>&, MatrixOut<T> Jdot);

/// Jacobian, 6 × nw, of a frame relative to frame A. Needs Stage::kPosition of the tree.
template <typename T>
void CalcRelativeJacobian(const VelocitySpace&, const Model::NamedFrame& A, const FramePoint& at,
                          ReferenceFrame reference, SpaceWorkspace<T>&, MatrixOut<T> J);

/// Rate, 6 × nw, of the numbers of CalcRelativeJacobian along w. Needs Stage::kVelocity of the
/// tree.
template <typename T>
void CalcRelativeJacobianDerivative(const VelocitySpace&, const Model::NamedFrame& A,
                                    const FramePoint& at, ReferenceFrame reference,
                                    SpaceWorkspace<T>&, MatrixOut<T> Jdot);

/// Spatial acceleration of a frame at acceleration ẇ (nw numbers). Needs Stage::kVelocity of the
/// tree.
template <typename T>
Vector6<T> CalcFrameAcceleration(const VelocitySpace&, const FramePoint& at,
                                 ReferenceFrame reference, VectorIn<T> wdot, SpaceWorkspace<T>&);

/// Classical acceleration of a frame at acceleration ẇ (nw numbers). Needs Stage::kVelocity of the
/// tree.
template <typename T>
Vector6<T> CalcFrameClassicalAcceleration(const VelocitySpace&, const FramePoint& at,
                                          ReferenceFrame reference, VectorIn<T> wdot,
                                          SpaceWorkspace<T>&);

/// Jacobian of the centre of mass, 3 × nw. Needs Stage::kPosition of the tree.
template <typename T>
void CalcCenterOfMassJacobian(const VelocitySpace&, SpaceWorkspace<T>&, MatrixOut<T> J);

/// Rate along w, 3 × nw, of the Jacobian of the centre of mass. Needs Stage::kVelocity of the tree.
template <typename T>
void CalcCenterOfMassJacobianDerivative(const VelocitySpace&, SpaceWorkspace<T>&,
                                        MatrixOut<T> Jdot);

/// Centroidal momentum matrix Ā_G = A_G A, 6 × nw, with h_G = Ā_G w. Needs Stage::kPosition of the
/// tree.
template <typename T>
void CalcCentroidalMomentumMatrix(const VelocitySpace&, SpaceWorkspace<T>&, MatrixOut<T> A);

/// Rate along w, 6 × nw, of the centroidal momentum matrix: ḣ_G = Ā_G ẇ + Ā̇_G w. Needs
/// Stage::kVelocity of the tree.
template <typename T>
void CalcCentroidalMomentumMatrixDerivative(const VelocitySpace&, SpaceWorkspace<T>&,
                                            MatrixOut<T> Adot);

}  // namespace civita
