#pragma once

#include "civita/tensor3.h"

// What tells affine connections with coefficients Γ_ijk = ⟨e_i, ∇_{e_j} e_k⟩ apart, by indices. s
// is LowerFirstIndex(H, c): 0 in coordinates.

namespace civita {

/// Torsion T_ijk = ⟨e_i, ∇_{e_j} e_k − ∇_{e_k} e_j − [e_j, e_k]⟩ = Γ_ijk − Γ_ikj − s_ijk ([WES],
/// section III). T_ijk = −T_ikj.
Tensor3 Torsion(const Tensor3& Gamma, const Tensor3& s);

/// The symmetric part Γ_i(jk) = ½ (Γ_ijk + Γ_ikj): all that geodesics know of a connection ([WES]
/// (9)).
Tensor3 SymmetricPart(const Tensor3& Gamma);

/// Contorsion K = Γ − Γ_riemannian of a metric-compatible connection, from its torsion alone:
///   K_ijk = ½ (T_ijk + T_jik + T_kij).
/// [WES] calls −K the difference tensor D; with the same geodesics K = ½ T.
Tensor3 ContorsionFromTorsion(const Tensor3& T);

/// The torsion-free connection with the same geodesics as Γ, Γ_i(jk) + ½ s_ijk ([WES], theorem
/// III.2 and (9)). It need not be compatible with the metric.
Tensor3 TorsionFreeSameGeodesics(const Tensor3& Gamma, const Tensor3& s);

/// The torsion-free connection of the metric that Γ is compatible with, Γ − K(T(Γ)): the Riemannian
/// one ([WES], theorem III.1), without a derivative of H.
Tensor3 TorsionFreeSameMetric(const Tensor3& Gamma, const Tensor3& s);

/// What is left of the three properties, as largest absolute values (kg·m² and the like).
struct ConnectionResiduals {
  double metric = 0;   ///< e_j(H_ik) − Γ_ijk − Γ_kji: 0 for Ḣ = C + Cᵀ (proposition IV.1)
  double torsion = 0;  ///< T_ijk
  double geodesics =
      0;  ///< Γ_i(jk) less the Riemannian one: 0 for the right C v (proposition IV.2)
};

/// Tests a connection against a metric and frame: metric_rates h(i, j, k) = e_j(H_ik). With both
/// `metric` and `torsion` zero Γ is the Riemannian one, with `metric` and `geodesics` zero its
/// contorsion is totally antisymmetric (corollary III.1).
ConnectionResiduals CalcConnectionResiduals(const Tensor3& Gamma, const Tensor3& metric_rates,
                                            const Tensor3& s);

}  // namespace civita
