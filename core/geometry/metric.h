#pragma once

#include "civita/model.h"
#include "civita/tensor3.h"

namespace civita {

/// Rates of the metric, h(i, j, k) = e_j(H_ik), from the mass matrix alone (dual numbers), never
/// from a Coriolis matrix. To working precision.
Tensor3 CalcMetricRates(const Model& model, const Eigen::Ref<const Eigen::VectorXd>& q);

/// s_ijk = Σ_l H_il c^l_jk = ⟨e_i, [e_j, e_k]⟩ ([WES], (8)).
Tensor3 LowerFirstIndex(const Eigen::Ref<const Eigen::MatrixXd>& H, const Tensor3& c);

/// Symbols of the second kind, Γ^i_jk = Σ_l H^il Γ_ljk: ∇_{e_j} e_k = Σ_i Γ^i_jk e_i ([WES],
/// section III). H positive definite.
Tensor3 RaiseFirstIndex(const Eigen::Ref<const Eigen::MatrixXd>& H, const Tensor3& Gamma);

}  // namespace civita
