#include "tests/oracles/linear.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <unsupported/Eigen/MatrixFunctions>

namespace civita::linear {

using Eigen::MatrixXd;

MatrixXd Inverse(const MatrixRef& A) { return A.inverse(); }

MatrixXd Solve(const MatrixRef& A, const MatrixRef& B) { return A.partialPivLu().solve(B); }

MatrixXd SolvePositive(const MatrixRef& H, const MatrixRef& B) { return H.llt().solve(B); }

MatrixXd CholeskyFactor(const MatrixRef& H) { return H.llt().matrixL(); }

bool IsPositive(const MatrixRef& A) { return A.ldlt().isPositive(); }

Eigen::VectorXcd Eigenvalues(const MatrixRef& A) { return A.eigenvalues(); }

Eigen::VectorXd SymmetricEigenvalues(const MatrixRef& A) {
  return Eigen::SelfAdjointEigenSolver<MatrixXd>(A, Eigen::EigenvaluesOnly).eigenvalues();
}

Eigen::Index Rank(const MatrixRef& A, double threshold) {
  Eigen::FullPivLU<MatrixXd> lu(A);
  if (threshold > 0) lu.setThreshold(threshold);
  return lu.rank();
}

MatrixXd Kernel(const MatrixRef& A) { return A.fullPivLu().kernel(); }

MatrixXd LeastSquares(const MatrixRef& A, const MatrixRef& B, double threshold) {
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> decomposition(A.rows(), A.cols());
  if (threshold > 0) decomposition.setThreshold(threshold);
  return decomposition.compute(A).solve(B);
}

MatrixXd Exp(const MatrixRef& A) { return MatrixXd(A).exp(); }

}  // namespace civita::linear
