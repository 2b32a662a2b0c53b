#pragma once

#include "civita/factorization.h"
#include "civita/tensor3.h"

namespace civita {

/// Adds ω(·, v, ·) to a Coriolis matrix: C_ik += Σ_j ω_ijk v_j with a three-form ω, a totally
/// antisymmetric tensor of nv³ numbers (kg·m² and the like; it may vary with q). Any two
/// factorizations with C v = c and Ḣ = C + Cᵀ differ by one ([WES], corollary IV.1 and (12)): C v
/// and C + Cᵀ stay, and the contorsion grows by ω itself. @throws ContractError where ω is not
/// antisymmetric.
void AddThreeForm(const Tensor3& omega, const Eigen::Ref<const Eigen::VectorXd>& v,
                  Eigen::Ref<Eigen::MatrixXd> C);

/// The three-form of a joint injection β·Sᵀ((S v)×)S: ω_ijk = β det[S_j, S_k, S_i].
Tensor3 ThreeFormOf(const Factorization::JointInjection& injection);

/// The three-form nearest to any tensor, its totally antisymmetric part.
Tensor3 AntisymmetricPart(const Tensor3& a);

}  // namespace civita
