#pragma once

#include "civita/external_forces.h"
#include "civita/factorization.h"
#include "civita/mass_matrix_cholesky.h"
#include "civita/model.h"
#include "civita/workspace.h"

// Derivatives of the equations of motion H v̇ + C v + g = τ + Jᵀf, nv × nv each. ∂/∂q is taken along
// the velocity coordinates: column j is the rate along q ⊕ δ e_j with the components of v, v̇ and τ
// constant, so that rotations have three columns and no quaternion appears. External forces f keep
// their points in the bodies, and their moments and forces in world axes. Armature is included, as
// in the equations; passive forces, such as those of springs, are part of τ, as there, and
// AddPassiveForceDerivatives (civita/passive_forces.h) has what depends on the state in them.

namespace civita {

/// Derivatives ∂τ/∂q, ∂τ/∂v and ∂τ/∂v̇ = H (nv × nv each) of inverse dynamics
/// τ = H v̇ + C v + g − Jᵀf at acceleration v̇ (nv numbers), in O(N·d), O(d²) more a force, for all
/// joints ([SRW], here in world axes, with ball and free joints in quasi-velocities). Column j of
/// ∂τ/∂q is the rate along q ⊕ δ e_j with v and v̇ constant. Where rates commute ∂τ/∂v = 2C of the
/// Christoffel-consistent C. Needs Stage::kVelocity.
template <typename T>
void CalcInverseDynamicsDerivatives(const Model& model, VectorIn<T> vdot, Workspace<T>& workspace,
                                    MatrixOut<T> dtau_dq, MatrixOut<T> dtau_dv, MatrixOut<T> H,
                                    ExternalForces<T> forces = {});

/// Derivatives ∂(C w)/∂q and ∂(C w)/∂v (nv × nv each) of CalcCoriolisProduct, C(q,v) w of any
/// `factorization` with w (nv numbers) constant, in O(N·d), for all joints. Column j of ∂(C w)/∂q
/// is the rate along q ⊕ δ e_j with v and w constant. As C is linear in v,
/// ∂(C w)/∂v = Σ_k Γ_ijk w_k: where rates commute the C(q, w) of the opposite torsion. A β(q) that
/// is a function has its rates from central differences, 2 nv evaluations, with relative errors
/// about 1e-10. Needs Stage::kVelocity.
template <typename T>
void CalcCoriolisProductDerivatives(const Model& model, const Factorization& factorization,
                                    VectorIn<T> w, Workspace<T>& workspace, MatrixOut<T> dCw_dq,
                                    MatrixOut<T> dCw_dv);

/// Derivatives ∂τ/∂q and ∂τ/∂v (nv × nv each) of CalcPassivityInverseDynamics,
/// τ = H v̇_r + C(q,v) v_r + g with v_r and v̇_r (nv numbers each) constant, as in
/// CalcCoriolisProductDerivatives. ∂τ/∂v_r = C and ∂τ/∂v̇_r = H are CalcCoriolisMatrix: a law whose
/// v_r and v̇_r depend on q has dτ/dq = ∂τ/∂q + C ∂v_r/∂q + H ∂v̇_r/∂q. Needs Stage::kVelocity.
template <typename T>
void CalcPassivityInverseDynamicsDerivatives(const Model& model, const Factorization& factorization,
                                             VectorIn<T> v_r, VectorIn<T> vdot_r,
                                             Workspace<T>& workspace, MatrixOut<T> dtau_dq,
                                             MatrixOut<T> dtau_dv);

/// Derivatives ∂v̇/∂q = −H⁻¹ ∂τ/∂q, ∂v̇/∂v = −H⁻¹ ∂τ/∂v and ∂v̇/∂τ = H⁻¹ (nv × nv each) of forward
/// dynamics, in O(N·d·n), at the acceleration `vdot` (nv numbers) of CalcForwardDynamics under the
/// same forces. Column j of ∂v̇/∂q is the rate along q ⊕ δ e_j with v and τ constant. Computes
/// `factor`. Needs Stage::kVelocity. @returns kSingularMassMatrix if H is singular; the matrices
/// are then undefined.
template <typename T>
Status CalcForwardDynamicsDerivatives(const Model& model, VectorIn<T> vdot, Workspace<T>& workspace,
                                      MassMatrixCholesky<T>& factor, MatrixOut<T> dvdot_dq,
                                      MatrixOut<T> dvdot_dv, MatrixOut<T> dvdot_dtau,
                                      ExternalForces<T> forces = {});

}  // namespace civita
