#pragma once

#include "civita/factorization.h"
#include "civita/model.h"
#include "civita/tensor3.h"
#include "civita/workspace.h"

namespace civita {

/// The affine connection that belongs to a factorization, Γ_ijk = ⟨e_i, ∇_{e_j} e_k⟩ with
/// C_ik(q,v) = Σ_j Γ_ijk v_j ([WES] (10)): column by column, C(q, e_j) is the slice of direction j.
/// Armature and injections included; of Factorization{} what CalcChristoffelSymbols gives. nv
/// evaluations of C. Leaves the workspace at Stage::kVelocity with a unit velocity.
Tensor3 CalcConnection(const Model& model, const Factorization& factorization,
                       const Eigen::Ref<const Eigen::VectorXd>& q, Workspace<double>& workspace);

/// The Riemannian connection of any metric and frame, by Koszul's formula ([WES] (8)):
///   Γ_ijk = ½ (e_k(H_ij) + e_j(H_ik) − e_i(H_jk) + s_kij + s_jik + s_ijk),
/// with metric_rates h(i, j, k) = e_j(H_ik) and s = LowerFirstIndex(H, c). In coordinates (s = 0)
/// the Christoffel symbols of the first kind ([WES] (5)).
Tensor3 KoszulConnection(const Tensor3& metric_rates, const Tensor3& s);

/// The connection that `Gamma` induces on a submanifold (A tall) or in another frame (A square)
/// with ē_b = Σ_i A_ib e_i: derivatives projected by the metric ([WES] (16), (17)),
///   Γ̄_abc = Σ A_ia (Σ_jk Γ_ijk A_jb A_kc + Σ_k H_ik ē_b(A_kc)).
/// A is n × m with full column rank; A_rates[b] = ē_b(A), n × m. @returns m³ numbers.
Tensor3 ProjectConnection(const Tensor3& Gamma, const Eigen::Ref<const Eigen::MatrixXd>& H,
                          const Eigen::Ref<const Eigen::MatrixXd>& A,
                          std::span<const Eigen::MatrixXd> A_rates);

}  // namespace civita
