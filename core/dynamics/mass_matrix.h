#pragma once

#include "civita/model.h"
#include "civita/workspace.h"

namespace civita {

/// Mass matrix H(q), nv × nv, both triangles written, armature included: the composite-rigid-body
/// algorithm in world axes ([F], section 6.2), O(N·d). Units kg·m² between rotations, kg between
/// translations. Needs Stage::kPosition.
template <typename T>
void CalcMassMatrix(const Model& model, Workspace<T>& workspace, MatrixOut<T> H);

/// Rate Ḣ of the mass matrix along v, nv × nv, in O(N·d), from composite inertias I^C:
///   Ḣ_ik = Φ̇_iᵀ I^C Φ_k + Φ_iᵀ (I^C Φ̇_k + İ^C Φ_k).
/// It uses no Coriolis matrix, so that Ḣ = C + Cᵀ is an independent check of one. Needs
/// Stage::kVelocity.
template <typename T>
void CalcMassMatrixDerivative(const Model& model, Workspace<T>& workspace, MatrixOut<T> Hdot);

}  // namespace civita
