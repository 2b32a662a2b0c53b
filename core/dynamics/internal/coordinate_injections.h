#pragma once

#include "civita/factorization.h"
#include "core/spatial/internal/eigen.h"

// Injections on the coordinates themselves: skew matrices linear in v that no body holds.

namespace civita::internal {

/// Adds `sign` times β·Sᵀ((S v)×)S of every joint injection and ω(·, v, ·) of every three-form at q
/// to C, without temporaries on the heap.
template <typename T>
void AddCoordinateInjections(const Factorization& factorization, const VectorX<T>& q, VectorIn<T> v,
                             T sign, MatrixOut<T>& C) {
  for (const Factorization::JointInjection& injection : factorization.joint_injections) {
    const Eigen::Matrix3Xd& S = injection.S;
    Vector3<T> w = Vector3<T>::Zero();
    for (Eigen::Index k = 0; k < S.cols(); ++k) w += S.col(k).template cast<T>() * v[k];
    w *= sign * injection.beta.At(q);
    for (Eigen::Index k = 0; k < S.cols(); ++k) {
      const Vector3<T> column = Cross(w, Vector3<T>(S.col(k).template cast<T>()));
      for (Eigen::Index i = 0; i < S.cols(); ++i) {
        C(i, k) += column.dot(S.col(i).template cast<T>());
      }
    }
  }
  for (const Factorization::ThreeForm& form : factorization.three_forms) {
    for (const auto& [i, j, k, coefficient] : form.components) {
      const T omega = sign * coefficient.At(q);
      const auto add = [&](int a, int b, const T& x) {
        C(a, b) += x;
        C(b, a) -= x;
      };
      add(i, k, omega * v[j]);
      add(j, i, omega * v[k]);
      add(k, j, omega * v[i]);
    }
  }
}

/// Adds `sign` times the product of these matrices with w to tau.
template <typename T>
void AddCoordinateInjectionProducts(const Factorization& factorization, const VectorX<T>& q,
                                    const VectorX<T>& v, VectorIn<T> w, T sign, VectorOut<T>& tau) {
  for (const Factorization::JointInjection& injection : factorization.joint_injections) {
    const Eigen::Matrix3Xd& S = injection.S;
    Vector3<T> Sv = Vector3<T>::Zero(), Sw = Vector3<T>::Zero();
    for (Eigen::Index k = 0; k < S.cols(); ++k) {
      Sv += S.col(k).template cast<T>() * v[k];
      Sw += S.col(k).template cast<T>() * w[k];
    }
    const Vector3<T> product = sign * injection.beta.At(q) * Cross(Sv, Sw);
    for (Eigen::Index k = 0; k < S.cols(); ++k) tau[k] += product.dot(S.col(k).template cast<T>());
  }
  for (const Factorization::ThreeForm& form : factorization.three_forms) {
    for (const auto& [i, j, k, coefficient] : form.components) {
      const T omega = sign * coefficient.At(q);
      tau[i] += omega * (v[j] * w[k] - v[k] * w[j]);
      tau[j] += omega * (v[k] * w[i] - v[i] * w[k]);
      tau[k] += omega * (v[i] * w[j] - v[j] * w[i]);
    }
  }
}

}  // namespace civita::internal
