#pragma once

#include <Eigen/Core>

// Decompositions by Eigen, compiled once for all tests: each instance costs a test seconds. Apart
// from base/decompositions.h, with which the code under test computes.

namespace civita::linear {

using MatrixRef = Eigen::Ref<const Eigen::MatrixXd>;

/// A⁻¹ of a square A, by LU.
Eigen::MatrixXd Inverse(const MatrixRef& A);
/// A⁻¹ B for a square A, by LU.
Eigen::MatrixXd Solve(const MatrixRef& A, const MatrixRef& B);

/// H⁻¹ B for a positive definite H, by Cholesky's decomposition.
Eigen::MatrixXd SolvePositive(const MatrixRef& H, const MatrixRef& B);
/// The lower triangular L of H = L Lᵀ for a positive definite H.
Eigen::MatrixXd CholeskyFactor(const MatrixRef& H);
/// Whether a symmetric A is positive semidefinite, by the signs of its LDLᵀ decomposition.
bool IsPositive(const MatrixRef& A);

/// Of a square A, in no order.
Eigen::VectorXcd Eigenvalues(const MatrixRef& A);
/// Of a symmetric A, ascending.
Eigen::VectorXd SymmetricEigenvalues(const MatrixRef& A);

// Pivots below `threshold` times the largest count as zero; 0: those of rounding.

/// By LU with complete pivoting.
Eigen::Index Rank(const MatrixRef& A, double threshold = 0);
/// A basis of {x: A x = 0} in columns, by LU with complete pivoting; one column of zeros where it
/// is empty.
Eigen::MatrixXd Kernel(const MatrixRef& A);
/// The X of least norm among those of least ‖A X − B‖, by a complete orthogonal decomposition.
Eigen::MatrixXd LeastSquares(const MatrixRef& A, const MatrixRef& B, double threshold = 0);

/// The exponential of a square matrix.
Eigen::MatrixXd Exp(const MatrixRef& A);

}  // namespace civita::linear
