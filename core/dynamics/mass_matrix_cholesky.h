#pragma once

#include "civita/model.h"
#include "civita/status.h"
#include "civita/workspace.h"

namespace civita {

namespace kernels {
struct Kernels;
}

/// Factor H = LᵀD L of the mass matrix with branch-induced sparsity: L_ki ≠ 0 only for coordinates
/// i on the path from the world to k, so that there is no fill-in and the cost is O(N·d²) for the
/// factor and O(N·d) for a solution ([F], sections 6.4 and 6.5). L has a unit diagonal, with rows
/// and columns in depth-first order of the coordinates. The constructor alone allocates.
/// Functions that take a model and a factor take that model and its copies (Model::id). Each thread
/// needs its own.
template <typename T>
class MassMatrixCholesky {
 public:
  explicit MassMatrixCholesky(const Model& model);  ///< allocates for models of this structure

  /// Factors H(q), armature included, computed from the composite inertias. Needs
  /// Stage::kPosition. @returns kSingularMassMatrix, and leaves no factor, where H is not positive
  /// definite to working precision, as where a branch ends in a body without mass.
  Status Compute(Workspace<T>& workspace);

  /// Factors a symmetric nv × nv matrix that is zero where H(q) is zero for every q, such as
  /// H + Δt·diagonal. Reads the entries (i, k) with i on the path to k. @returns as above.
  Status Compute(MatrixIn<T> H);

  /// x ← H⁻¹ x for every column of x (nv rows), in O(N·d) per column.
  void SolveInPlace(MatrixOut<T> x) const;

  /// X ← X H⁻¹ for X of any number of rows and nv columns: the solutions of its rows, faster than
  /// those of as many columns, as the numbers of a column are adjacent.
  void SolveRowsInPlace(MatrixOut<T> X) const;

  /// x ← L⁻ᵀ x for every column of x (nv rows), so that ‖D^{−½} L⁻ᵀ x‖² = xᵀH⁻¹x.
  void SolveTransposedFactorInPlace(MatrixOut<T> x) const;

  /// Sets the inverse H⁻¹ (nv × nv, both triangles), in O(N·d·n) of n coordinates.
  void CalcInverse(MatrixOut<T> H_inverse) const;

  /// D_k > 0 of velocity coordinate k.
  T pivot(int k) const;

  const Model& model() const { return model_; }  ///< whose structure it has

 private:
  friend struct internal::Access;
  Status Factor();
  const T& D(int k) const;
  bool is_served() const;
  T* memory() const;

  Model model_;
  MatrixX<T> rows_;      ///< of internal::Access
  VectorX<T> diagonal_;  ///< of H; by kernels 1/D
  // Of kernels, which are those of double, else empty. They are those of the last workspace.
  const kernels::Kernels* kernels_ = nullptr;
  MatrixX<T> H_;
  mutable VectorX<T> memory_;
};

}  // namespace civita
