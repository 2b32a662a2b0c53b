#pragma once

#include <span>

#include "civita/christoffel_layout.h"
#include "civita/model.h"
#include "civita/tensor3.h"
#include "civita/workspace.h"

namespace civita {

/// Christoffel symbols of the first kind Γ_ijk(q) = ⟨e_i, ∇_{e_j} e_k⟩ of the Riemannian
/// connection, a dense tensor of nv³ numbers (see ChristoffelIndex), in O(N·d²): algorithm 2 of
/// [EW] in world axes, extended to joints whose rates do not commute ([WES], section III). Units
/// kg·m² between rotations. Needs Stage::kPosition.
///
/// j is the direction and k the column: C_ik = Σ_j Γ_ijk v_j is the Christoffel-consistent C. The
/// connection is metric-compatible, e_j(H_ik) = Γ_ijk + Γ_kji, and torsion-free: Γ_ijk = Γ_ikj,
/// except that Γ_ijk − Γ_ikj = ⟨e_i, [e_j, e_k]⟩ between two rotations of one ball or free joint.
/// Armature is included.
template <typename T>
void CalcChristoffelSymbols(const Model& model, Workspace<T>& workspace,
                            std::span<std::type_identity_t<T>> Gamma);

/// Christoffel symbols of the first kind of the Riemannian connection as a tensor of n = nv:
/// Gamma(i, j, k) = Γ_ijk, and Gamma.Direction(j) is the matrix of direction j. Armature is
/// included. Needs Stage::kPosition.
inline void CalcChristoffelSymbols(const Model& model, Workspace<double>& workspace,
                                   Tensor3& Gamma) {
  CalcChristoffelSymbols(model, workspace, Gamma.numbers());
}

/// Christoffel symbols of the first kind of the Riemannian connection in the packed form of
/// `layout`, which holds each nonzero symbol once: layout.size() numbers, in O(N·d²) by algorithm 2
/// of [EW], armature included; layout.ForEach visits them. Needs Stage::kPosition.
template <typename T>
void CalcPackedChristoffelSymbols(const Model& model, const ChristoffelLayout& layout,
                                  Workspace<T>& workspace,
                                  std::span<std::type_identity_t<T>> packed);

}  // namespace civita
