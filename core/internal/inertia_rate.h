#pragma once

#include <Eigen/Geometry>

#include "civita/spatial.h"

namespace civita::internal {

/// İ = (ξ×*)I − I(ξ×), which has the form of an inertia without mass.
template <typename T>
Inertia<T> InertiaRate(const Inertia<T>& I, const Motion<T>& V) {
  Inertia<T> rate;
  rate.m = T(0);
  rate.h = I.m * V.u + V.w.cross(I.h);
  Matrix3<T> A = Skew<T>(V.w) * I.Ibar;
  A -= I.h * V.u.transpose();
  rate.Ibar = A + A.transpose();
  rate.Ibar.diagonal().array() += T(2) * V.u.dot(I.h);
  return rate;
}

}  // namespace civita::internal
