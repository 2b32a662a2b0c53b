#pragma once

#include "civita/factorization.h"
#include "civita/model.h"
#include "civita/tensor3.h"
#include "civita/workspace.h"

namespace civita {

/// Affine connection of a factorization at q (nq numbers): Γ_ijk = ⟨e_i, ∇_{e_j} e_k⟩, nv³ numbers,
/// with C_ik(q,v) = Σ_j Γ_ijk v_j ([WES] (10)), from nv evaluations of C; C(q, e_j) is the slice of
/// direction j. Armature and injections are included; Factorization{} gives the symbols of
/// CalcChristoffelSymbols. Leaves `workspace` at Stage::kVelocity with a unit velocity.
Tensor3 CalcConnection(const Model& model, const Factorization& factorization,
                       const Eigen::Ref<const Eigen::VectorXd>& q, Workspace<double>& workspace);

/// Riemannian connection of any metric H and frame by Koszul's formula ([WES] (8)), n³ numbers:
///   Γ_ijk = ½ (e_k(H_ij) + e_j(H_ik) − e_i(H_jk) + s_kij + s_jik + s_ijk),
/// with metric_rates h(i, j, k) = e_j(H_ik) and s = LowerFirstIndex(H, c). In coordinates (s = 0)
/// the Christoffel symbols of the first kind ([WES] (5)).
Tensor3 KoszulConnection(const Tensor3& metric_rates, const Tensor3& s);

/// Connection that `Gamma` (n³ numbers) induces on a submanifold (A tall) or in another frame (A
/// square) with ē_b = Σ_i A_ib e_i: covariant derivatives projected by the metric H, n × n ([WES]
/// (16), (17)),
///   Γ̄_abc = Σ A_ia (Σ_jk Γ_ijk A_jb A_kc + Σ_k H_ik ē_b(A_kc)).
/// A is n × m with full column rank; A_rates[b] = ē_b(A), n × m. @returns m³ numbers.
Tensor3 ProjectConnection(const Tensor3& Gamma, const Eigen::Ref<const Eigen::MatrixXd>& H,
                          const Eigen::Ref<const Eigen::MatrixXd>& A,
                          std::span<const Eigen::MatrixXd> A_rates);

}  // namespace civita
