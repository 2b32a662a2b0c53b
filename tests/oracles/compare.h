#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

namespace civita {

/// max|a − b| / max(1, max|b|); infinite for NaN and for different sizes, so that EXPECT_LE cannot
/// pass.
template <typename A, typename B>
double RelativeError(const Eigen::MatrixBase<A>& a, const Eigen::MatrixBase<B>& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return HUGE_VAL;
  if (!a.allFinite() || !b.allFinite()) return HUGE_VAL;
  if (a.size() == 0) return 0;
  return (a - b).cwiseAbs().maxCoeff() / std::max(1.0, b.cwiseAbs().maxCoeff());
}

inline double RelativeError(double a, double b) {
  return RelativeError(Eigen::Matrix<double, 1, 1>(a), Eigen::Matrix<double, 1, 1>(b));
}

}  // namespace civita
