#pragma once

// Spatial algebra in world axes about one world-fixed point: motions [angular; linear], forces
// [moment; force]. ξ× is the motion cross product, ξ×* = −(ξ×)ᵀ the force cross product.
//
// For every scalar: numbers, numbers that carry a derivative, formulas, and the packs of numbers
// that the kernels compute with. Files of kernels are compiled for one instruction set each, so
// nothing here may become a function of its own that the linker could share between them: hence no
// Eigen, no standard library, and inlining by force.
#define CIVITA_INLINE inline __attribute__((always_inline))

namespace civita {

/// x/2, of a pack too.
template <typename T>
CIVITA_INLINE T Half(const T& x) {
  return x * 0.5;
}
CIVITA_INLINE float Half(float x) { return x * 0.5f; }

/// A vector of three numbers.
template <typename T>
struct V3 {
  T x, y, z;  ///< its coordinates
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
CIVITA_INLINE V3<T> operator-(const V3<T>& a) {
  return {-a.x, -a.y, -a.z};
}
template <typename T>
CIVITA_INLINE V3<T> operator*(const T& s, const V3<T>& a) {
  return {s * a.x, s * a.y, s * a.z};
}
template <typename T>
CIVITA_INLINE V3<T>& operator+=(V3<T>& a, const V3<T>& b) {
  return a = a + b;
}
template <typename T>
CIVITA_INLINE T Dot(const V3<T>& a, const V3<T>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <typename T>
CIVITA_INLINE V3<T> Cross(const V3<T>& a, const V3<T>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// A 3×3 matrix, rows one after the other.
template <typename T>
struct M3 {
  T a[9];  ///< row by row

  /// Row i, column k.
  CIVITA_INLINE T& operator()(int i, int k) { return a[3 * i + k]; }
  CIVITA_INLINE const T& operator()(int i, int k) const { return a[3 * i + k]; }
};
template <typename T>
CIVITA_INLINE V3<T> ColumnOf(const M3<T>& M, int k) {
  return {M.a[k], M.a[3 + k], M.a[6 + k]};
}
template <typename T>
CIVITA_INLINE V3<T> operator*(const M3<T>& M, const V3<T>& x) {
  const T* a = M.a;
  return {a[0] * x.x + a[1] * x.y + a[2] * x.z, a[3] * x.x + a[4] * x.y + a[5] * x.z,
          a[6] * x.x + a[7] * x.y + a[8] * x.z};
}
/// Mᵀ x.
template <typename T>
CIVITA_INLINE V3<T> TransposeTimes(const M3<T>& M, const V3<T>& x) {
  const T* a = M.a;
  return {a[0] * x.x + a[3] * x.y + a[6] * x.z, a[1] * x.x + a[4] * x.y + a[7] * x.z,
          a[2] * x.x + a[5] * x.y + a[8] * x.z};
}
template <typename T>
CIVITA_INLINE M3<T> operator*(const M3<T>& A, const M3<T>& B) {
  const auto at = [&](int i, int k) {
    return A.a[3 * i] * B.a[k] + A.a[3 * i + 1] * B.a[3 + k] + A.a[3 * i + 2] * B.a[6 + k];
  };
  return {
      {at(0, 0), at(0, 1), at(0, 2), at(1, 0), at(1, 1), at(1, 2), at(2, 0), at(2, 1), at(2, 2)}};
}
template <typename T>
CIVITA_INLINE M3<T> operator*(const T& s, const M3<T>& M) {
  const T* a = M.a;
  return {
      {s * a[0], s * a[1], s * a[2], s * a[3], s * a[4], s * a[5], s * a[6], s * a[7], s * a[8]}};
}
template <typename T>
CIVITA_INLINE M3<T>& operator+=(M3<T>& A, const M3<T>& B) {
  for (int n = 0; n < 9; ++n) A.a[n] += B.a[n];
  return A;
}
/// x× : the matrix with (x×) y = x × y.
template <typename T>
CIVITA_INLINE M3<T> Skew(const V3<T>& x) {
  const T zero{};
  return {{zero, -x.z, x.y, x.z, zero, -x.x, -x.y, x.x, zero}};
}
template <typename T>
CIVITA_INLINE M3<T> Transpose(const M3<T>& M) {
  const T* a = M.a;
  return {{a[0], a[3], a[6], a[1], a[4], a[7], a[2], a[5], a[8]}};
}

/// A symmetric 3×3 matrix.
template <typename T>
struct S3 {
  T xx, xy, xz, yy, yz, zz;  ///< the upper triangle
};
template <typename T>
CIVITA_INLINE V3<T> operator*(const S3<T>& I, const V3<T>& x) {
  return {I.xx * x.x + I.xy * x.y + I.xz * x.z, I.xy * x.x + I.yy * x.y + I.yz * x.z,
          I.xz * x.x + I.yz * x.y + I.zz * x.z};
}
template <typename T>
CIVITA_INLINE S3<T>& operator+=(S3<T>& A, const S3<T>& B) {
  A.xx += B.xx;
  A.xy += B.xy;
  A.xz += B.xz;
  A.yy += B.yy;
  A.yz += B.yz;
  A.zz += B.zz;
  return A;
}
template <typename T>
CIVITA_INLINE T Trace(const S3<T>& A) {
  return A.xx + A.yy + A.zz;
}
template <typename T>
CIVITA_INLINE M3<T> ToM3(const S3<T>& A) {
  return {{A.xx, A.xy, A.xz, A.xy, A.yy, A.yz, A.xz, A.yz, A.zz}};
}

/// Spatial velocity or acceleration [ω; u]: u is the velocity of the body-fixed point that passes
/// through the reference point.
template <typename T>
struct Motion {
  /// Angular part ω, linear part.
  V3<T> w, u;
};
template <typename T>
CIVITA_INLINE Motion<T> operator*(const T& s, const Motion<T>& x) {
  return {s * x.w, s * x.u};
}
/// (ξ×) y, motion by motion.
template <typename T>
CIVITA_INLINE Motion<T> Cross(const Motion<T>& x, const Motion<T>& y) {
  return {Cross(x.w, y.w), Cross(x.w, y.u) + Cross(x.u, y.w)};
}
/// Velocity of the body-fixed point at p, from the reference point.
template <typename T>
CIVITA_INLINE V3<T> PointVelocity(const Motion<T>& x, const V3<T>& p) {
  return x.u + Cross(x.w, p);
}

/// Spatial force [moment about the reference point; force].
template <typename T>
struct Force {
  /// Moment, force.
  V3<T> n, f;
};

/// Motions and forces, which add by their two vectors.
template <typename X>
constexpr bool kIsSpatial = false;
template <typename T>
constexpr bool kIsSpatial<Motion<T>> = true;
template <typename T>
constexpr bool kIsSpatial<Force<T>> = true;
template <typename X>
concept Spatial = kIsSpatial<X>;

template <Spatial X>
CIVITA_INLINE X operator+(const X& x, const X& y) {
  const auto& [a, b] = x;
  const auto& [c, d] = y;
  return {a + c, b + d};
}
template <Spatial X>
CIVITA_INLINE X operator-(const X& x, const X& y) {
  const auto& [a, b] = x;
  const auto& [c, d] = y;
  return {a - c, b - d};
}
template <Spatial X>
CIVITA_INLINE X& operator+=(X& x, const X& y) {
  return x = x + y;
}
template <typename T>
CIVITA_INLINE Force<T> operator*(const T& s, const Force<T>& F) {
  return {s * F.n, s * F.f};
}
/// Power: ξᵀ F.
template <typename T>
CIVITA_INLINE T Dot(const Motion<T>& x, const Force<T>& F) {
  return x.w.x * F.n.x + x.w.y * F.n.y + x.w.z * F.n.z + x.u.x * F.f.x + x.u.y * F.f.y +
         x.u.z * F.f.z;
}
/// The same of a moment alone.
template <typename T>
CIVITA_INLINE T Dot(const Motion<T>& x, const V3<T>& n) {
  return Dot(x.w, n);
}
/// (ξ×*) F, motion by force.
template <typename T>
CIVITA_INLINE Force<T> CrossForce(const Motion<T>& x, const Force<T>& F) {
  return {Cross(x.w, F.n) + Cross(x.u, F.f), Cross(x.w, F.f)};
}

/// Spatial inertia [Ī h×; −h× m·1] as its ten numbers: mass m, first moment h = m·com and the
/// rotational inertia Ī about the reference point.
template <typename T>
struct Inertia {
  T m;         ///< mass
  V3<T> h;     ///< mass times centre of mass
  S3<T> Ibar;  ///< rotational inertia about the reference point
};
template <typename T>
CIVITA_INLINE Force<T> operator*(const Inertia<T>& I, const Motion<T>& x) {
  const V3<T> a = Cross(I.h, x.u), b = Cross(x.w, I.h);
  return {I.Ibar * x.w + a, {I.m * x.u.x + b.x, I.m * x.u.y + b.y, I.m * x.u.z + b.z}};
}
template <typename T>
CIVITA_INLINE Inertia<T>& operator+=(Inertia<T>& I, const Inertia<T>& J) {
  I.m += J.m;
  I.h += J.h;
  I.Ibar += J.Ibar;
  return I;
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
  J.Ibar.xx = row(t0, 0) + yy + zz;
  J.Ibar.xy = row(t0, 1) - J.h.x * c.y;
  J.Ibar.xz = row(t0, 2) - J.h.x * c.z;
  J.Ibar.yy = row(t1, 1) + xx + zz;
  J.Ibar.yz = row(t1, 2) - J.h.y * c.z;
  J.Ibar.zz = row(t2, 2) + xx + yy;
  return J;
}

/// B(ξ, I) of the Christoffel-consistent factorization, ½[(ξ×*)I + (Iξ)×̄* − I(ξ×)] ([EW] (10)),
/// which collapses to [B11 0; −f× 0]: B11 = (Σω)× − Ī(ω×) − (h×)(u×) with Σ = ½tr(Ī)·1 − Ī, and the
/// linear momentum f. Linear in I and in ξ.
template <typename T>
struct ChristoffelFactor {
  M3<T> B11;  ///< upper left block
  V3<T> f;    ///< linear momentum
};
template <typename T>
CIVITA_INLINE Force<T> operator*(const ChristoffelFactor<T>& B, const Motion<T>& x) {
  return {B.B11 * x.w, Cross(x.w, B.f)};
}
template <typename T>
CIVITA_INLINE ChristoffelFactor<T>& operator+=(ChristoffelFactor<T>& A,
                                               const ChristoffelFactor<T>& B) {
  A.B11 += B.B11;
  A.f += B.f;
  return A;
}
/// Moment of Bᵀ x, whose force is zero.
template <typename T>
CIVITA_INLINE V3<T> TransposeTimes(const ChristoffelFactor<T>& B, const Motion<T>& x) {
  return TransposeTimes(B.B11, x.w) + Cross(B.f, x.u);
}
template <typename T>
CIVITA_INLINE ChristoffelFactor<T> CalcChristoffelFactor(const Inertia<T>& J, const Motion<T>& v) {
  const S3<T>& I = J.Ibar;
  const V3<T>&w = v.w, &u = v.u, &h = J.h;
  const V3<T> wh = Cross(w, h);
  // B11 = (h·u)1 − u hᵀ − (ω×)Σ: with A = Σ in A(ω×) + (ω×)A = ((tr(A)1 − A)ω)×, the terms of Ī and
  // Σω above are one.
  const T half_trace = Half(Trace(I));
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

}  // namespace civita
