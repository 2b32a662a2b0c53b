#pragma once

#include "civita/model.h"
#include "civita/workspace.h"

namespace civita {

/// H = LᵀD L of the mass matrix with the sparsity that branches give it: L_ki ≠ 0 only for
/// coordinates i on the path from the world to k, so nothing is filled in and the cost is O(N·d²)
/// for the factor and O(N·d) for a solution ([F], sections 6.4 and 6.5). L has unit diagonal, with
/// rows and columns in depth-first order of the coordinates. Sized once for its Model, which must
/// outlive it; nothing allocates after that. One a thread.
template <typename T>
class MassMatrixCholesky {
 public:
  explicit MassMatrixCholesky(const Model& model);
  explicit MassMatrixCholesky(const Model&& model) = delete;

  /// Factors H(q), armature included, straight from the composite inertias. Needs
  /// Stage::kPosition. @returns whether H is positive definite to working precision; it is not
  /// when a massless body ends a branch. If not, the factor must not be used.
  [[nodiscard]] bool Compute(Workspace<T>& workspace);

  /// The same of any symmetric matrix that is zero where H(q) is for every q, as H + Δt·diagonal.
  /// Reads the entries (i, k) with i on the path to k.
  [[nodiscard]] bool Compute(const Eigen::Ref<const MatrixX<std::type_identity_t<T>>>& H);

  /// x ← H⁻¹ x, for every column of x (nv rows).
  void SolveInPlace(MatrixOut<T> x) const;

  /// x ← L⁻ᵀ x: with D, half of a solution. ‖D^{−½} L⁻ᵀ x‖² = xᵀH⁻¹x.
  void SolveTransposedFactorInPlace(MatrixOut<T> x) const;

  /// D by coordinate, positive.
  T pivot(int k) const;

 private:
  bool Factor();

  const Model* model_;
  /// Column k: row k of L along the path to k, packed, D_k last. The path to an ancestor is the
  /// beginning of it, so that inner loops run over adjacent numbers.
  MatrixX<T> rows_;
  VectorX<T> diagonal_;  ///< of H
};

}  // namespace civita
