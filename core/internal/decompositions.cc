#include "core/internal/decompositions.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <limits>

namespace civita::internal {

using Eigen::MatrixXd;

std::optional<GeneralizedEigen> DecomposeGeneralized(const ConstMatrixRef& K,
                                                     const ConstMatrixRef& H) {
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> solver(K, H);
  if (solver.info() != Eigen::Success) return std::nullopt;
  return GeneralizedEigen{solver.eigenvalues(), solver.eigenvectors()};
}

std::optional<Eigen::VectorXcd> CalcEigenvalues(const ConstMatrixRef& A) {
  const Eigen::EigenSolver<MatrixXd> solver(A, false);
  if (solver.info() != Eigen::Success) return std::nullopt;
  return solver.eigenvalues();
}

Eigen::JacobiSVD<MatrixXd> DecomposeSingular(const ConstMatrixRef& A, unsigned options) {
  return Eigen::JacobiSVD<MatrixXd>(A, options);
}

MatrixXd SolveSquare(const ConstMatrixRef& A, const ConstMatrixRef& B) {
  return Eigen::PartialPivLU<MatrixXd>(A).solve(B);
}

MatrixXd SolvePositiveDefinite(const ConstMatrixRef& H, const ConstMatrixRef& B) {
  const Eigen::LLT<MatrixXd> factor(H);
  if (factor.info() == Eigen::Success) return factor.solve(B);
  return MatrixXd::Constant(B.rows(), B.cols(), std::numeric_limits<double>::quiet_NaN());
}

double CalcReciprocalCondition(const ConstMatrixRef& H) {
  const Eigen::LLT<MatrixXd> factor(H);
  return factor.info() == Eigen::Success ? factor.rcond() : 0;
}

}  // namespace civita::internal
