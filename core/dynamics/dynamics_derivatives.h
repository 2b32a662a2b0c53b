#pragma once

#include "civita/mass_matrix_cholesky.h"
#include "civita/model.h"
#include "civita/workspace.h"

// Derivatives of the equations of motion H v̇ + C v + g = τ, nv × nv each. ∂/∂q is taken along the
// velocity coordinates: column j is the rate along q ⊕ δ e_j with the components of v, v̇ and τ
// constant, so that rotations have three columns and no quaternion appears. Springs and external
// forces are not included.

namespace civita {

/// Derivatives ∂τ/∂q, ∂τ/∂v and ∂τ/∂v̇ = H (nv × nv each) of inverse dynamics τ = H v̇ + C v + g at
/// acceleration v̇ (nv numbers), in O(N·d), for all joints ([SRW], here in world axes, with ball and
/// free joints in quasi-velocities). Column j of ∂τ/∂q is the rate along q ⊕ δ e_j with v and v̇
/// constant. Where rates commute ∂τ/∂v = 2C of the Christoffel-consistent C. Needs
/// Stage::kVelocity.
template <typename T>
void CalcInverseDynamicsDerivatives(const Model& model, VectorIn<T> vdot, Workspace<T>& workspace,
                                    MatrixOut<T> dtau_dq, MatrixOut<T> dtau_dv, MatrixOut<T> H);

/// Derivatives ∂v̇/∂q = −H⁻¹ ∂τ/∂q, ∂v̇/∂v = −H⁻¹ ∂τ/∂v and ∂v̇/∂τ = H⁻¹ (nv × nv each) of forward
/// dynamics, in O(N·d·n), at the acceleration `vdot` (nv numbers) of CalcForwardDynamics. Column j
/// of ∂v̇/∂q is the rate along q ⊕ δ e_j with v and τ constant. Computes `factor`. Needs
/// Stage::kVelocity. @returns false if H is singular; the matrices are then undefined.
template <typename T>
[[nodiscard]] bool CalcForwardDynamicsDerivatives(const Model& model, VectorIn<T> vdot,
                                                  Workspace<T>& workspace,
                                                  MassMatrixCholesky<T>& factor,
                                                  MatrixOut<T> dvdot_dq, MatrixOut<T> dvdot_dv,
                                                  MatrixOut<T> dvdot_dtau);

}  // namespace civita
