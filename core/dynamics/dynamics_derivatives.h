#pragma once

#include "civita/mass_matrix_cholesky.h"
#include "civita/model.h"
#include "civita/workspace.h"

// Derivatives of the equations of motion H v̇ + C v + g = τ, all nv × nv and written whole. ∂/∂q is
// taken along the velocity coordinates: column j is the rate along q ⊕ δ e_j with the components of
// v, v̇ and τ held, so that rotations have three columns and no quaternion appears. No springs, no
// forces from outside. Both need Stage::kVelocity.

namespace civita {

/// ∂τ/∂q, ∂τ/∂v and ∂τ/∂v̇ = H of inverse dynamics at v̇, in O(N·d), for all joints ([SRW], here in
/// world axes, with ball and free joints in quasi-velocities). ∂τ/∂v = ∂(C v)/∂v, which is 2C where
/// rates commute, for the Christoffel-consistent C.
template <typename T>
void CalcInverseDynamicsDerivatives(const Model& model, VectorIn<T> vdot, Workspace<T>& workspace,
                                    MatrixOut<T> dtau_dq, MatrixOut<T> dtau_dv, MatrixOut<T> H);

/// ∂v̇/∂q = −H⁻¹ ∂τ/∂q, ∂v̇/∂v = −H⁻¹ ∂τ/∂v and ∂v̇/∂τ = H⁻¹ of forward dynamics, in O(N·d·n). `vdot`
/// is what CalcForwardDynamics gives for τ. @returns false where H is singular; the matrices then
/// mean nothing.
template <typename T>
[[nodiscard]] bool CalcForwardDynamicsDerivatives(const Model& model, VectorIn<T> vdot,
                                                  Workspace<T>& workspace,
                                                  MassMatrixCholesky<T>& factor,
                                                  MatrixOut<T> dvdot_dq, MatrixOut<T> dvdot_dv,
                                                  MatrixOut<T> dvdot_dtau);

}  // namespace civita
