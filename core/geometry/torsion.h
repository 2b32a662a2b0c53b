#pragma once

#include "civita/tensor3.h"

// Tensors by which affine connections with coefficients Γ_ijk = ⟨e_i, ∇_{e_j} e_k⟩ differ. The
// argument s is LowerFirstIndex(H, c) of the frame; it is 0 in coordinates.

namespace civita {

/// Torsion T_ijk = ⟨e_i, ∇_{e_j} e_k − ∇_{e_k} e_j − [e_j, e_k]⟩ = Γ_ijk − Γ_ikj − s_ijk of a
/// connection Γ in a frame with s = LowerFirstIndex(H, c) ([WES], section III). T_ijk = −T_ikj.
Tensor3 Torsion(const Tensor3& Gamma, const Tensor3& s);

/// Symmetric part Γ_i(jk) = ½ (Γ_ijk + Γ_ikj) of a connection, which determines its geodesics
/// ([WES] (9)).
Tensor3 SymmetricPart(const Tensor3& Gamma);

/// Torsion-free connection Γ_i(jk) + ½ s_ijk with the geodesics of Γ, in a frame with
/// s = LowerFirstIndex(H, c) ([WES], theorem III.2 and (9)). It need not be metric-compatible.
Tensor3 TorsionFreeSameGeodesics(const Tensor3& Gamma, const Tensor3& s);

/// Riemannian connection Γ − K of the metric with which Γ is compatible, in a frame with
/// s = LowerFirstIndex(H, c) ([WES], theorem III.1); no derivative of H is needed. The contorsion
/// is K_ijk = ½ (T_ijk + T_jik + T_kij) of the torsion T of Γ, −D of [WES]; ½ T where Γ has the
/// Riemannian geodesics.
Tensor3 TorsionFreeSameMetric(const Tensor3& Gamma, const Tensor3& s);

/// Residuals of three properties of a connection, as maximum absolute values in the units of Γ
/// ([WES], section IV).
struct ConnectionResiduals {
  double metric = 0;   ///< e_j(H_ik) − Γ_ijk − Γ_kji: 0 if Ḣ = C + Cᵀ (proposition IV.1)
  double torsion = 0;  ///< torsion T_ijk
  /// Γ_i(jk) minus that of the Riemannian connection: 0 if C v is correct (proposition IV.2).
  double geodesics = 0;
};

/// Residuals of a connection Γ against a metric with the rates metric_rates h(i, j, k) = e_j(H_ik)
/// and a frame with s = LowerFirstIndex(H, c). If `metric` and `torsion` are zero, Γ is the
/// Riemannian connection; if `metric` and `geodesics` are zero, its contorsion is totally
/// antisymmetric ([WES], corollary III.1).
ConnectionResiduals CalcConnectionResiduals(const Tensor3& Gamma, const Tensor3& metric_rates,
                                            const Tensor3& s);

}  // namespace civita
