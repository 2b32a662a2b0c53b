#pragma once

#include "civita/spatial.h"

namespace civita::internal {

/// [Ī h×; −h× m·1].
template <typename T>
Matrix6<T> ToMatrix(const Inertia<T>& I) {
  Matrix6<T> matrix;
  matrix << I.Ibar, Skew<T>(I.h), -Skew<T>(I.h), I.m * Matrix3<T>::Identity();
  return matrix;
}

}  // namespace civita::internal
