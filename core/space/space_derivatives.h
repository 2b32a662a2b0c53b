#pragma once

#include "civita/external_forces.h"
#include "civita/factorization.h"
#include "civita/frame_motion.h"
#include "civita/space_kinematics.h"

// Derivatives of the equations of motion in the velocities w of a VelocitySpace. Column j of a
// derivative by q is the rate along the motion A e_j, q ⊕ δ A e_j, with the numbers of w and ẇ (or
// τ̄) constant; column j of one by w is that along e_j.
//
// They follow from those of the spanning tree (civita/dynamics_derivatives.h) by
//   v = A w,   v̇ = A ẇ + Ȧ w,   τ̄ = Aᵀτ,
// and from the rates of A and of v̇, which the loops determine, K A = 0 and K v̇ + K̇ v = 0:
//   K ∂_jA = −(∂_jK) A,   K ∂_jv̇ = −(∂_jK) v̇ − ∂_j(K̇ v),
// both with the factor of K_d. There are no differences. Coordinates tell theirs by their rates
// (Coordinates::rates), which may allocate; without, the functions throw UserError. Costs are those
// of the tree's derivatives and O(nv²) for the rest if clusters are of bounded size. Loops may be
// open; where redundant rows of a cluster are, the derivatives have errors of the order of the gap,
// as Ȧ has.

namespace civita {

/// Derivatives of the tree's velocity v = A w by q, and of its acceleration v̇ = A ẇ + Ȧ w at ẇ (nw
/// numbers) by q and by w, nv × nw each. Those by w and by ẇ are A. By these and the tree's own
/// derivatives that of any function f(q, v, v̇) of the tree by q is
/// (∂f/∂q) A + (∂f/∂v) dv_dq + (∂f/∂v̇) dvdot_dq. Needs Stage::kVelocity of the tree.
template <typename T>
void CalcTreeMotionDerivatives(const VelocitySpace&, VectorIn<T> wdot, SpaceWorkspace<T>&,
                               MatrixOut<T> dv_dq, MatrixOut<T> dvdot_dq, MatrixOut<T> dvdot_dw);

/// Derivative by q, nw × nw, of the generalized forces Aᵀτ with the tree's τ (nv numbers) constant:
/// what motors of dependent joints add to ∂τ̄/∂q. Needs Stage::kPosition of the tree.
template <typename T>
void CalcReducedForcesDerivative(const VelocitySpace&, VectorIn<T> tau, SpaceWorkspace<T>&,
                                 MatrixOut<T> dtau_dq);

/// Derivatives ∂τ̄/∂q, ∂τ̄/∂w and ∂τ̄/∂ẇ = H̄ (nw × nw each) of CalcInverseDynamics at acceleration ẇ
/// (nw numbers) under external forces, which keep their points in the bodies and their numbers in
/// world axes. Needs Stage::kVelocity of the tree.
template <typename T>
void CalcInverseDynamicsDerivatives(const VelocitySpace&, VectorIn<T> wdot, SpaceWorkspace<T>&,
                                    MatrixOut<T> dtau_dq, MatrixOut<T> dtau_dw, MatrixOut<T> H,
                                    ExternalForces<T> forces = {});

/// Derivatives ∂ẇ/∂q = −H̄⁻¹ ∂τ̄/∂q, ∂ẇ/∂w = −H̄⁻¹ ∂τ̄/∂w and ∂ẇ/∂τ̄ = H̄⁻¹ (nw × nw each) of
/// CalcForwardDynamics, with τ̄ constant, at the acceleration `wdot` (nw numbers) that it gives
/// under the same forces. Needs Stage::kVelocity of the tree. @returns kSingularMassMatrix if H̄ is
/// not positive definite; the matrices then stay as they are, where w = v they are undefined.
template <typename T>
Status CalcForwardDynamicsDerivatives(const VelocitySpace&, VectorIn<T> wdot, SpaceWorkspace<T>&,
                                      MatrixOut<T> dwdot_dq, MatrixOut<T> dwdot_dw,
                                      MatrixOut<T> dwdot_dtau, ExternalForces<T> forces = {});

/// Derivatives ∂τ̄/∂q and ∂τ̄/∂w (nw × nw each) of CalcPassivityInverseDynamics with w_r and ẇ_r (nw
/// numbers each) constant; those by w_r and ẇ_r are C̄ and H̄. Needs Stage::kVelocity of the tree.
template <typename T>
void CalcPassivityInverseDynamicsDerivatives(const VelocitySpace&,
                                             const Factorization& factorization, VectorIn<T> w_r,
                                             VectorIn<T> wdot_r, SpaceWorkspace<T>&,
                                             MatrixOut<T> dtau_dq, MatrixOut<T> dtau_dw);

/// Derivatives ∂(C̄ x)/∂q and ∂(C̄ x)/∂w (nw × nw each) of CalcCoriolisProduct with x (nw numbers)
/// constant. Needs Stage::kVelocity of the tree.
template <typename T>
void CalcCoriolisProductDerivatives(const VelocitySpace&, const Factorization& factorization,
                                    VectorIn<T> x, SpaceWorkspace<T>&, MatrixOut<T> dCx_dq,
                                    MatrixOut<T> dCx_dw);

/// Derivatives of CalcFrameVelocity by q and by w, which is J̄ (6 × nw each). Needs Stage::kVelocity
/// of the tree.
template <typename T>
void CalcFrameVelocityDerivatives(const VelocitySpace&, const FramePoint& at,
                                  ReferenceFrame reference, SpaceWorkspace<T>&, MatrixOut<T> dV_dq,
                                  MatrixOut<T> dV_dw);

/// Derivatives of CalcFrameAcceleration at ẇ (nw numbers) by q, by w, and by ẇ, which is J̄ (6 × nw
/// each). Needs Stage::kVelocity of the tree.
template <typename T>
void CalcFrameAccelerationDerivatives(const VelocitySpace&, const FramePoint& at,
                                      ReferenceFrame reference, VectorIn<T> wdot,
                                      SpaceWorkspace<T>&, MatrixOut<T> dA_dq, MatrixOut<T> dA_dw,
                                      MatrixOut<T> dA_dwdot);

/// Derivatives of CalcFrameClassicalAcceleration, likewise.
template <typename T>
void CalcFrameClassicalAccelerationDerivatives(const VelocitySpace&, const FramePoint& at,
                                               ReferenceFrame reference, VectorIn<T> wdot,
                                               SpaceWorkspace<T>&, MatrixOut<T> dA_dq,
                                               MatrixOut<T> dA_dw, MatrixOut<T> dA_dwdot);

/// Derivatives of the centroidal momentum h_G by q and by w, which is Ā_G (6 × nw each). Needs
/// Stage::kVelocity of the tree.
template <typename T>
void CalcCentroidalMomentumDerivatives(const VelocitySpace&, SpaceWorkspace<T>&, MatrixOut<T> dh_dq,
                                       MatrixOut<T> dh_dw);

/// Derivatives of its rate ḣ_G at ẇ (nw numbers) by q, by w, and by ẇ, which is Ā_G (6 × nw each).
/// Needs Stage::kVelocity of the tree.
template <typename T>
void CalcCentroidalMomentumRateDerivatives(const VelocitySpace&, VectorIn<T> wdot,
                                           SpaceWorkspace<T>&, MatrixOut<T> dhdot_dq,
                                           MatrixOut<T> dhdot_dw, MatrixOut<T> dhdot_dwdot);

}  // namespace civita
