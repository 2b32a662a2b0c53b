#pragma once

#include <optional>

#include "civita/model.h"
#include "civita/tensor3.h"

namespace civita {

/// Rates of the metric h(i, j, k) = e_j(H_ik) at q (nq numbers), nv³ numbers, from the mass matrix
/// with dual numbers, to working precision; independent of any Coriolis matrix.
Tensor3 CalcMetricRates(const Model& model, const Eigen::Ref<const Eigen::VectorXd>& q);

/// Structure constants with the first index lowered by the metric H (n × n):
/// s_ijk = Σ_l H_il c^l_jk = ⟨e_i, [e_j, e_k]⟩, n³ numbers ([WES], (8)).
Tensor3 LowerFirstIndex(const Eigen::Ref<const Eigen::MatrixXd>& H, const Tensor3& c);

/// Symbols of the second kind Γ^i_jk = Σ_l H^il Γ_ljk, n³ numbers, of a connection with the symbols
/// `Gamma` of the first kind and the metric H (n × n): ∇_{e_j} e_k = Σ_i Γ^i_jk e_i ([WES], section
/// III). nullopt where H is not positive definite.
std::optional<Tensor3> RaiseFirstIndex(const Eigen::Ref<const Eigen::MatrixXd>& H,
                                       const Tensor3& Gamma);

}  // namespace civita
