#pragma once

#include "civita/factorization.h"
#include "civita/model.h"
#include "civita/workspace.h"

// Products with the Coriolis matrix in O(N), without the matrix.

namespace civita {

/// τ = H v̇_r + C(q,v) v_r + g for any reference velocity v_r and acceleration v̇_r (nv numbers
/// each): inverse dynamics with two velocities ([EW], remark 2; Niemeyer and Slotine). v is the one
/// of UpdateKinematics. C is the one that `factorization` names, of CalcCoriolisMatrix; v_r = v
/// gives CalcInverseDynamics for all of them. Armature included. Needs Stage::kVelocity.
template <typename T>
void CalcPassivityInverseDynamics(const Model& model, const Factorization& factorization,
                                  VectorIn<T> v_r, VectorIn<T> vdot_r, Workspace<T>& workspace,
                                  VectorOut<T> tau);

/// C(q,v) w of the same C, nv numbers: the bilinear Γ_ijk v_j w_k of its connection, with neither Γ
/// nor C formed. H⁻¹ (H ẇ + C w) is the covariant derivative of a field w along the motion; w = v
/// gives C v. Needs Stage::kVelocity.
template <typename T>
void CalcCoriolisProduct(const Model& model, const Factorization& factorization, VectorIn<T> w,
                         Workspace<T>& workspace, VectorOut<T> product);

/// Cᵀ(q,v) w of the same C, as in a momentum observer, where ṗ = τ + Cᵀv − g. Needs
/// Stage::kVelocity.
template <typename T>
void CalcCoriolisTransposeProduct(const Model& model, const Factorization& factorization,
                                  VectorIn<T> w, Workspace<T>& workspace, VectorOut<T> product);

}  // namespace civita
