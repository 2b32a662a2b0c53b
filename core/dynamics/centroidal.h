#pragma once

#include "civita/model.h"
#include "civita/workspace.h"

// The mechanism as a whole: everything that some joint moves, all trees together; bodies fixed in
// the world do not count, nor do armatures, which carry no momentum. Momenta are [angular about the
// centre of mass (kg·m²/s); linear (kg·m/s)] in world axes. All in O(N), matrices included. The
// model must have mass.

namespace civita {

/// In kg.
double CalcTotalMass(const Model& model);

/// Centre of mass in the world, m. Needs Stage::kPosition.
template <typename T>
Vector3<T> CalcCenterOfMass(const Model& model, Workspace<T>& workspace);

/// J, 3 × nv, with ċ = J v for the centre of mass c: linear momenta of subtrees by the total mass.
/// Needs Stage::kPosition.
template <typename T>
void CalcCenterOfMassJacobian(const Model& model, Workspace<T>& workspace, MatrixOut<T> J);

/// J̇ along v, 3 × nv, so that c̈ = J v̇ + J̇ v. Needs Stage::kVelocity.
template <typename T>
void CalcCenterOfMassJacobianDerivative(const Model& model, Workspace<T>& workspace,
                                        MatrixOut<T> Jdot);

/// h_G = [angular about the centre of mass; linear]. Needs Stage::kVelocity.
template <typename T>
Vector6<T> CalcCentroidalMomentum(const Model& model, Workspace<T>& workspace);

/// The centroidal momentum matrix A_G, 6 × nv, with h_G = A_G v: composite inertias times Φ, moved
/// to the centre of mass (Orin, Goswami and Lee 2013). Needs Stage::kPosition.
template <typename T>
void CalcCentroidalMomentumMatrix(const Model& model, Workspace<T>& workspace, MatrixOut<T> A);

/// Ȧ_G along v, 6 × nv, so that ḣ_G = A_G v̇ + Ȧ_G v. Needs Stage::kVelocity.
template <typename T>
void CalcCentroidalMomentumMatrixDerivative(const Model& model, Workspace<T>& workspace,
                                            MatrixOut<T> Adot);

/// Ȧ_G v, the part of ḣ_G = A_G v̇ + Ȧ_G v that v̇ has no share in (N·m, N). ḣ_G is the wrench of
/// all outside forces about the centre of mass, gravity's included. Needs Stage::kVelocity.
template <typename T>
Vector6<T> CalcCentroidalMomentumBias(const Model& model, Workspace<T>& workspace);

}  // namespace civita
