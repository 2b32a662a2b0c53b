#pragma once

#include "civita/factorization.h"
#include "core/dynamics/internal/scratch.h"
#include "core/model/internal/checks.h"
#include "core/spatial/internal/eigen.h"

namespace civita::internal {

/// A point of a body, given in the body's frame, from the reference point of its tree.
template <typename T>
V3<T> PointFromReference(const typename Kinematics<T>::Body& body, const Eigen::Vector3d& point) {
  return body.r + body.R_WB * Cast<T>(ToV3<double>(point));
}

/// What an injection adds to the factor of its body at twist V, by a β of its own; p is the
/// injection's point.
template <typename T>
CoriolisFactor<T> CalcInjection(const Factorization::BodyInjection& injection, const T& beta,
                                const V3<T>& p, const Motion<T>& V) {
  return injection.part == Factorization::Part::kAngular ? CalcAngularInjection<T>(beta, V)
                                                         : CalcLinearInjection<T>(beta, p, V);
}

/// The same by its β at configuration q.
template <typename T>
CoriolisFactor<T> CalcInjection(const Factorization::BodyInjection& injection, const VectorX<T>& q,
                                const V3<T>& p, const Motion<T>& V) {
  return CalcInjection<T>(injection, injection.beta.At(q), p, V);
}

/// B of every body at twist(b), of the body-level part of a factorization; `sign` multiplies what
/// differs from the Christoffel-consistent one.
template <typename T, typename Twist>
void CalcFactors(const Factorization& factorization, const T& sign, const Scratch<T>& s,
                 const Twist& twist, Table<CoriolisFactor<T>>& B) {
  for (int b = 0; b < s.bodies.size(); ++b) {
    const typename Kinematics<T>::Body& body = s.bodies[b];
    const Motion<T>& V = twist(b);
    B[b] = Whole(CalcChristoffelFactor(body.I, V));
    if (factorization.t != 0) B[b] += CalcTorsionFactor<T>(sign * T(factorization.t), body.I, V);
    if (factorization.alpha != 0) {
      B[b] += CalcNotAdmissible<T>(sign * T(factorization.alpha), body.I, V);
    }
  }
  for (const Factorization::BodyInjection& injection : factorization.body_injections) {
    const int b = injection.body;
    B[b] += CalcInjection<T>(injection, sign * injection.beta.At(s.q),
                             PointFromReference<T>(s.bodies[b], injection.point), twist(b));
  }
}

/// The same at the bodies' own twists.
template <typename T>
void CalcFactors(const Factorization& factorization, Scratch<T>& s) {
  CalcFactors<T>(
      factorization, T(1), s, [&s](int b) -> const Motion<T>& { return s.bodies[b].V; }, s.B);
}

}  // namespace civita::internal
