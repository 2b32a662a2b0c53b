#pragma once

#include <Eigen/Core>
#include <type_traits>

#include "civita/language.h"

static_assert(
    EIGEN_MAX_ALIGN_BYTES == 16 && EIGEN_MAX_STATIC_ALIGN_BYTES == 16 &&
        EIGEN_MALLOC_ALREADY_ALIGNED == 1,
    "civita's library aligns Eigen's types to 16 bytes and allocates them by malloc; this "
    "file does not, because of an option such as -march=native, -mavx or "
    "-fsanitize=address. Link the CMake target civita::core, or compile all files with "
    "-DEIGEN_MAX_ALIGN_BYTES=16 -DEIGEN_MAX_STATIC_ALIGN_BYTES=16 "
    "-DEIGEN_MALLOC_ALREADY_ALIGNED=1");

namespace civita {

template <typename T>
using Vector3 = Eigen::Matrix<T, 3, 1>;
template <typename T>
using Vector4 = Eigen::Matrix<T, 4, 1>;
template <typename T>
using Vector6 = Eigen::Matrix<T, 6, 1>;
template <typename T>
using Matrix3 = Eigen::Matrix<T, 3, 3>;
template <typename T>
using Matrix6 = Eigen::Matrix<T, 6, 6>;
template <typename T>
using VectorX = Eigen::Matrix<T, Eigen::Dynamic, 1>;
template <typename T>
using MatrixX = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
using Matrix3Xd = Eigen::Matrix3Xd;

/// a × b. Eigen's own is in Eigen/Geometry, which takes a quarter of a second to read.
template <typename T>
Vector3<T> Cross(const Vector3<T>& a, const Vector3<T>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// x× : the matrix with (x×) y = x × y.
template <typename T>
Matrix3<T> Skew(const Vector3<T>& x) {
  Matrix3<T> m;
  m << T(0), -x[2], x[1], x[2], T(0), -x[0], -x[1], x[0], T(0);
  return m;
}

/// Types of the algorithms' arguments: inputs VectorIn, MatrixIn and outputs VectorOut, MatrixOut.
/// The scalar of a call is deduced from its Workspace<T> alone, so that any Eigen expression with
/// that scalar can be passed. Contiguous vectors and matrices with unit inner stride (blocks
/// included) are not copied. Their strides are Eigen's own, named: GCC and clang give functions of
/// the defaulted ones different symbols, so that programs of one would not link with a library of
/// the other.
template <typename T>
using VectorIn =
    const Eigen::Ref<const VectorX<std::type_identity_t<T>>, 0, Eigen::InnerStride<1>>&;
template <typename T>
using VectorOut = Eigen::Ref<VectorX<std::type_identity_t<T>>, 0, Eigen::InnerStride<1>>;
template <typename T>
using MatrixIn = const Eigen::Ref<const MatrixX<std::type_identity_t<T>>, 0, Eigen::OuterStride<>>&;
template <typename T>
using MatrixOut = Eigen::Ref<MatrixX<std::type_identity_t<T>>, 0, Eigen::OuterStride<>>;

/// First member of a struct of which all others are to be given by name, {.C = C, .H = H}: several
/// of one type, which would else take each other's places.
struct ByNameOnly {
  explicit ByNameOnly() = default;
};

/// A Coriolis matrix C and the mass matrix H.
template <typename T>
struct CoriolisIn {
  /// The members are given by name.
  ByNameOnly by_name = ByNameOnly();
  /// nv × nv each.
  Eigen::Ref<const MatrixX<T>, 0, Eigen::OuterStride<>> C, H;
};

/// Where a Coriolis matrix C and the mass matrix H go.
template <typename T>
struct CoriolisOut {
  /// The members are given by name.
  ByNameOnly by_name = ByNameOnly();
  /// nv × nv each.
  MatrixOut<T> C, H;
};

}  // namespace civita
