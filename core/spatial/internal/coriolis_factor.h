#pragma once

#include "civita/spatial.h"

namespace civita::internal {

/// B of a body or of a composite, [B11 B12; B21 B22], of any factorization: linear in the inertia,
/// so that it sums over subtrees ([WES], section VI; [EW], (10)).
template <typename T>
struct CoriolisFactor {
  M3<T> B11, B12, B21, B22;
};
template <typename T>
Force<T> operator*(const CoriolisFactor<T>& B, const Motion<T>& x) {
  return {B.B11 * x.w + B.B12 * x.u, B.B21 * x.w + B.B22 * x.u};
}
/// Bᵀ x.
template <typename T>
Force<T> TransposeTimes(const CoriolisFactor<T>& B, const Motion<T>& x) {
  return {TransposeTimes(B.B11, x.w) + TransposeTimes(B.B21, x.u),
          TransposeTimes(B.B12, x.w) + TransposeTimes(B.B22, x.u)};
}
template <typename T>
CoriolisFactor<T>& operator+=(CoriolisFactor<T>& A, const CoriolisFactor<T>& B) {
  A.B11 += B.B11;
  A.B12 += B.B12;
  A.B21 += B.B21;
  A.B22 += B.B22;
  return A;
}

/// The Christoffel-consistent factor, whose second column is zero.
template <typename T>
CoriolisFactor<T> Whole(const ChristoffelFactor<T>& B) {
  return {B.B11, {}, Skew(-B.f), {}};
}

/// A skew one, [d× M; −Mᵀ e×].
template <typename T>
CoriolisFactor<T> SkewFactor(const V3<T>& d, const M3<T>& M, const V3<T>& e) {
  return {Skew(d), M, T(-1) * Transpose(M), Skew(e)};
}

/// D = ½(B_L − B_R) of the one-parameter family, which t multiplies: skew, with d = ½tr(Ī)ω + h ×
/// u, M = m u× + ω×h× and e = m ω.
template <typename T>
CoriolisFactor<T> CalcTorsionFactor(const T& t, const Inertia<T>& I, const Motion<T>& V) {
  M3<T> M = I.m * Skew(V.u);
  M += Skew(V.w) * Skew(I.h);
  return SkewFactor<T>(t * (Half(Trace(I.Ibar)) * V.w + Cross(I.h, V.u)), t * M, t * (I.m * V.w));
}

/// α I(ξ×), the negative case: it vanishes when applied to ξ, but is not skew.
template <typename T>
CoriolisFactor<T> CalcNotAdmissible(const T& alpha, const Inertia<T>& I, const Motion<T>& V) {
  const M3<T> w = alpha * Skew(V.w), u = alpha * Skew(V.u), h = Skew(I.h);
  const M3<T> hw = h * w;
  CoriolisFactor<T> B{ToM3(I.Ibar) * w, hw, T(-1) * hw, I.m * w};
  B.B11 += h * u;
  B.B21 += I.m * u;
  return B;
}

/// β·Sᵀ((Sξ)×)S of a body with twist V, S its angular velocity.
template <typename T>
CoriolisFactor<T> CalcAngularInjection(const T& beta, const Motion<T>& V) {
  return SkewFactor<T>(beta * V.w, {}, {});
}

/// The same with S = [−p× 1], the velocity of the point p: −p×w×p× = (p·w) p×.
template <typename T>
CoriolisFactor<T> CalcLinearInjection(const T& beta, const V3<T>& p, const Motion<T>& V) {
  const V3<T> w = beta * PointVelocity(V, p);
  return SkewFactor<T>(Dot(p, w) * p, Skew(p) * Skew(w), w);
}

}  // namespace civita::internal
