#pragma once

#include "civita/types.h"

// Spatial algebra in world axes about one world-fixed point: motions [angular; linear], forces
// [moment; force]. ξ× is the motion cross product, ξ×* = −(ξ×)ᵀ the force cross product.

namespace civita {

/// x× : the matrix with (x×) y = x × y.
template <typename T>
Matrix3<T> Skew(const Vector3<T>& x) {
  Matrix3<T> m;
  m << T(0), -x[2], x[1], x[2], T(0), -x[0], -x[1], x[0], T(0);
  return m;
}

/// Spatial velocity or acceleration [ω; u]: u is the velocity of the body-fixed point that passes
/// through the reference point.
template <typename T>
struct Motion {
  Vector3<T> w;
  Vector3<T> u;

  static Motion Zero() { return {Vector3<T>::Zero(), Vector3<T>::Zero()}; }
  Motion operator+(const Motion& o) const { return {w + o.w, u + o.u}; }
  Motion operator-(const Motion& o) const { return {w - o.w, u - o.u}; }
  Motion operator*(T s) const { return {w * s, u * s}; }
  Motion& operator+=(const Motion& o) {
    w += o.w;
    u += o.u;
    return *this;
  }
};

/// Spatial force [moment about the reference point; force].
template <typename T>
struct Force {
  Vector3<T> n;
  Vector3<T> f;

  static Force Zero() { return {Vector3<T>::Zero(), Vector3<T>::Zero()}; }
  Force operator+(const Force& o) const { return {n + o.n, f + o.f}; }
  Force operator-(const Force& o) const { return {n - o.n, f - o.f}; }
  Force operator*(T s) const { return {n * s, f * s}; }
  Force& operator+=(const Force& o) {
    n += o.n;
    f += o.f;
    return *this;
  }
};

/// Power: ξᵀ F.
template <typename T>
T Dot(const Motion<T>& x, const Force<T>& F) {
  return x.w.dot(F.n) + x.u.dot(F.f);
}

/// (ξ×) y, motion by motion.
template <typename T>
Motion<T> Cross(const Motion<T>& x, const Motion<T>& y) {
  return {Cross(x.w, y.w), Cross(x.w, y.u) + Cross(x.u, y.w)};
}

/// (ξ×*) F, motion by force.
template <typename T>
Force<T> CrossForce(const Motion<T>& x, const Force<T>& F) {
  return {Cross(x.w, F.n) + Cross(x.u, F.f), Cross(x.w, F.f)};
}

/// Spatial inertia [Ī h×; −h× m·1] as its ten numbers: mass m, first moment h = m·com and the
/// rotational inertia Ī about the reference point (symmetric, stored whole).
template <typename T>
struct Inertia {
  T m;
  Vector3<T> h;
  Matrix3<T> Ibar;

  static Inertia Zero() { return {T(0), Vector3<T>::Zero(), Matrix3<T>::Zero()}; }
  Inertia& operator+=(const Inertia& o) {
    m += o.m;
    h += o.h;
    Ibar += o.Ibar;
    return *this;
  }
  Force<T> operator*(const Motion<T>& x) const {
    return {Ibar * x.w + Cross(h, x.u), m * x.u - Cross(h, x.w)};
  }
};

}  // namespace civita
