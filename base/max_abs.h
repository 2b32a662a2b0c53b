#pragma once

#include <Eigen/Core>

namespace civita::internal {

/// Maximum absolute value of a matrix; 0 of an empty one, as of a mechanism whose loops leave no
/// velocity, for which Eigen's maxCoeff is undefined.
template <typename Derived>
typename Derived::Scalar MaxAbs(const Eigen::MatrixBase<Derived>& x) {
  return x.size() == 0 ? typename Derived::Scalar(0) : x.cwiseAbs().maxCoeff();
}

}  // namespace civita::internal
