#pragma once

#include "civita/model.h"
#include "civita/types.h"

// The configuration manifold: q ⊕ δ and q ⊖ q_d, with exponential and logarithm for rotations.
// Quaternions are [w x y z].

namespace civita {

/// q_next = q ⊕ v·dt: hinges, slides and positions by addition, rotations by q ∘ exp(ω dt) with ω
/// in body axes. q may be q_next. Same as mj_integratePos, but that quaternions come out
/// normalized. With T = Dual and dt = ε it gives q + q̇ ε, q̇ the rate of q along v.
template <typename T = double>
void IntegratePosition(const Model& model, VectorIn<T> q, VectorIn<T> v, std::type_identity_t<T> dt,
                       VectorOut<T> q_next);

/// e = q ⊖ q_d, the tangent vector (nv numbers) with q = q_d ⊕ e; the shorter way round for
/// rotations.
void DifferencePosition(const Model& model, const Eigen::Ref<const Eigen::VectorXd>& q,
                        const Eigen::Ref<const Eigen::VectorXd>& q_d,
                        Eigen::Ref<Eigen::VectorXd> e);

/// Rotation vector → unit quaternion [w x y z], and back (‖·‖ ≤ π).
template <typename T = double>
Vector4<T> QuaternionExp(const Vector3<std::type_identity_t<T>>& rotation);
Eigen::Vector3d QuaternionLog(const Eigen::Vector4d& quaternion);
/// Rotation matrix → rotation vector (‖·‖ ≤ π).
Eigen::Vector3d RotationLog(const Eigen::Matrix3d& R);

template <typename T = double>
Vector4<T> QuaternionProduct(const Vector4<std::type_identity_t<T>>& a,
                             const Vector4<std::type_identity_t<T>>& b);
Eigen::Vector4d QuaternionConjugate(const Eigen::Vector4d& a);

/// The rotation of a quaternion of any length; a zero one counts as the identity, NaN stays NaN.
template <typename T>
Matrix3<T> QuaternionToMatrix(const Vector4<T>& quaternion) {
  const T square = quaternion.squaredNorm();
  if (square == T(0)) return Matrix3<T>::Identity();
  const T &w = quaternion[0], &x = quaternion[1], &y = quaternion[2], &z = quaternion[3];
  const T s = T(2) / square;
  Matrix3<T> R;
  R << T(1) - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y),  //
      s * (x * y + w * z), T(1) - s * (x * x + z * z), s * (y * z - w * x),   //
      s * (x * z - w * y), s * (y * z + w * x), T(1) - s * (x * x + y * y);
  return R;
}

/// J_r(e) of SO(3), 3×3: exp(e + δ) = exp(e) ∘ exp(J_r(e) δ) to first order, so ω = J_r(e) ė in
/// body axes; and its inverse. Series near 0.
Eigen::Matrix3d RightJacobian(const Eigen::Vector3d& e);
Eigen::Matrix3d RightJacobianInverse(const Eigen::Vector3d& e);

}  // namespace civita
