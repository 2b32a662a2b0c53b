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

/// What an injection adds to the factor of its body, whose twist is V, at configuration q; p is
/// the injection's point.
template <typename T>
CoriolisFactor<T> CalcInjection(const Factorization::BodyInjection& injection, const VectorX<T>& q,
                                const V3<T>& p, const Motion<T>& V) {
  const T beta = injection.beta.At(q);
  return injection.part == Factorization::Part::kAngular ? CalcAngularInjection<T>(beta, V)
                                                         : CalcLinearInjection<T>(beta, p, V);
}

/// B of every body, of the body-level part of a factorization.
template <typename T>
void CalcFactors(const Factorization& factorization, Scratch<T>& s) {
  for (int b = 0; b < s.bodies.size(); ++b) {
    const typename Kinematics<T>::Body& body = s.bodies[b];
    s.B[b] = Whole(CalcChristoffelFactor(body.I, body.V));
    if (factorization.t != 0) s.B[b] += CalcTorsionFactor<T>(T(factorization.t), body.I, body.V);
    if (factorization.alpha != 0) {
      s.B[b] += CalcNotAdmissible<T>(T(factorization.alpha), body.I, body.V);
    }
  }
  for (const Factorization::BodyInjection& injection : factorization.body_injections) {
    const typename Kinematics<T>::Body& body = s.bodies[injection.body];
    s.B[injection.body] +=
        CalcInjection<T>(injection, s.q, PointFromReference<T>(body, injection.point), body.V);
  }
}

}  // namespace civita::internal
