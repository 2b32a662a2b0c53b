#pragma once

#include "core/geometry/tensor3.h"
#include "core/model.h"

namespace civita {

/// Structure constants of a Model's velocity coordinates, c(l, j, k) = c^l_jk with
/// [e_j, e_k] = Σ_l c^l_jk e_l ([WES], remark 1, there s): constant, and within one joint. They are
/// ε_jkl for the three rotations of a ball or free joint, angular velocity in the body's axes; all
/// other coordinates commute.
Tensor3 CalcStructureConstants(const Model& model);

/// s_ijk = Σ_l H_il c^l_jk = ⟨e_i, [e_j, e_k]⟩ ([WES], (8)).
Tensor3 LowerFirstIndex(const Eigen::Ref<const Eigen::MatrixXd>& H, const Tensor3& c);

/// Symbols of the second kind, Γ^i_jk = Σ_l H^il Γ_ljk: ∇_{e_j} e_k = Σ_i Γ^i_jk e_i ([WES],
/// section III). H positive definite.
Tensor3 RaiseFirstIndex(const Eigen::Ref<const Eigen::MatrixXd>& H, const Tensor3& Gamma);

}  // namespace civita
