#pragma once

#include <Eigen/Core>

namespace civita {

/// N = L Lᵀ, positive definite, of some dozens of rows: plain loops, as Eigen's solvers dispatch
/// and pack longer than they calculate there. Sized once; where N is not positive definite the
/// results are not finite.
class DenseFactor {
 public:
  explicit DenseFactor(Eigen::Index n)
      : L_(Eigen::MatrixXd::Identity(n, n)), inverse_(Eigen::VectorXd::Ones(n)) {}

  /// N, of which the lower triangle counts, until Compute replaces it by L.
  Eigen::MatrixXd& matrix() { return L_; }
  void Compute();

  void SolveLower(Eigen::VectorXd& x) const;  ///< x ← L⁻¹ x
  void SolveUpper(Eigen::VectorXd& x) const;  ///< x ← L⁻ᵀ x
  void Solve(Eigen::VectorXd& x) const {      ///< x ← N⁻¹ x
    SolveLower(x);
    SolveUpper(x);
  }
  /// X ← L⁻¹ X by rows.
  template <int kColumns>
  void SolveLower(Eigen::Matrix<double, Eigen::Dynamic, kColumns, Eigen::RowMajor>& X) const {
    for (Eigen::Index i = 0; i < X.rows(); ++i) {
      Eigen::Matrix<double, 1, kColumns> row = X.row(i);
      for (Eigen::Index j = 0; j < i; ++j) row -= L_(i, j) * X.row(j);
      X.row(i) = inverse_[i] * row;
    }
  }

 private:
  Eigen::MatrixXd L_;
  Eigen::VectorXd inverse_;  ///< of L's diagonal
};

}  // namespace civita
