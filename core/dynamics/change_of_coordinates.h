#pragma once

#include <span>

#include "civita/model.h"
#include "civita/types.h"
#include "civita/workspace.h"

// Another frame for the velocities, v = A(q) w, of the equations H v̇ + C v + g = τ. A is nv × nw of
// full column rank: square for a change of frame, tall for a constraint submanifold, whose
// connection is the one induced ([WES], (16) and (17)). Whatever C is, its properties are
// inherited: Ḣ̄ = C̄ + C̄ᵀ if Ḣ = C + Cᵀ, C̄ w is right if C v is, Γ̄ is free of torsion if Γ is. Any
// matrices of these sizes will do, not only those of a Model; C̄ is that of the same factorization.

namespace civita {

/// A and Ȧ, set by the user, with scratch: sized once, nothing allocates after that.
template <typename T>
struct CoordinateChange {
  CoordinateChange(int nv, int nw)
      : A(MatrixX<T>::Zero(nv, nw)), Adot(A), products(A), slice(MatrixX<T>::Zero(nv, nv)) {}

  MatrixX<T> A;                ///< nv × nw
  MatrixX<T> Adot;             ///< its rate along v = A w
  MatrixX<T> products, slice;  ///< scratch
};

/// H̄ = AᵀHA, nw × nw. O(nv²·nw), as the others.
template <typename T>
void ChangeMassMatrix(CoordinateChange<T>& change, MatrixIn<T> H, MatrixOut<T> H_w);

/// C̄ = AᵀCA + AᵀHȦ, nw × nw.
template <typename T>
void ChangeCoriolisMatrix(CoordinateChange<T>& change, MatrixIn<T> C, MatrixIn<T> H,
                          MatrixOut<T> C_w);

/// ḡ = Aᵀg, τ̄ = Aᵀτ, nw numbers.
template <typename T>
void ChangeForces(const CoordinateChange<T>& change, VectorIn<T> tau, VectorOut<T> tau_w);

/// Γ̄_abc = A_ia A_jb A_kc Γ_ijk + A_ia H_ik (A_jb ∂_jA_kc), nw³ numbers of nv³ (see
/// ChristoffelIndex), in O(nv³·nw). `dA` has A's derivatives along the new frame, nv × nw·nw:
/// columns b·nw … (b+1)·nw − 1 are A_jb ∂_jA, that is Ȧ at w = e_b.
template <typename T>
void ChangeChristoffelSymbols(CoordinateChange<T>& change, MatrixIn<T> dA, MatrixIn<T> H,
                              std::span<const std::type_identity_t<T>> Gamma,
                              std::span<std::type_identity_t<T>> Gamma_w);

/// `dA` of derivatives along the old frame, nv × nv·nw with columns j·nw … (j+1)·nw − 1 = ∂_jA.
template <typename T>
void CalcDerivativesAlongNewFrame(const CoordinateChange<T>& change, MatrixIn<T> dA_old,
                                  MatrixOut<T> dA);

/// Sets A and Ȧ for free joints that are told as body twists, [ω; u] both in the body's axes, u of
/// the body's origin: v = A w with v MuJoCo's, A = [0 R; 1 0] and Ȧ = [0 Rω×; 0 0] on each free
/// joint, the identity elsewhere. The forces are then [moment; force] in the body's axes. Needs
/// Stage::kVelocity.
template <typename T>
void SetFromBodyTwists(const Model& model, Workspace<T>& workspace, CoordinateChange<T>* change);

/// The way back, from dynamics in body twists to MuJoCo's velocities: w = A v with A = [0 1; Rᵀ 0],
/// Ȧ = [0 0; −ω×Rᵀ 0]. Needs Stage::kVelocity.
template <typename T>
void SetToBodyTwists(const Model& model, Workspace<T>& workspace, CoordinateChange<T>* change);

}  // namespace civita
