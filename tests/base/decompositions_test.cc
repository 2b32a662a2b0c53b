#include "base/decompositions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace civita {
namespace decompositions_test {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using internal::CalcSymmetricEigenvalues, internal::DecomposeGeneralized,
    internal::DecomposePositiveDefinite;
using internal::DecomposeSymmetric, internal::FindSingularVectors, internal::GeneralizedEigen;
using internal::InOrthonormalFrame, internal::OrthonormalFrame, internal::SolvePositiveDefinite;

constexpr double kTolerance = 1e-12;

MatrixXd AnyMatrix(int rows, int cols) {
  return MatrixXd::NullaryExpr(rows, cols, [](Eigen::Index i, Eigen::Index j) {
    return std::sin(static_cast<double>(3 * i * i + 7 * j + i * j + 1));
  });
}

MatrixXd AnySymmetric(int n) {
  const MatrixXd A = AnyMatrix(n, n);
  return A + A.transpose();
}

MatrixXd AnyPositiveDefinite(int n) {
  const MatrixXd A = AnyMatrix(n, n);
  return A * A.transpose() + MatrixXd::Identity(n, n);
}

TEST(Decompositions, OfASymmetricMatrix) {
  const MatrixXd A = AnySymmetric(6);
  const GeneralizedEigen eigen = DecomposeSymmetric(A);
  EXPECT_TRUE(std::ranges::is_sorted(eigen.values));
  EXPECT_TRUE((A * eigen.vectors).isApprox(eigen.vectors * eigen.values.asDiagonal(), kTolerance));
  EXPECT_TRUE((eigen.vectors.transpose() * eigen.vectors).isIdentity(kTolerance));
  EXPECT_TRUE(CalcSymmetricEigenvalues(A).isApprox(eigen.values, kTolerance));
}

TEST(Decompositions, FactorAndFrameOfAMetric) {
  const MatrixXd H = AnyPositiveDefinite(5), M = AnyMatrix(5, 5);
  const auto factor = DecomposePositiveDefinite(H);
  ASSERT_TRUE(factor);
  const MatrixXd &L = factor->L, frame = factor->OrthonormalFrame();
  EXPECT_TRUE(L.isLowerTriangular(0));
  EXPECT_TRUE((L * L.transpose()).isApprox(H, kTolerance));
  EXPECT_TRUE((frame.transpose() * H * frame).isIdentity(kTolerance));
  EXPECT_TRUE((L.transpose() * frame).isIdentity(kTolerance));
  EXPECT_EQ(OrthonormalFrame(H), frame);
  EXPECT_TRUE((H * factor->Solve(M)).isApprox(M, kTolerance));
  EXPECT_EQ(SolvePositiveDefinite(H, M), factor->Solve(M));
  EXPECT_TRUE((L * InOrthonormalFrame(M, H) * L.transpose()).isApprox(M, kTolerance));
}

TEST(Decompositions, AFrameOfTheMetricKeepsGeneralizedEigenvalues) {
  const MatrixXd H = AnyPositiveDefinite(5), K = AnySymmetric(5);
  EXPECT_TRUE(CalcSymmetricEigenvalues(InOrthonormalFrame(K, H))
                  .isApprox(DecomposeGeneralized(K, H)->values, kTolerance));
}

TEST(Decompositions, WhereNoMetricIs) {
  MatrixXd H = AnyPositiveDefinite(4);
  EXPECT_TRUE(DecomposePositiveDefinite(H));
  H(2, 2) = -1;
  EXPECT_FALSE(DecomposePositiveDefinite(H));
  EXPECT_FALSE(OrthonormalFrame(H).allFinite());
  EXPECT_FALSE(SolvePositiveDefinite(H, H).allFinite());
}

TEST(Decompositions, SingularVectorsOfAWideMatrix) {
  const MatrixXd A = AnyMatrix(3, 5);
  const auto [U, V] = FindSingularVectors(A);
  EXPECT_TRUE((U.transpose() * U).isIdentity(kTolerance));
  EXPECT_TRUE((V.transpose() * V).isIdentity(kTolerance));
  const MatrixXd Sigma = U.transpose() * A * V;
  const VectorXd values = Sigma.diagonal();
  EXPECT_TRUE(std::ranges::is_sorted(values, std::greater<>()));
  EXPECT_GT(values.minCoeff(), 0);
  MatrixXd others = Sigma;
  others.diagonal().setZero();
  EXPECT_TRUE(others.isZero(kTolerance));
}

TEST(Decompositions, OfEmptyMatrices) {
  const MatrixXd none(0, 0);
  EXPECT_EQ(DecomposeSymmetric(none).values.size(), 0);
  EXPECT_EQ(CalcSymmetricEigenvalues(none).size(), 0);
  EXPECT_EQ(OrthonormalFrame(none).size(), 0);
  EXPECT_EQ(InOrthonormalFrame(none, none).size(), 0);
}

}  // namespace decompositions_test
}  // namespace civita
