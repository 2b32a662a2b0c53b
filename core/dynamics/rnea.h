#pragma once

#include "civita/external_forces.h"
#include "civita/model.h"
#include "civita/workspace.h"

namespace civita {

/// Gravity forces g(q) of H v̇ + C v + g = τ (nv numbers, N·m or N), in O(N); forces of springs are
/// not included. Needs Stage::kPosition.
template <typename T>
void CalcGravityForces(const Model& model, Workspace<T>& workspace, VectorOut<T> g);

/// Bias forces C(q,v) v + g(q) (nv numbers, N·m or N), the same for every factorization, in O(N).
/// Needs Stage::kVelocity.
template <typename T>
void CalcBiasForces(const Model& model, Workspace<T>& workspace, VectorOut<T> bias);

/// Inverse dynamics τ = H v̇ + C v + g − Jᵀf (nv numbers, N·m or N) at acceleration v̇ (nv numbers)
/// under external forces f by the recursive Newton–Euler algorithm ([F], section 5.3), O(N),
/// armature included. Needs Stage::kVelocity.
template <typename T>
void CalcInverseDynamics(const Model& model, VectorIn<T> vdot, Workspace<T>& workspace,
                         VectorOut<T> tau, ExternalForces<T> forces = {});

/// Kinetic energy ½ vᵀH v in J, armature included, in O(N). Needs Stage::kVelocity.
template <typename T>
T CalcKineticEnergy(const Model& model, Workspace<T>& workspace);

/// Potential energy of gravity −Σ m gravity·com in J, zero at the world's origin, in O(N). Needs
/// Stage::kPosition.
template <typename T>
T CalcPotentialEnergy(const Model& model, Workspace<T>& workspace);

}  // namespace civita
