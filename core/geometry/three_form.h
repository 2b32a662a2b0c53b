#pragma once

#include "civita/factorization.h"
#include "civita/tensor3.h"

namespace civita {

/// Three-form at q (nq numbers; needed where coefficients are functions of q) of what a
/// factorization injects on coordinates, nv³ numbers: β det[S_j, S_k, S_i] of joint injections
/// β·Sᵀ((S v)×)S, and its three-forms. A three-form ω adds Σ_j ω_ijk v_j to C, Contract(ω, v),
/// which changes neither C v nor C + Cᵀ, and ω to the contorsion; any two admissible factorizations
/// differ by one ([WES], corollary IV.1 and (12)).
Tensor3 ThreeFormOf(const Factorization& factorization, int nv, const Eigen::VectorXd& q = {});

/// Totally antisymmetric part of a tensor, the nearest three-form.
Tensor3 AntisymmetricPart(const Tensor3& a);

}  // namespace civita
