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
  internal::CheckApart(e, "e", q, "q");
  internal::CheckApart(e, "e", q_d, "q_d");
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
    e.segment<3>(iv) = QuaternionLog(
        QuaternionProduct(QuaternionConjugate(internal::Normalized<double>(q_d.segment<4>(iq))),
                          internal::Normalized<double>(q.segment<4>(iq))));
  }
}

}  // namespace civita
