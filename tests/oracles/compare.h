#pragma once

#include <Eigen/Core>

namespace civita {

namespace internal {
/// RelativeError of any two expressions: compiled once.
double RelativeErrorOf(const Eigen::Ref<const Eigen::MatrixXd>& a,
                       const Eigen::Ref<const Eigen::MatrixXd>& b);
}  // namespace internal

/// max|a − b| / max(1, max|b|); infinite for NaN and for different sizes, so that EXPECT_LE cannot
/// pass.
template <typename A, typename B>
double RelativeError(const Eigen::MatrixBase<A>& a, const Eigen::MatrixBase<B>& b) {
  return internal::RelativeErrorOf(a.derived(), b.derived());
}

double RelativeError(double a, double b);

}  // namespace civita
