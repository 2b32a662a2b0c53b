#include "civita/geometry/three_form.h"

#include <Eigen/Geometry>
#include <limits>

namespace civita {

void AddThreeForm(const Tensor3& omega, const Eigen::Ref<const Eigen::VectorXd>& v,
                  Eigen::Ref<Eigen::MatrixXd> C) {
  CIVITA_CHECK(
      C.rows() == omega.n() && C.cols() == omega.n() && v.size() == omega.n(),
      "C " << C.rows() << " x " << C.cols() << ", v " << v.size() << ", omega " << omega.n());
  const double rest = (omega - AntisymmetricPart(omega)).MaxAbs();
  CIVITA_CHECK(rest <= 8 * std::numeric_limits<double>::epsilon() * omega.MaxAbs(),
               "not totally antisymmetric by " << rest);
  C += Contract(omega, v);
}

/// [Sᵀ((S e_j)×)S]_ik = S_i · (S_j × S_k).
Tensor3 ThreeFormOf(const Factorization::JointInjection& injection) {
  const Eigen::Matrix3Xd& S = injection.S;
  return MakeTensor3(static_cast<int>(S.cols()), [&](int i, int j, int k) {
    const Eigen::Vector3d S_j = S.col(j), S_k = S.col(k);
    return injection.beta * S.col(i).dot(S_j.cross(S_k));
  });
}

Tensor3 AntisymmetricPart(const Tensor3& a) {
  return MakeTensor3(a.n(), [&](int i, int j, int k) {
    return (a(i, j, k) + a(j, k, i) + a(k, i, j) - a(i, k, j) - a(k, j, i) - a(j, i, k)) / 6;
  });
}

}  // namespace civita
