#include "civita/manifold.h"

#include <Eigen/Geometry>
#include <cmath>

#include "civita/error.h"
#include "core/model/internal/checks.h"
#include "core/model/internal/normalized.h"

namespace civita {

namespace {

using Vector3d = Eigen::Vector3d;
using Vector4d = Eigen::Vector4d;

/// (1 − cos θ)/θ² and (θ − sin θ)/θ³, by series where the quotients lose digits.
double CosineQuotient(double angle) {
  if (angle > 1e-2) {
    const double s = std::sin(0.5 * angle) / angle;
    return 2 * s * s;
  }
  const double x = angle * angle;
  return 0.5 - x / 24 + x * x / 720;
}
double SineQuotient(double angle) {
  const double x = angle * angle;
  if (angle > 0.1) return (angle - std::sin(angle)) / (x * angle);
  return 1.0 / 6 - x / 120 + x * x / 5040 - x * x * x / 362880;
}

/// e of a rotation.
Vector3d RotationDifference(const Vector4d& q, const Vector4d& q_d) {
  return QuaternionLog(QuaternionProduct(QuaternionConjugate(internal::Normalized<double>(q_d)),
                                         internal::Normalized<double>(q)));
}

/// Sets M to `diagonal` on the diagonal but for the rotations, whose 3 × 3 blocks
/// block(body, iv) are.
template <typename Block>
void SetByRotations(const Model& model, double diagonal, const Block& block,
                    Eigen::Ref<Eigen::MatrixXd>& M) {
  M.setZero();
  M.diagonal().setConstant(diagonal);
  for (const Model::Body& body : model.bodies()) {
    const int offset = RotationOffset(body.joint);
    if (offset < 0) continue;
    const int iv = body.iv + offset;
    M.block<3, 3>(iv, iv) = block(body.iq + offset, iv);
  }
}

}  // namespace

Vector3d QuaternionLog(const Vector4d& quaternion) {
  const double sign = quaternion[0] < 0 ? -1 : 1;  // the shorter way round
  const Vector3d vector = sign * quaternion.tail<3>();
  const double sine = vector.norm();
  const double cosine = sign * quaternion[0];
  if (sine <= 1e-8 * cosine) return 2 * vector / (cosine > 0 ? cosine : 1);
  return (2 * std::atan2(sine, cosine) / sine) * vector;
}

Vector3d RotationLog(const Eigen::Matrix3d& R) {
  const Eigen::Quaterniond q(R);
  return QuaternionLog({q.w(), q.x(), q.y(), q.z()});
}

Vector4d QuaternionConjugate(const Vector4d& a) { return {a[0], -a[1], -a[2], -a[3]}; }

Eigen::Matrix3d RightJacobian(const Vector3d& e) {
  const double angle = e.norm();
  const Eigen::Matrix3d cross = Skew<double>(e);
  return Eigen::Matrix3d::Identity() - CosineQuotient(angle) * cross +
         SineQuotient(angle) * cross * cross;
}

Eigen::Matrix3d RightJacobianInverse(const Vector3d& e) {
  const double angle = e.norm();
  const double x = angle * angle;
  // 1/θ² − (1 + cos θ)/(2θ sin θ)
  const double quotient = angle > 0.1 ? 1 / x - 1 / (2 * angle * std::tan(0.5 * angle))
                                      : 1.0 / 12 + x / 720 + x * x / 30240 + x * x * x / 1209600;
  const Eigen::Matrix3d cross = Skew<double>(e);
  return Eigen::Matrix3d::Identity() + 0.5 * cross + quotient * cross * cross;
}

void DifferencePosition(const Model& model, const Eigen::Ref<const Eigen::VectorXd>& q,
                        const Eigen::Ref<const Eigen::VectorXd>& q_d,
                        Eigen::Ref<Eigen::VectorXd> e) {
  CIVITA_CHECK(q.size() == model.nq() && q_d.size() == model.nq() && e.size() == model.nv(),
               "q " << q.size() << ", q_d " << q_d.size() << ", e " << e.size()
                    << " numbers, the model has nq = " << model.nq() << " and nv = " << model.nv());
  internal::CheckApart(e, "e", q, "q", q_d, "q_d");
  for (const Model::Body& body : model.bodies()) {
    int iq = body.iq;
    int iv = body.iv;
    if (body.nv == 1) {
      e[iv] = q[iq] - q_d[iq];
      continue;
    }
    if (body.joint == JointType::kFree) {
      e.segment<3>(iv) = q.segment<3>(iq) - q_d.segment<3>(iq);
      iq += 3;
      iv += 3;
    }
    e.segment<3>(iv) = RotationDifference(q.segment<4>(iq), q_d.segment<4>(iq));
  }
}

void CalcIntegratePositionJacobians(const Model& model, const Eigen::Ref<const Eigen::VectorXd>& v,
                                    double dt, Eigen::Ref<Eigen::MatrixXd> J_q,
                                    Eigen::Ref<Eigen::MatrixXd> J_v) {
  internal::CheckLength(model, v, "v");
  internal::CheckResults(model.nv(), model.nv(), J_q, "J_q", J_v, "J_v");
  internal::CheckApart(J_q, "J_q", v, "v");
  internal::CheckApart(J_v, "J_v", v, "v");
  SetByRotations(
      model, 1,
      [&](int, int iv) {
        return QuaternionToMatrix<double>(QuaternionExp(-dt * v.segment<3>(iv)));
      },
      J_q);
  SetByRotations(
      model, dt,
      [&](int, int iv) -> Eigen::Matrix3d { return dt * RightJacobian(dt * v.segment<3>(iv)); },
      J_v);
}

void CalcDifferencePositionJacobians(const Model& model, const Eigen::Ref<const Eigen::VectorXd>& q,
                                     const Eigen::Ref<const Eigen::VectorXd>& q_d,
                                     Eigen::Ref<Eigen::MatrixXd> J_q,
                                     Eigen::Ref<Eigen::MatrixXd> J_q_d) {
  CIVITA_CHECK(
      q.size() == model.nq() && q_d.size() == model.nq(),
      "q " << q.size() << ", q_d " << q_d.size() << " numbers, the model has nq = " << model.nq());
  internal::CheckResults(model.nv(), model.nv(), J_q, "J_q", J_q_d, "J_q_d");
  internal::CheckApart(J_q, "J_q", q, "q", q_d, "q_d");
  internal::CheckApart(J_q_d, "J_q_d", q, "q", q_d, "q_d");
  SetByRotations(
      model, 1,
      [&](int iq, int) {
        return RightJacobianInverse(RotationDifference(q.segment<4>(iq), q_d.segment<4>(iq)));
      },
      J_q);
  J_q_d = -J_q.transpose();
}

}  // namespace civita
