#include <cmath>

#include "civita/error.h"
#include "civita/manifold.h"
#include "core/model/internal/checks.h"
#include "core/model/internal/normalized.h"
#include "core/spatial/internal/scalars.h"

namespace civita {

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

template <typename T>
Vector4<T> QuaternionProduct(const Vector4<std::type_identity_t<T>>& a,
                             const Vector4<std::type_identity_t<T>>& b) {
  const Vector3<T> x = a.template tail<3>(), y = b.template tail<3>();
  Vector4<T> product;
  product << a[0] * b[0] - x.dot(y), a[0] * y + b[0] * x + Cross<T>(x, y);
  return product;
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
    const Vector4<T> turned =
        QuaternionProduct<T>(internal::Normalized<T>(q.template segment<4>(iq)),
                             QuaternionExp<T>(dt * v.template segment<3>(iv)));
    q_next.template segment<4>(iq) = internal::Normalized<T>(turned);
  }
}

#define CIVITA_INSTANTIATE(T)                                                                  \
  template void IntegratePosition<T>(const Model&, VectorIn<T>, VectorIn<T>, T, VectorOut<T>); \
  template Vector4<T> QuaternionExp<T>(const Vector3<T>&);                                     \
  template Vector4<T> QuaternionProduct<T>(const Vector4<T>&, const Vector4<T>&);
CIVITA_FOR_EACH_SCALAR(CIVITA_INSTANTIATE)
#undef CIVITA_INSTANTIATE

}  // namespace civita
