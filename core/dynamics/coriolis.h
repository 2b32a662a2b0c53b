#pragma once

#include "civita/factorization.h"
#include "civita/model.h"
#include "civita/workspace.h"

namespace civita {

/// Coriolis matrix C(q,v), nv × nv, of the chosen factorization, and the mass matrix H(q), nv × nv,
/// that falls out on the way, in O(N·d): algorithm 1 of [EW] in world axes. Needs Stage::kVelocity.
///
/// Which C: the one that `factorization` names; the default, Christoffel-consistent, has
/// C_ik = Γ_ijk v_j with the symbols of the Riemannian connection (torsion-free), for ball and free
/// joints too ([WES], theorem III.1; with MuJoCo's velocities, as generalized Christoffel symbols).
/// For every factorization C v + g = RNEA and, but for `alpha`, Ḣ = C + Cᵀ, armature included.
template <typename T>
void CalcCoriolisMatrix(const Model& model, const Factorization& factorization,
                        Workspace<T>& workspace, MatrixOut<T> C, MatrixOut<T> H);

}  // namespace civita
