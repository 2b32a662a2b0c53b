#include "core/manifold.h"

#include <cmath>

#include "core/error.h"

namespace civita {

namespace {

using Vector3d = Eigen::Vector3d;
using Vector4d = Eigen::Vector4d;

Vector4d Normalized(const Vector4d& quaternion) {
  const double norm = quaternion.norm();
  return norm > 0 ? Vector4d(quaternion / norm) : Vector4d(1, 0, 0, 0);
}

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

Vector4d QuaternionExp(const Vector3d& rotation) {
  const double half = 0.5 * rotation.norm();
  // sin(half)/(2·half)
  const double scale = half > 1e-4 ? 0.5 * std::sin(half) / half : 0.5 - half * half / 12;
  Vector4d quaternion;
  quaternion << std::cos(half), scale * rotation;
  return quaternion;
}

Vector3d QuaternionLog(const Vector4d& quaternion) {
  const double sign = quaternion[0] < 0 ? -1 : 1;  // the shorter way round
  const Vector3d vector = sign * quaternion.tail<3>();
  const double sine = vector.norm();
  const double cosine = sign * quaternion[0];
  if (sine < 1e-8) return 2 * vector / (cosine > 0 ? cosine : 1);
  return (2 * std::atan2(sine, cosine) / sine) * vector;
}

Vector4d QuaternionProduct(const Vector4d& a, const Vector4d& b) {
  Vector4d product;
  product << a[0] * b[0] - a.tail<3>().dot(b.tail<3>()),
      a[0] * b.tail<3>() + b[0] * a.tail<3>() + Vector3d(a.tail<3>()).cross(Vector3d(b.tail<3>()));
  return product;
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

void IntegratePosition(const Model& model, const Eigen::Ref<const Eigen::VectorXd>& q,
                       const Eigen::Ref<const Eigen::VectorXd>& v, double dt,
                       Eigen::Ref<Eigen::VectorXd> q_next) {
  CIVITA_CHECK(q.size() == model.nq() && q_next.size() == model.nq() && v.size() == model.nv(),
               "q " << q.size() << ", v " << v.size() << ", q_next " << q_next.size()
                    << " numbers, the model has nq = " << model.nq() << " and nv = " << model.nv());
  for (const Model::Body& body : model.bodies()) {
    int iq = body.iq;
    int iv = body.iv;
    if (body.nv == 1) {
      q_next[iq] = q[iq] + dt * v[iv];
      continue;
    }
    if (body.joint == JointType::kFree) {
      q_next.segment<3>(iq) = q.segment<3>(iq) + dt * v.segment<3>(iv);
      iq += 3;
      iv += 3;
    }
    const Vector4d turned =
        QuaternionProduct(Normalized(q.segment<4>(iq)), QuaternionExp(dt * v.segment<3>(iv)));
    q_next.segment<4>(iq) = Normalized(turned);
  }
}

void DifferencePosition(const Model& model, const Eigen::Ref<const Eigen::VectorXd>& q,
                        const Eigen::Ref<const Eigen::VectorXd>& q_d,
                        Eigen::Ref<Eigen::VectorXd> e) {
  CIVITA_CHECK(q.size() == model.nq() && q_d.size() == model.nq() && e.size() == model.nv(),
               "q " << q.size() << ", q_d " << q_d.size() << ", e " << e.size()
                    << " numbers, the model has nq = " << model.nq() << " and nv = " << model.nv());
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
    e.segment<3>(iv) = QuaternionLog(QuaternionProduct(
        QuaternionConjugate(Normalized(q_d.segment<4>(iq))), Normalized(q.segment<4>(iq))));
  }
}

}  // namespace civita
