#pragma once

#include "civita/factorization.h"
#include "civita/model.h"
#include "civita/workspace.h"

// Products with the Coriolis matrix in O(N), computed without the matrix.

namespace civita {

/// τ = H v̇_r + C(q,v) v_r + g (nv numbers, N·m or N) for any reference velocity v_r and reference
/// acceleration v̇_r (nv numbers each), in O(N): inverse dynamics with two velocities ([EW], remark
/// 2; Niemeyer and Slotine). v is the velocity of UpdateKinematics. C is CalcCoriolisMatrix of
/// `factorization`; with v_r = v every factorization gives CalcInverseDynamics. Armature is
/// included. Needs Stage::kVelocity.
template <typename T>
void CalcPassivityInverseDynamics(const Model& model, const Factorization& factorization,
                                  VectorIn<T> v_r, VectorIn<T> vdot_r, Workspace<T>& workspace,
                                  VectorOut<T> tau);

/// Product C(q,v) w (nv numbers) for any w (nv numbers), in O(N), with C = CalcCoriolisMatrix of
/// `factorization`: the bilinear Σ Γ_ijk v_j w_k of its connection. H⁻¹ (H ẇ + C w) is the
/// covariant derivative of a field w along the motion; with w = v every factorization gives C v.
/// Needs Stage::kVelocity.
template <typename T>
void CalcCoriolisProduct(const Model& model, const Factorization& factorization, VectorIn<T> w,
                         Workspace<T>& workspace, VectorOut<T> product);

/// Product Cᵀ(q,v) w (nv numbers) for any w (nv numbers), in O(N), with C = CalcCoriolisMatrix of
/// `factorization`. A momentum observer uses it: p = H v has ṗ = τ + Cᵀv − g if Ḣ = C + Cᵀ. Needs
/// Stage::kVelocity.
template <typename T>
void CalcCoriolisTransposeProduct(const Model& model, const Factorization& factorization,
                                  VectorIn<T> w, Workspace<T>& workspace, VectorOut<T> product);

}  // namespace civita
