#include "civita/geometry/three_form.h"

#include <Eigen/Geometry>

namespace civita {

/// [Sᵀ((S e_j)×)S]_ik = S_i · (S_j × S_k).
Tensor3 ThreeFormOf(const Factorization& factorization, int nv, const Eigen::VectorXd& q) {
  Tensor3 omega(nv);
  for (const Factorization::JointInjection& injection : factorization.joint_injections) {
    const double beta = injection.beta.At(q);
    omega = omega + MakeTensor3(nv, [&](int i, int j, int k) {
              const Eigen::Vector3d S_j = injection.S.col(j), S_k = injection.S.col(k);
              return beta * injection.S.col(i).dot(S_j.cross(S_k));
            });
  }
  for (const Factorization::ThreeForm& form : factorization.three_forms) {
    for (const auto& [i, j, k, coefficient] : form.components) {
      const double x = coefficient.At(q);
      omega(i, j, k) += x, omega(j, k, i) += x, omega(k, i, j) += x;
      omega(k, j, i) -= x, omega(j, i, k) -= x, omega(i, k, j) -= x;
    }
  }
  return omega;
}

Tensor3 AntisymmetricPart(const Tensor3& a) {
  return MakeTensor3(a.n(), [&](int i, int j, int k) {
    return (a(i, j, k) + a(j, k, i) + a(k, i, j) - a(i, k, j) - a(k, j, i) - a(j, i, k)) / 6;
  });
}

}  // namespace civita
