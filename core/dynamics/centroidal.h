#pragma once

#include "civita/model.h"
#include "civita/workspace.h"

// Centre of mass and momentum of all bodies that some joint moves, of all trees together. Bodies
// fixed in the world and armatures, which carry no momentum, do not count. Momenta are [angular
// about the centre of mass (kg·m²/s); linear (kg·m/s)], expressed in world axes. Every function is
// O(N). The model must have mass.

namespace civita {

/// Total mass in kg of all bodies that some joint moves.
double CalcTotalMass(const Model&);

/// Centre of mass c, given in the world (m), of all bodies that some joint moves. Needs
/// Stage::kPosition.
template <typename T>
Vector3<T> CalcCenterOfMass(const Model&, Workspace<T>&);

/// Jacobian J of the centre of mass c, 3 × nv, with ċ = J v expressed in world axes: linear momenta
/// of subtrees divided by the total mass. Needs Stage::kPosition.
template <typename T>
void CalcCenterOfMassJacobian(const Model&, Workspace<T>&, MatrixOut<T> J);

/// Rate J̇ along v, 3 × nv, of the Jacobian of the centre of mass c: c̈ = J v̇ + J̇ v, expressed in
/// world axes. Needs Stage::kVelocity.
template <typename T>
void CalcCenterOfMassJacobianDerivative(const Model&, Workspace<T>&, MatrixOut<T> Jdot);

/// Centroidal momentum h_G = [angular momentum about the centre of mass (kg·m²/s); linear momentum
/// (kg·m/s)], expressed in world axes. Needs Stage::kVelocity.
template <typename T>
Vector6<T> CalcCentroidalMomentum(const Model&, Workspace<T>&);

/// Centroidal momentum matrix A_G, 6 × nv, with h_G = A_G v: composite inertias times Φ, moved to
/// the centre of mass (Orin, Goswami and Lee 2013). Needs Stage::kPosition.
template <typename T>
void CalcCentroidalMomentumMatrix(const Model&, Workspace<T>&, MatrixOut<T> A);

/// Rate Ȧ_G along v, 6 × nv, of the centroidal momentum matrix: ḣ_G = A_G v̇ + Ȧ_G v, the wrench of
/// all external forces about the centre of mass, gravity included. Needs Stage::kVelocity.
template <typename T>
void CalcCentroidalMomentumMatrixDerivative(const Model&, Workspace<T>&, MatrixOut<T> Adot);

/// Derivatives of the centroidal momentum h_G = A_G v by q, along q ⊕ δ e_j with v constant, and by
/// v, which is A_G (6 × nv each). Needs Stage::kVelocity.
template <typename T>
void CalcCentroidalMomentumDerivatives(const Model&, Workspace<T>&, MatrixOut<T> dh_dq,
                                       MatrixOut<T> dh_dv);

/// Derivatives of the rate ḣ_G = A_G v̇ + Ȧ_G v at v̇ (nv numbers) by q, along q ⊕ δ e_j with v and v̇
/// constant, by v, and by v̇, which is A_G (6 × nv each). Needs Stage::kVelocity.
template <typename T>
void CalcCentroidalMomentumRateDerivatives(const Model&, VectorIn<T> vdot, Workspace<T>&,
                                           MatrixOut<T> dhdot_dq, MatrixOut<T> dhdot_dv,
                                           MatrixOut<T> dhdot_dvdot);

}  // namespace civita
