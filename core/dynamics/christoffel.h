#pragma once

#include <span>

#include "civita/christoffel_layout.h"
#include "civita/model.h"
#include "civita/tensor3.h"
#include "civita/workspace.h"

namespace civita {

/// Christoffel symbols of the first kind, Γ_ijk = ⟨e_i, ∇_{e_j} e_k⟩ of the Riemannian connection,
/// as a dense tensor (see ChristoffelIndex), armature included, in O(N·d²): algorithm 2 of [EW] in
/// world axes, extended to joints whose rates do not commute ([WES], section III). In kg·m² and the
/// like; a function of q alone. Needs Stage::kPosition.
///
/// j is the direction and k the column: C_ik = Σ_j Γ_ijk v_j is the Christoffel-consistent C.
/// Metric compatible, e_j(H_ik) = Γ_ijk + Γ_kji, and torsion-free: Γ_ijk = Γ_ikj, but that between
/// two rotations of one ball or free joint Γ_ijk − Γ_ikj = ⟨e_i, [e_j, e_k]⟩.
template <typename T>
void CalcChristoffelSymbols(const Model& model, Workspace<T>& workspace,
                            std::span<std::type_identity_t<T>> Gamma);

/// Γ as a tensor of n = nv: Gamma(i, j, k) = Γ_ijk, Gamma.Direction(j) the matrix of direction j.
inline void CalcChristoffelSymbols(const Model& model, Workspace<double>& workspace,
                                   Tensor3& Gamma) {
  CalcChristoffelSymbols(model, workspace, Gamma.numbers());
}

/// The same symbols, each written once, as ChristoffelLayout says: layout.size() numbers. Needs
/// Stage::kPosition.
template <typename T>
void CalcPackedChristoffelSymbols(const Model& model, const ChristoffelLayout& layout,
                                  Workspace<T>& workspace,
                                  std::span<std::type_identity_t<T>> packed);

/// The dense tensor of nv³ numbers from the packed form.
template <typename T = double>
void ExpandChristoffelSymbols(const Model& model, const ChristoffelLayout& layout,
                              std::span<const std::type_identity_t<T>> packed,
                              std::span<std::type_identity_t<T>> Gamma);

/// C_ik = Σ_j Γ_ijk v_j, nv × nv, from the packed form: for many velocities at one q.
template <typename T = double>
void ContractChristoffelSymbols(const Model& model, const ChristoffelLayout& layout,
                                std::span<const std::type_identity_t<T>> packed, VectorIn<T> v,
                                MatrixOut<T> C);

}  // namespace civita
