#pragma once

#include "civita/model.h"
#include "civita/workspace.h"

namespace civita {

/// Gravity forces g(q) of H v̇ + C v + g = τ, nv numbers (springs are not part of it). N·m, N.
/// Needs Stage::kPosition.
template <typename T>
void CalcGravityForces(const Model& model, Workspace<T>& workspace, VectorOut<T> g);

/// Bias forces C(q,v) v + g(q): the same for every valid factorization. Needs Stage::kVelocity.
template <typename T>
void CalcBiasForces(const Model& model, Workspace<T>& workspace, VectorOut<T> bias);

/// Inverse dynamics τ = H v̇ + C v + g by the recursive Newton–Euler algorithm, O(N), armature
/// included. Needs Stage::kVelocity.
template <typename T>
void CalcInverseDynamics(const Model& model, VectorIn<T> vdot, Workspace<T>& workspace,
                         VectorOut<T> tau);

/// Kinetic energy ½ vᵀH v (armature included) and potential energy −Σ m gravity·com, zero at the
/// world's origin, in J. Stage::kVelocity and kPosition.
template <typename T>
T CalcKineticEnergy(const Model& model, Workspace<T>& workspace);
template <typename T>
T CalcPotentialEnergy(const Model& model, Workspace<T>& workspace);

}  // namespace civita
