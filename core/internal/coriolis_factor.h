#pragma once

#include <Eigen/Geometry>

#include "civita/factorization.h"
#include "civita/spatial.h"
#include "civita/workspace.h"

namespace civita::internal {

/// B of the Christoffel-consistent factorization, ½[(ξ×*)I + (Iξ)×̄* − I(ξ×)] ([EW] (10)), which
/// collapses to [B11 0; −f× 0]: B11 = (Σω)× − Ī(ω×) − (h×)(u×) with Σ = ½tr(Ī)·1 − Ī, and the
/// linear momentum f.
template <typename T>
CoriolisFactor<T> CalcCoriolisFactor(const Inertia<T>& I, const Motion<T>& V) {
  CoriolisFactor<T> B;
  B.f = I.m * V.u + V.w.cross(I.h);
  const T half_trace = T(0.5) * I.Ibar.trace();
  const Vector3<T> Sigma_w = half_trace * V.w - I.Ibar * V.w;
  for (int a = 0; a < 3; ++a) {  // −Ī(ω×): row by row, (−Ī_a)ᵀω× = (ω × Ī_a)ᵀ
    B.B11.row(a) = V.w.cross(Vector3<T>(I.Ibar.col(a))).transpose();
  }
  B.B11 -= V.u * I.h.transpose();
  B.B11.diagonal().array() += I.h.dot(V.u);
  B.B11 += Skew<T>(Sigma_w);
  return B;
}

/// t·D, D = ½(B_L − B_R) of the one-parameter family: D = [d× M; −Mᵀ e×].
template <typename T>
TorsionFactor<T> CalcTorsionFactor(T t, const Inertia<T>& I, const Motion<T>& V) {
  const T half_trace = T(0.5) * I.Ibar.trace();
  TorsionFactor<T> D;
  D.d = t * (half_trace * V.w + I.h.cross(V.u));
  D.M = t * (I.m * Skew<T>(V.u) + Skew<T>(V.w) * Skew<T>(I.h));
  D.e = t * I.m * V.w;
  return D;
}

/// β·Sᵀ((Sξ)×)S of a body with twist V. Linear: S = [−p× 1] at the point p, and
/// −p×w×p× = (p·w) p×.
template <typename T>
void AddInjection(const Factorization::BodyInjection& injection, const Vector3<T>& p,
                  const Motion<T>& V, TorsionFactor<T>& D) {
  const T beta = T(injection.beta);
  if (injection.part == Factorization::Part::kAngular) {
    D.d += beta * V.w;
    return;
  }
  const Vector3<T> w = beta * (V.u + V.w.cross(p));
  D.d += p.dot(w) * p;
  D.M += Skew<T>(p) * Skew<T>(w);
  D.e += w;
}

/// Bc and, with kTorsion, Dc of every body alone, for the body-level part of a factorization.
template <typename T, bool kTorsion>
void SetCoriolisFactors(const Factorization& factorization, Workspace<T>& workspace) {
  for (typename Workspace<T>::Body& body : workspace.bodies) {
    body.Bc = CalcCoriolisFactor(body.I, body.V);
    if constexpr (kTorsion) body.Dc = CalcTorsionFactor(T(factorization.t), body.I, body.V);
  }
  if constexpr (kTorsion) {
    for (const Factorization::BodyInjection& injection : factorization.body_injections) {
      typename Workspace<T>::Body& body = workspace.bodies[static_cast<size_t>(injection.body)];
      const Vector3<T> p = body.r + body.R_WB * injection.point.template cast<T>();
      AddInjection<T>(injection, p, body.V, body.Dc);
    }
  }
}

}  // namespace civita::internal
