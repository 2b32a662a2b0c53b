#pragma once

#include "civita/types.h"

namespace civita::internal {

/// A zero quaternion counts as the identity, NaN stays NaN.
template <typename T>
Vector4<T> Normalized(const Vector4<T>& quaternion) {
  const T norm = quaternion.norm();
  return norm == T(0) ? Vector4<T>(T(1), T(0), T(0), T(0)) : Vector4<T>(quaternion / norm);
}

}  // namespace civita::internal
