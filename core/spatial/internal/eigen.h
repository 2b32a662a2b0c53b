#pragma once

#include <Eigen/Core>

#include "civita/spatial.h"
#include "civita/types.h"
#include "core/spatial/internal/recursions.h"

// Between Eigen's types, those of arguments and results, and those that the algorithms compute
// with.

namespace civita::internal {

template <typename T>
V3<T> ToV3(const Vector3<T>& x) {
  return {x[0], x[1], x[2]};
}
template <typename T>
M3<T> ToM3(const Matrix3<T>& M) {
  return {{M(0, 0), M(0, 1), M(0, 2), M(1, 0), M(1, 1), M(1, 2), M(2, 0), M(2, 1), M(2, 2)}};
}
/// Of its upper triangle.
template <typename T>
S3<T> ToS3(const Matrix3<T>& M) {
  return {M(0, 0), M(0, 1), M(0, 2), M(1, 1), M(1, 2), M(2, 2)};
}

template <typename T>
Vector3<T> ToVector(const V3<T>& x) {
  return {x.x, x.y, x.z};
}
/// [angular; linear], [moment; force].
template <typename T>
Vector6<T> ToVector(const Motion<T>& x) {
  Vector6<T> vector;
  vector << x.w.x, x.w.y, x.w.z, x.u.x, x.u.y, x.u.z;
  return vector;
}
template <typename T>
Vector6<T> ToVector(const Force<T>& F) {
  Vector6<T> vector;
  vector << F.n.x, F.n.y, F.n.z, F.f.x, F.f.y, F.f.z;
  return vector;
}
/// Columns of six numbers, [angular; linear], are set number by number: Eigen would call memset and
/// memcpy for each.
template <typename T>
void SetColumn(const Motion<T>& x, T* column) {
  column[0] = x.w.x;
  column[1] = x.w.y;
  column[2] = x.w.z;
  column[3] = x.u.x;
  column[4] = x.u.y;
  column[5] = x.u.z;
}
template <typename T>
void AddTo(const V3<T>& x, T* three) {
  three[0] += x.x;
  three[1] += x.y;
  three[2] += x.z;
}
template <typename Matrix>
void SetColumnsToZero(Matrix& J) {
  for (Eigen::Index k = 0; k < J.cols(); ++k) {
    for (Eigen::Index i = 0; i < 6; ++i) J(i, k) = typename Matrix::Scalar(0);
  }
}

template <typename T>
Matrix3<T> ToMatrix(const M3<T>& M) {
  return Eigen::Map<const Eigen::Matrix<T, 3, 3, Eigen::RowMajor>>(M.a);
}
/// [Ī h×; −h× m·1].
template <typename T>
Matrix6<T> ToMatrix(const Inertia<T>& I) {
  const Matrix3<T> hx = ToMatrix(Skew(I.h));
  Matrix6<T> matrix;
  matrix << ToMatrix(ToM3(I.Ibar)), hx, -hx, I.m * Matrix3<T>::Identity();
  return matrix;
}

}  // namespace civita::internal
