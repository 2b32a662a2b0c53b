#pragma once

#include <Eigen/Core>
#include <complex>
#include <optional>
#include <vector>

// Decompositions of matrices of any size that take seconds to compile: compiled once. Outside of
// control steps, as they allocate. Matrices may be empty, as those of a mechanism whose loops leave
// no velocity, where many of Eigen's are undefined: results are then empty, too.

namespace civita::internal {

using ConstMatrixRef = Eigen::Ref<const Eigen::MatrixXd>;

/// Eigenvalues of K x = λ H x, ascending, and x in columns; K symmetric, H positive definite.
struct GeneralizedEigen {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;
};
/// nullopt where they were not found.
std::optional<GeneralizedEigen> DecomposeGeneralized(const ConstMatrixRef& K,
                                                     const ConstMatrixRef& H);

/// Eigenvalues of a symmetric matrix, ascending, and its eigenvectors in columns.
GeneralizedEigen DecomposeSymmetric(const ConstMatrixRef& A);
Eigen::VectorXd CalcSymmetricEigenvalues(const ConstMatrixRef& A);

/// Eigenvalues of a square matrix; nullopt where they were not found.
std::optional<Eigen::VectorXcd> CalcEigenvalues(const ConstMatrixRef& A);

/// U and V of A = U Σ Vᵀ, square, by descending singular values. @throws ContractError for an empty
/// A.
struct SingularVectors {
  Eigen::MatrixXd U, V;
};
SingularVectors FindSingularVectors(const ConstMatrixRef& A);

/// The span of the columns of A (n × any).
struct ColumnSpace {
  Eigen::Index rank = 0;    ///< pivots of its QR decomposition above a share of the largest
  std::vector<int> pivots;  ///< as many columns of A, which are independent
  Eigen::MatrixXd Q;        ///< n × n, orthogonal; the first `rank` columns span those of A
};
ColumnSpace FindColumnSpace(const ConstMatrixRef& A, double threshold);

/// The pseudo-inverse of A.
Eigen::MatrixXd PseudoInverse(const ConstMatrixRef& A);

/// The X of least ‖A X − B‖ for an A of full column rank.
Eigen::MatrixXd SolveLeastSquares(const ConstMatrixRef& A, const ConstMatrixRef& B);

/// A⁻¹ B for a square A.
Eigen::MatrixXd SolveSquare(const ConstMatrixRef& A, const ConstMatrixRef& B);

/// H = L Lᵀ of a positive definite H.
struct Cholesky {
  Eigen::MatrixXd L;  ///< lower triangular

  Eigen::MatrixXd Solve(const ConstMatrixRef& B) const;  ///< H⁻¹ B
  /// L⁻ᵀ, whose columns are orthonormal in the metric H.
  Eigen::MatrixXd OrthonormalFrame() const;
  Eigen::MatrixXd InFrame(const ConstMatrixRef& M) const;  ///< L⁻¹ M L⁻ᵀ: the form M in that frame
};
/// nullopt where H is not positive definite.
std::optional<Cholesky> DecomposePositiveDefinite(const ConstMatrixRef& H);

/// Those of Cholesky; not finite where H is not positive definite.
Eigen::MatrixXd SolvePositiveDefinite(const ConstMatrixRef& H, const ConstMatrixRef& B);
Eigen::MatrixXd OrthonormalFrame(const ConstMatrixRef& H);
Eigen::MatrixXd InOrthonormalFrame(const ConstMatrixRef& M, const ConstMatrixRef& H);

/// Reciprocal condition number of H in the 1-norm, an estimate; 0 where H is not positive definite.
double CalcReciprocalCondition(const ConstMatrixRef& H);

}  // namespace civita::internal
