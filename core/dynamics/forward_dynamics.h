#pragma once

#include "civita/external_forces.h"
#include "civita/mass_matrix_cholesky.h"
#include "civita/model.h"
#include "civita/workspace.h"

// Forward dynamics v̇ = H⁻¹(τ + Jᵀf − C v − g) by two routes. H must be positive definite: a body
// without mass needs bodies with mass, or armature, further out. Both need Stage::kVelocity.

namespace civita {

/// The articulated-body algorithm, O(N) ([F], section 7.3), in world axes, armature included. vdot
/// may be tau. Where H is singular the result is not finite or means nothing: if that can be, ask a
/// MassMatrixCholesky.
template <typename T>
void CalcForwardDynamics(const Model& model, VectorIn<T> tau, Workspace<T>& workspace,
                         VectorOut<T> vdot, ExternalForces<T> forces = {});

/// The same by the factor of H, which is computed here and serves on for more solutions ([F],
/// chapter 6). vdot must not be tau. @returns false where H is singular; vdot then means nothing.
template <typename T>
[[nodiscard]] bool CalcForwardDynamics(const Model& model, VectorIn<T> tau, Workspace<T>& workspace,
                                       MassMatrixCholesky<T>& factor, VectorOut<T> vdot,
                                       ExternalForces<T> forces = {});

}  // namespace civita
