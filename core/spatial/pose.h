#pragma once

#include "civita/types.h"

namespace civita {

/// Pose of a frame B in a frame A, the rigid transform x_A = R x_B + p; p in m.
template <typename T>
struct RigidTransform {
  Matrix3<T> R = Matrix3<T>::Identity();  ///< rotation
  Vector3<T> p = Vector3<T>::Zero();      ///< translation, m

  /// Composition X_AC = X_AB X_BC.
  RigidTransform operator*(const RigidTransform& X_BC) const {
    return {R * X_BC.R, R * X_BC.p + p};
  }

  /// The point x_A = R x_B + p (m).
  Vector3<T> operator*(const Vector3<T>& x_B) const { return R * x_B + p; }

  /// X_BA, with Rᵀ for the inverse of R.
  RigidTransform Inverse() const { return {R.transpose(), -(R.transpose() * p)}; }
};

using Pose = RigidTransform<double>;

}  // namespace civita
