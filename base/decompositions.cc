#include "base/decompositions.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <limits>

#include "civita/error.h"

namespace civita::internal {

using Eigen::MatrixXd;

std::optional<GeneralizedEigen> DecomposeGeneralized(const ConstMatrixRef& K,
                                                     const ConstMatrixRef& H) {
  if (H.size() == 0) return GeneralizedEigen{};
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> solver(K, H);
  if (solver.info() != Eigen::Success) return std::nullopt;
  return GeneralizedEigen{solver.eigenvalues(), solver.eigenvectors()};
}

GeneralizedEigen DecomposeSymmetric(const ConstMatrixRef& A) {
  if (A.size() == 0) return {};
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(A);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

Eigen::VectorXd CalcSymmetricEigenvalues(const ConstMatrixRef& A) {
  if (A.size() == 0) return {};
  return Eigen::SelfAdjointEigenSolver<MatrixXd>(A, Eigen::EigenvaluesOnly).eigenvalues();
}

std::optional<Eigen::VectorXcd> CalcEigenvalues(const ConstMatrixRef& A) {
  if (A.size() == 0) return Eigen::VectorXcd();
  const Eigen::EigenSolver<MatrixXd> solver(A, false);
  if (solver.info() != Eigen::Success) return std::nullopt;
  return solver.eigenvalues();
}

SingularVectors FindSingularVectors(const ConstMatrixRef& A) {
  CIVITA_CHECK(A.size() > 0, "singular vectors of " << A.rows() << "×" << A.cols());
  const Eigen::JacobiSVD<MatrixXd> svd(A, Eigen::ComputeFullU | Eigen::ComputeFullV);
  return {svd.matrixU(), svd.matrixV()};
}

ColumnSpace FindColumnSpace(const ConstMatrixRef& A, double threshold) {
  ColumnSpace space;
  space.Q = MatrixXd::Identity(A.rows(), A.rows());
  if (A.size() == 0 || A.isZero(0)) return space;
  Eigen::ColPivHouseholderQR<MatrixXd> qr;
  qr.setThreshold(threshold);
  qr.compute(A);
  space.rank = qr.rank();
  const auto pivots = qr.colsPermutation().indices().head(space.rank);
  space.pivots.assign(pivots.begin(), pivots.end());
  space.Q.applyOnTheLeft(qr.householderQ());
  return space;
}

MatrixXd PseudoInverse(const ConstMatrixRef& A) {
  if (A.size() == 0) return MatrixXd(A.cols(), A.rows());
  return A.completeOrthogonalDecomposition().pseudoInverse();
}

MatrixXd SolveLeastSquares(const ConstMatrixRef& A, const ConstMatrixRef& B) {
  if (A.size() == 0) return MatrixXd::Zero(A.cols(), B.cols());
  return Eigen::ColPivHouseholderQR<MatrixXd>(A).solve(B);
}

MatrixXd SolveSquare(const ConstMatrixRef& A, const ConstMatrixRef& B) {
  if (A.size() == 0) return MatrixXd(0, B.cols());
  return Eigen::PartialPivLU<MatrixXd>(A).solve(B);
}

MatrixXd Cholesky::Solve(const ConstMatrixRef& B) const {
  MatrixXd X = B;
  L.triangularView<Eigen::Lower>().solveInPlace(X);
  L.triangularView<Eigen::Lower>().transpose().solveInPlace(X);
  return X;
}

MatrixXd Cholesky::OrthonormalFrame() const {
  MatrixXd frame = MatrixXd::Identity(L.rows(), L.cols());
  L.triangularView<Eigen::Lower>().transpose().solveInPlace(frame);
  return frame;
}

MatrixXd Cholesky::InFrame(const ConstMatrixRef& M) const {
  const MatrixXd frame = OrthonormalFrame();
  return frame.transpose() * M * frame;
}

std::optional<Cholesky> DecomposePositiveDefinite(const ConstMatrixRef& H) {
  const Eigen::LLT<MatrixXd> factor(H);
  if (factor.info() != Eigen::Success) return std::nullopt;
  return Cholesky{factor.matrixL()};
}

MatrixXd SolvePositiveDefinite(const ConstMatrixRef& H, const ConstMatrixRef& B) {
  if (const auto factor = DecomposePositiveDefinite(H)) return factor->Solve(B);
  return MatrixXd::Constant(B.rows(), B.cols(), std::numeric_limits<double>::quiet_NaN());
}

MatrixXd OrthonormalFrame(const ConstMatrixRef& H) {
  if (const auto factor = DecomposePositiveDefinite(H)) return factor->OrthonormalFrame();
  return MatrixXd::Constant(H.rows(), H.cols(), std::numeric_limits<double>::quiet_NaN());
}

MatrixXd InOrthonormalFrame(const ConstMatrixRef& M, const ConstMatrixRef& H) {
  if (const auto factor = DecomposePositiveDefinite(H)) return factor->InFrame(M);
  return MatrixXd::Constant(M.rows(), M.cols(), std::numeric_limits<double>::quiet_NaN());
}

double CalcReciprocalCondition(const ConstMatrixRef& H) {
  if (H.size() == 0) return 1;
  const Eigen::LLT<MatrixXd> factor(H);
  return factor.info() == Eigen::Success ? factor.rcond() : 0;
}

}  // namespace civita::internal
