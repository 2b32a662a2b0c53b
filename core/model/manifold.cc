#include "civita/manifold.h"

#include <Eigen/Geometry>
#include <cmath>

#include "civita/error.h"
#include "core/model/internal/checks.h"
#include "core/spatial/internal/scalars.h"

namespace civita {

namespace {

using Vector3d = Eigen::Vector3d;
using Vector4d = Eigen::Vector4d;

/// A zero quaternion counts as the identity, NaN stays NaN.
template <typename T>
Vector4<T> Normalized(const Vector4<T>& quaternion) {
  const T norm = quaternion.norm();
  return norm == T(0) ? Vector4<T>(T(1), T(0), T(0), T(0)) : Vector4<T>(quaternion / norm);
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

/// [cos h; sin(h)/(2h) · rotation] with half the angle h. Near 0 by its square alone: the
/// derivative of a root has no value there.
template <typename T>
Vector4<T> QuaternionExp(const Vector3<std::type_identity_t<T>>& rotation) {
  using std::cos;
  using std::sin;
  using std::sqrt;
  const T square = T(0.25) * rotation.squaredNorm();
  T cosine = T(1) - T(0.5) * square;
  T scale = T(0.5) - square / T(12);
  if (square > T(1e-10)) {
    const T half = sqrt(square);
    cosine = cos(half);
    scale = T(0.5) * sin(half) / half;
  }
  Vector4<T> quaternion;
  quaternion << cosine, scale * rotation;
  return quaternion;
}

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

template <typename T>
Vector4<T> QuaternionProduct(const Vector4<std::type_identity_t<T>>& a,
                             const Vector4<std::type_identity_t<T>>& b) {
  const Vector3<T> x = a.template tail<3>(), y = b.template tail<3>();
  Vector4<T> product;
  product << a[0] * b[0] - x.dot(y), a[0] * y + b[0] * x + x.cross(y);
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

template <typename T>
void IntegratePosition(const Model& model, VectorIn<T> q, VectorIn<T> v, std::type_identity_t<T> dt,
                       VectorOut<T> q_next) {
  CIVITA_CHECK(q.size() == model.nq() && q_next.size() == model.nq() && v.size() == model.nv(),
               "q " << q.size() << ", v " << v.size() << ", q_next " << q_next.size()
                    << " numbers, the model has nq = " << model.nq() << " and nv = " << model.nv());
  internal::CheckApart(q_next, "q_next", v, "v");
  CIVITA_CHECK(q_next.data() == q.data() || !internal::Overlap(q_next, q),
               "q_next lies on a part of q");
  for (const Model::Body& body : model.bodies()) {
    int iq = body.iq;
    int iv = body.iv;
    if (body.nv == 1) {
      q_next[iq] = q[iq] + dt * v[iv];
      continue;
    }
    if (body.joint == JointType::kFree) {
      q_next.template segment<3>(iq) = q.template segment<3>(iq) + dt * v.template segment<3>(iv);
      iq += 3;
      iv += 3;
    }
    const Vector4<T> turned = QuaternionProduct<T>(
        Normalized<T>(q.template segment<4>(iq)), QuaternionExp<T>(dt * v.template segment<3>(iv)));
    q_next.template segment<4>(iq) = Normalized<T>(turned);
  }
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
    e.segment<3>(iv) =
        QuaternionLog(QuaternionProduct(QuaternionConjugate(Normalized<double>(q_d.segment<4>(iq))),
                                        Normalized<double>(q.segment<4>(iq))));
  }
}

#define CIVITA_INSTANTIATE(T)                                                                  \
  template void IntegratePosition<T>(const Model&, VectorIn<T>, VectorIn<T>, T, VectorOut<T>); \
  template Vector4<T> QuaternionExp<T>(const Vector3<T>&);                                     \
  template Vector4<T> QuaternionProduct<T>(const Vector4<T>&, const Vector4<T>&);
CIVITA_FOR_EACH_SCALAR(CIVITA_INSTANTIATE)
#undef CIVITA_INSTANTIATE

}  // namespace civita
