#pragma once

#include "core/kernels/inline.h"

// Spatial algebra of civita/spatial.h over any scalar, a double or a pack of them, without Eigen,
// whose functions could not be kept apart by instruction set.

namespace civita::kernels::CIVITA_INSTRUCTION_SET {

template <typename T>
struct V3 {
  T x, y, z;
};
template <typename T>
CIVITA_INLINE V3<T> operator+(const V3<T>& a, const V3<T>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <typename T>
CIVITA_INLINE V3<T> operator-(const V3<T>& a, const V3<T>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <typename T>
CIVITA_INLINE V3<T> operator*(const T& s, const V3<T>& a) {
  return {s * a.x, s * a.y, s * a.z};
}
template <typename T>
CIVITA_INLINE T Dot(const V3<T>& a, const V3<T>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <typename T>
CIVITA_INLINE V3<T> Cross(const V3<T>& a, const V3<T>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// Rows one after the other.
template <typename T>
struct M3 {
  T a[9];
};
template <typename T>
CIVITA_INLINE V3<T> operator*(const M3<T>& M, const V3<T>& x) {
  const T* a = M.a;
  return {a[0] * x.x + a[1] * x.y + a[2] * x.z, a[3] * x.x + a[4] * x.y + a[5] * x.z,
          a[6] * x.x + a[7] * x.y + a[8] * x.z};
}
template <typename T>
CIVITA_INLINE V3<T> TransposeTimes(const M3<T>& M, const V3<T>& x) {
  const T* a = M.a;
  return {a[0] * x.x + a[3] * x.y + a[6] * x.z, a[1] * x.x + a[4] * x.y + a[7] * x.z,
          a[2] * x.x + a[5] * x.y + a[8] * x.z};
}

/// Symmetric 3×3.
template <typename T>
struct S3 {
  T xx, xy, xz, yy, yz, zz;
};
template <typename T>
CIVITA_INLINE V3<T> operator*(const S3<T>& I, const V3<T>& x) {
  return {I.xx * x.x + I.xy * x.y + I.xz * x.z, I.xy * x.x + I.yy * x.y + I.yz * x.z,
          I.xz * x.x + I.yz * x.y + I.zz * x.z};
}

template <typename T>
struct Motion {
  V3<T> w, u;
};
/// (ξ×) y.
template <typename T>
CIVITA_INLINE Motion<T> Cross(const Motion<T>& x, const Motion<T>& y) {
  return {Cross(x.w, y.w), Cross(x.w, y.u) + Cross(x.u, y.w)};
}

template <typename T>
struct Force {
  V3<T> n, f;
};
template <typename T>
CIVITA_INLINE T Dot(const Motion<T>& x, const Force<T>& F) {
  return x.w.x * F.n.x + x.w.y * F.n.y + x.w.z * F.n.z + x.u.x * F.f.x + x.u.y * F.f.y +
         x.u.z * F.f.z;
}

/// Ten numbers, in world axes about the reference point.
template <typename T>
struct Inertia {
  T m;
  V3<T> h;
  S3<T> I;
};
template <typename T>
CIVITA_INLINE Force<T> operator*(const Inertia<T>& J, const Motion<T>& x) {
  const V3<T> a = Cross(J.h, x.u), b = Cross(x.w, J.h);
  return {J.I * x.w + a, {J.m * x.u.x + b.x, J.m * x.u.y + b.y, J.m * x.u.z + b.z}};
}

/// Inertia of a body at pose (R, r) from its mass, centre of mass and rotational inertia about
/// that, in its own axes.
template <typename T>
CIVITA_INLINE Inertia<T> WorldInertia(const M3<T>& R, const V3<T>& r, const T& m, const V3<T>& com,
                                      const S3<T>& I) {
  const V3<T> c = r + R * com;
  const T* a = R.a;
  const V3<T> t0 = I * V3<T>{a[0], a[1], a[2]}, t1 = I * V3<T>{a[3], a[4], a[5]},
              t2 = I * V3<T>{a[6], a[7], a[8]};
  const auto row = [a](const V3<T>& t, int b) {
    return t.x * a[3 * b] + t.y * a[3 * b + 1] + t.z * a[3 * b + 2];
  };
  Inertia<T> J;
  J.m = m;
  J.h.x = m * c.x;
  J.h.y = m * c.y;
  J.h.z = m * c.z;
  const T xx = J.h.x * c.x, yy = J.h.y * c.y, zz = J.h.z * c.z;
  J.I.xx = row(t0, 0) + yy + zz;
  J.I.xy = row(t0, 1) - J.h.x * c.y;
  J.I.xz = row(t0, 2) - J.h.x * c.z;
  J.I.yy = row(t1, 1) + xx + zz;
  J.I.yz = row(t1, 2) - J.h.y * c.z;
  J.I.zz = row(t2, 2) + xx + yy;
  return J;
}

/// [B11 0; −f× 0], the twelve numbers of the Christoffel-consistent B(ξ, I); see
/// core/internal/coriolis_factor.h.
template <typename T>
struct CoriolisFactor {
  M3<T> B11;
  V3<T> f;
};
template <typename T>
CIVITA_INLINE CoriolisFactor<T> ChristoffelFactor(const Inertia<T>& J, const Motion<T>& v) {
  const S3<T>& I = J.I;
  const V3<T>&w = v.w, &u = v.u, &h = J.h;
  const V3<T> wh = Cross(w, h);
  // B11 = (h·u)1 − u hᵀ − (ω×)Σ: with A = Σ in A(ω×) + (ω×)A = ((tr(A)1 − A)ω)×, the terms of Ī and
  // Σω in core/internal/coriolis_factor.h are one.
  const T half_trace = (I.xx + I.yy + I.zz) * 0.5;
  const T sxx = half_trace - I.xx, syy = half_trace - I.yy, szz = half_trace - I.zz;
  const T px = u.x * h.x, py = u.y * h.y, pz = u.z * h.z;
  return {{{w.y * I.xz - w.z * I.xy + (py + pz), w.z * syy + w.y * I.yz - u.x * h.y,
            -(w.z * I.yz) - w.y * szz - u.x * h.z,  //
            -(w.x * I.xz) - w.z * sxx - u.y * h.x, w.z * I.xy - w.x * I.yz + (px + pz),
            w.x * szz + w.z * I.xz - u.y * h.z,  //
            w.y * sxx + w.x * I.xy - u.z * h.x, -(w.y * I.xy) - w.x * syy - u.z * h.y,
            w.x * I.yz - w.y * I.xz + (px + py)}},
          {J.m * u.x + wh.x, J.m * u.y + wh.y, J.m * u.z + wh.z}};
}

}  // namespace civita::kernels::CIVITA_INSTRUCTION_SET
