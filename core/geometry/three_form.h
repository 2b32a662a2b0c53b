#pragma once

#include "civita/factorization.h"
#include "civita/tensor3.h"

namespace civita {

/// Adds ω(·, v, ·) to a Coriolis matrix C (nv × nv): C_ik += Σ_j ω_ijk v_j with a three-form ω, a
/// totally antisymmetric tensor of nv³ numbers that may vary with q. C v and C + Cᵀ are unchanged,
/// and ω is added to the contorsion; any two admissible factorizations differ by a three-form
/// ([WES], corollary IV.1 and (12)). @throws ContractError if ω is not antisymmetric.
void AddThreeForm(const Tensor3& omega, const Eigen::Ref<const Eigen::VectorXd>& v,
                  Eigen::Ref<Eigen::MatrixXd> C);

/// Three-form at q (nq numbers; needed where coefficients are functions of q) of what a
/// factorization injects on coordinates, nv³ numbers: β det[S_j, S_k, S_i] of joint injections
/// β·Sᵀ((S v)×)S, and its three-forms.
Tensor3 ThreeFormOf(const Factorization& factorization, int nv, const Eigen::VectorXd& q = {});

/// Totally antisymmetric part of a tensor, the nearest three-form.
Tensor3 AntisymmetricPart(const Tensor3& a);

}  // namespace civita
