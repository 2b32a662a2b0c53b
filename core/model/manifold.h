#pragma once

#include "civita/model.h"
#include "civita/types.h"

// The configuration manifold: q ⊕ δ and q ⊖ q_d, with exponential and logarithm for rotations.
// Quaternions are [w x y z].

namespace civita {

/// q_next = q ⊕ v·dt (nq numbers) from q (nq) and v (nv numbers): hinges, slides and positions by
/// addition, rotations by q ∘ exp(ω dt) with ω expressed in body axes. q_next may be the same
/// vector as q, not v. Equals mj_integratePos, except that it normalizes quaternions. With T = Dual
/// and dt = ε it gives q + q̇ ε, q̇ the rate of q along v.
template <typename T = double>
void IntegratePosition(const Model& model, VectorIn<T> q, VectorIn<T> v, std::type_identity_t<T> dt,
                       VectorOut<T> q_next);

/// e = q ⊖ q_d (nv numbers), the tangent vector with q = q_d ⊕ e, from q and q_d (nq numbers each).
/// The rotation vector of each rotation has ‖·‖ ≤ π and is expressed in body axes.
void DifferencePosition(const Model& model, const Eigen::Ref<const Eigen::VectorXd>& q,
                        const Eigen::Ref<const Eigen::VectorXd>& q_d,
                        Eigen::Ref<Eigen::VectorXd> e);

/// Jacobians of q_next = q ⊕ v·dt, nv × nv each, in the tangent spaces of q and q_next:
///   (q ⊕ δ) ⊕ (v + η)·dt = q_next ⊕ (J_q δ + J_v η) to first order in δ and η.
/// They depend on v dt alone: exp(−ω dt) and dt J_r(ω dt) of each rotation, 1 and dt of all else.
/// Results lie apart from v (nv numbers) and from each other. O(nv²) to write the zeros.
void CalcIntegratePositionJacobians(const Model& model, const Eigen::Ref<const Eigen::VectorXd>& v,
                                    double dt, Eigen::Ref<Eigen::MatrixXd> J_q,
                                    Eigen::Ref<Eigen::MatrixXd> J_v);

/// Jacobians of e = q ⊖ q_d, nv × nv each, in the tangent spaces of q and q_d:
///   (q ⊕ δ) ⊖ (q_d ⊕ η) = e + J_q δ + J_q_d η to first order in δ and η.
/// They are J_r(e)⁻¹ and −J_r(e)⁻ᵀ of each rotation, 1 and −1 of all else. At half a turn, where e
/// jumps, they are those of the e that DifferencePosition returns. Results lie apart from q, q_d
/// (nq numbers each) and each other. O(nv²) to write the zeros.
void CalcDifferencePositionJacobians(const Model& model, const Eigen::Ref<const Eigen::VectorXd>& q,
                                     const Eigen::Ref<const Eigen::VectorXd>& q_d,
                                     Eigen::Ref<Eigen::MatrixXd> J_q,
                                     Eigen::Ref<Eigen::MatrixXd> J_q_d);

/// q = q_0 ⊕ u (q_1 ⊖ q_0) (nq numbers each): q_0 at u = 0, q_1 at u = 1 (of quaternions perhaps
/// the opposite), between them each rotation about one axis, the shorter way round. q may be the
/// same vector as q_0 or q_1.
void InterpolatePosition(const Model& model, const Eigen::Ref<const Eigen::VectorXd>& q_0,
                         const Eigen::Ref<const Eigen::VectorXd>& q_1, double u,
                         Eigen::Ref<Eigen::VectorXd> q);

/// Neutral configuration q (nq numbers): each angle and distance is the number nearest to zero
/// within its limits, rotations are the identity, free bodies at the world's origin.
void NeutralPosition(const Model& model, Eigen::Ref<Eigen::VectorXd> q);

/// A random configuration q (nq numbers) within the limits, each angle and distance uniform,
/// rotations uniform in SO(3). Without limits an interval is 2π rad or 2 m wide, about
/// Model::DefaultPosition, or from the only limit on. The same seed gives the same bits everywhere.
void RandomPosition(const Model& model, int seed, Eigen::Ref<Eigen::VectorXd> q);

/// Unit quaternion [w x y z] of a rotation vector (rad).
template <typename T = double>
Vector4<T> QuaternionExp(const Vector3<std::type_identity_t<T>>& rotation);
/// Rotation vector (rad, ‖·‖ ≤ π) of a quaternion [w x y z] of any length; a zero quaternion gives
/// zero.
Eigen::Vector3d QuaternionLog(const Eigen::Vector4d& quaternion);
/// Rotation vector (rad, ‖·‖ ≤ π) of a rotation matrix.
Eigen::Vector3d RotationLog(const Eigen::Matrix3d& R);

/// Product a ∘ b of quaternions [w x y z].
template <typename T = double>
Vector4<T> QuaternionProduct(const Vector4<std::type_identity_t<T>>& a,
                             const Vector4<std::type_identity_t<T>>& b);
/// Conjugate of a quaternion [w x y z], the inverse of a unit quaternion.
Eigen::Vector4d QuaternionConjugate(const Eigen::Vector4d& a);

/// Rotation matrix of a quaternion [w x y z] of any length; a zero quaternion gives the identity,
/// NaN gives NaN.
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

/// Right Jacobian J_r(e) of SO(3), 3 × 3, at a rotation vector e (rad): exp(e + δ) = exp(e) ∘
/// exp(J_r(e) δ) to first order, so that ω = J_r(e) ė, expressed in body axes. A series near 0.
Eigen::Matrix3d RightJacobian(const Eigen::Vector3d& e);
/// Inverse J_r(e)⁻¹ of the right Jacobian of SO(3), 3 × 3: ė = J_r(e)⁻¹ ω. A series near 0.
Eigen::Matrix3d RightJacobianInverse(const Eigen::Vector3d& e);

}  // namespace civita
