#pragma once

#include "civita/external_forces.h"
#include "civita/mass_matrix_cholesky.h"
#include "civita/model.h"
#include "civita/workspace.h"

// Forward dynamics v̇ = H⁻¹(τ + Jᵀf − C v − g) by articulated bodies and by the factor of H. H must
// be positive definite: each branch must end in a body with mass or a joint with armature.

namespace civita {

/// Forward dynamics v̇ = H⁻¹(τ + Jᵀf − C v − g) (nv numbers) under joint forces τ (nv numbers, N·m
/// or N) and external forces f by the articulated-body algorithm, O(N) ([F], section 7.3), in world
/// axes, armature included; tau may be vdot. If H is singular the result is not finite or
/// meaningless; MassMatrixCholesky::Compute tests for that. Needs Stage::kVelocity.
template <typename T>
void CalcForwardDynamics(const Model& model, VectorIn<T> tau, Workspace<T>& workspace,
                         VectorOut<T> vdot, ExternalForces<T> forces = {});

/// Forward dynamics v̇ = H⁻¹(τ + Jᵀf − C v − g) (nv numbers) under joint forces τ (nv numbers, N·m
/// or N) and external forces f by the factor of H, O(N·d²) ([F], chapter 6), armature included. It
/// computes `factor`, of the same model, which the caller may use for further solutions. Needs
/// Stage::kVelocity. @returns kSingularMassMatrix if H is singular; vdot then stays as it is.
template <typename T>
Status CalcForwardDynamics(const Model& model, VectorIn<T> tau, Workspace<T>& workspace,
                           MassMatrixCholesky<T>& factor, VectorOut<T> vdot,
                           ExternalForces<T> forces = {});

}  // namespace civita
