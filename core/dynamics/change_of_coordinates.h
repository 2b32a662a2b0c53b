#pragma once

#include <span>

#include "civita/model.h"
#include "civita/types.h"
#include "civita/workspace.h"

// Change of velocities v = A(q) w in the equations H v̇ + C v + g = τ, which become
//   H̄ ẇ + C̄ w + ḡ = τ̄.
// A is nv × nw of full column rank: square for a change of frame, tall for a constraint submanifold
// with its induced connection ([WES], (16) and (17)). C̄ inherits the properties of C:
// Ḣ̄ = C̄ + C̄ᵀ if Ḣ = C + Cᵀ, the correct C̄ w if C v is correct, and a torsion-free Γ̄ if Γ is
// torsion-free. H, C and g need not belong to a Model.

namespace civita {

/// The matrices A and Ȧ of a change of velocities v = A(q) w, set by the caller, and scratch
/// memory. The constructor alone allocates.
template <typename T>
struct CoordinateChange {
  CoordinateChange(int nv, int nw)
      : A(MatrixX<T>::Zero(nv, nw)), Adot(A), products(A), slice(MatrixX<T>::Zero(nv, nv)) {}

  MatrixX<T> A;                ///< nv × nw
  MatrixX<T> Adot;             ///< nv × nw, rate of A along v = A w
  MatrixX<T> products, slice;  ///< scratch
};

/// Mass matrix H̄ = AᵀHA (nw × nw) in the velocities w, v = A w, from H (nv × nv), in O(nv²·nw).
template <typename T>
void ChangeMassMatrix(CoordinateChange<T>& change, MatrixIn<T> H, MatrixOut<T> H_w);

/// Coriolis matrix C̄ = AᵀCA + AᵀHȦ (nw × nw) in the velocities w, v = A w, from C and H (nv × nv
/// each), in O(nv²·nw) ([WES], (17)). C may be of any factorization; C̄ inherits its properties.
template <typename T>
void ChangeCoriolisMatrix(CoordinateChange<T>& change, MatrixIn<T> C, MatrixIn<T> H,
                          MatrixOut<T> C_w);

/// Generalized forces τ̄ = Aᵀτ (nw numbers) on the velocities w, v = A w, from τ (nv numbers);
/// gravity forces ḡ = Aᵀg likewise.
template <typename T>
void ChangeForces(const CoordinateChange<T>& change, VectorIn<T> tau, VectorOut<T> tau_w);

/// Christoffel symbols Γ̄_abc = A_ia A_jb A_kc Γ_ijk + A_ia H_ik (A_jb ∂_jA_kc) in the velocities w,
/// v = A w: nw³ numbers from the nv³ numbers Γ (see ChristoffelIndex), in O(nv³·nw) ([WES], (16)).
/// `dA`, nv × nw·nw, holds the derivatives of A along the new frame: columns b·nw … (b+1)·nw − 1
/// are A_jb ∂_jA, that is Ȧ at w = e_b.
template <typename T>
void ChangeChristoffelSymbols(CoordinateChange<T>& change, MatrixIn<T> dA, MatrixIn<T> H,
                              std::span<const std::type_identity_t<T>> Gamma,
                              std::span<std::type_identity_t<T>> Gamma_w);

/// Derivatives of A along the new frame (`dA`, nv × nw·nw, columns b·nw … (b+1)·nw − 1 = A_jb ∂_jA)
/// from those along the old frame (`dA_old`, nv × nv·nw, columns j·nw … (j+1)·nw − 1 = ∂_jA).
template <typename T>
void CalcDerivativesAlongNewFrame(const CoordinateChange<T>& change, MatrixIn<T> dA_old,
                                  MatrixOut<T> dA);

/// Sets A and Ȧ of v = A w where w gives each free joint by its body twist [ω; u], both expressed
/// in body axes, u the velocity of the body's origin, and v by MuJoCo's velocities: A = [0 R; 1 0]
/// and Ȧ = [0 Rω×; 0 0] on each free joint, the identity elsewhere. Generalized forces on w are
/// [moment; force], expressed in body axes. Needs Stage::kVelocity.
template <typename T>
void SetFromBodyTwists(const Model& model, Workspace<T>& workspace, CoordinateChange<T>* change);

/// Sets A and Ȧ of w = A v, the inverse of SetFromBodyTwists: from dynamics in the body twists w of
/// free joints to MuJoCo's velocities v, A = [0 1; Rᵀ 0] and Ȧ = [0 0; −ω×Rᵀ 0] on each free joint,
/// the identity elsewhere. Needs Stage::kVelocity.
template <typename T>
void SetToBodyTwists(const Model& model, Workspace<T>& workspace, CoordinateChange<T>* change);

}  // namespace civita
