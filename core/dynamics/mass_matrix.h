#pragma once

#include "civita/model.h"
#include "civita/workspace.h"

namespace civita {

/// Mass matrix H(q), nv × nv, symmetric and written whole, armature included: the
/// composite-rigid-body algorithm in world axes ([F], section 6.2). kg·m² for
/// rotations, kg for translations. Needs Stage::kPosition.
template <typename T>
void CalcMassMatrix(const Model& model, Workspace<T>& workspace, MatrixOut<T> H);

/// Ḣ along v by its own formula, never from a Coriolis matrix, so that Ḣ = C + Cᵀ is a check that
/// can fail: Ḣ_ik = Φ̇_iᵀ I^C Φ_k + Φ_iᵀ (I^C Φ̇_k + İ^C Φ_k). Needs Stage::kVelocity.
template <typename T>
void CalcMassMatrixDerivative(const Model& model, Workspace<T>& workspace, MatrixOut<T> Hdot);

}  // namespace civita
