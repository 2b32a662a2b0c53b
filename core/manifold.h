#pragma once

#include "core/model.h"
#include "core/types.h"

// The configuration manifold: q ⊕ δ and q ⊖ q_d, with exponential and logarithm for rotations.
// Quaternions are [w x y z].

namespace civita {

/// q_next = q ⊕ v·dt: hinges, slides and positions by addition, rotations by q ∘ exp(ω dt) with ω
/// in body axes. q may be q_next. Same as mj_integratePos, but that quaternions come out
/// normalized.
void IntegratePosition(const Model& model, const Eigen::Ref<const Eigen::VectorXd>& q,
                       const Eigen::Ref<const Eigen::VectorXd>& v, double dt,
                       Eigen::Ref<Eigen::VectorXd> q_next);

/// e = q ⊖ q_d, the tangent vector (nv numbers) with q = q_d ⊕ e; the shorter way round for
/// rotations.
void DifferencePosition(const Model& model, const Eigen::Ref<const Eigen::VectorXd>& q,
                        const Eigen::Ref<const Eigen::VectorXd>& q_d,
                        Eigen::Ref<Eigen::VectorXd> e);

/// Rotation vector → unit quaternion [w x y z], and back (‖·‖ ≤ π).
Eigen::Vector4d QuaternionExp(const Eigen::Vector3d& rotation);
Eigen::Vector3d QuaternionLog(const Eigen::Vector4d& quaternion);
Eigen::Vector4d QuaternionProduct(const Eigen::Vector4d& a, const Eigen::Vector4d& b);
Eigen::Vector4d QuaternionConjugate(const Eigen::Vector4d& a);
template <typename T>
Matrix3<T> QuaternionToMatrix(const Eigen::Matrix<T, 4, 1>& quaternion);

/// J_r(e) of SO(3), 3×3: exp(e + δ) = exp(e) ∘ exp(J_r(e) δ) to first order, so ω = J_r(e) ė in
/// body axes; and its inverse. Series near 0.
Eigen::Matrix3d RightJacobian(const Eigen::Vector3d& e);
Eigen::Matrix3d RightJacobianInverse(const Eigen::Vector3d& e);

}  // namespace civita
