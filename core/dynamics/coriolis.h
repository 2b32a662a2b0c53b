#pragma once

#include "civita/factorization.h"
#include "civita/model.h"
#include "civita/workspace.h"

namespace civita {

/// Coriolis matrix C(q,v), nv × nv, of `factorization`, and the mass matrix H(q), nv × nv, in
/// O(N·d): algorithm 1 of [EW] in world axes. Needs Stage::kVelocity.
///
/// The default factorization is the Christoffel-consistent, torsion-free C: C_ik = Σ_j Γ_ijk v_j
/// with the symbols of the Riemannian connection, for ball and free joints generalized to their
/// velocity coordinates ([WES], theorem III.1). Every factorization has C v + g = CalcBiasForces
/// and, except `alpha`, Ḣ = C + Cᵀ. Armature is included.
template <typename T>
void CalcCoriolisMatrix(const Model& model, const Factorization& factorization,
                        Workspace<T>& workspace, CoriolisOut<T> out);

}  // namespace civita
