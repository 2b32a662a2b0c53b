#pragma once

#include <Eigen/Core>

namespace civita::internal {

/// Maximum absolute value of a matrix, NaN where one is; 0 of an empty one, as of a mechanism whose
/// loops leave no velocity, for which Eigen's maxCoeff is undefined.
template <typename Derived>
typename Derived::Scalar MaxAbs(const Eigen::MatrixBase<Derived>& x) {
  return x.size() == 0 ? typename Derived::Scalar(0)
                       : x.cwiseAbs().template maxCoeff<Eigen::PropagateNaN>();
}

/// The larger, NaN where one is.
inline double LargerOrNaN(double a, double b) { return a >= b || a != a ? a : b; }

}  // namespace civita::internal
