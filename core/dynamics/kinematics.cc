#include "civita/kinematics.h"

#include <cmath>

#include "civita/error.h"
#include "core/internal/eigen.h"
#include "core/internal/scalars.h"
#include "core/internal/scratch.h"

namespace civita {

namespace {

using internal::Cast;
using internal::Link;
using internal::Tree;

/// The rotation of a quaternion [w x y z] of any length; a zero one counts as the identity.
template <typename T>
M3<T> QuaternionRotation(const T* quaternion) {
  const T &w = quaternion[0], &x = quaternion[1], &y = quaternion[2], &z = quaternion[3];
  const T square = w * w + x * x + y * y + z * z;
  const T s = square == T(0) ? T(0) : T(2) / square;
  return {{T(1) - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y),  //
           s * (x * y + w * z), T(1) - s * (x * x + z * z), s * (y * z - w * x),  //
           s * (x * z - w * y), s * (y * z + w * x), T(1) - s * (x * x + y * y)}};
}

/// Orientation and origin of the body in its parent; q are the joint's own numbers.
template <typename T>
void CalcJointPose(const Link& link, const T* q, M3<T>* R, V3<T>* p) {
  const T turn = T(link.scale) * (q[0] - T(link.reference));
  *R = Cast<T>(link.R_PF);
  *p = Cast<T>(link.p_PF);
  switch (link.joint) {
    case JointType::kHelical:
    case JointType::kHinge: {
      using std::cos;
      using std::sin;
      if (link.joint == JointType::kHelical) {
        *p += *R * ((q[0] - T(link.reference)) * (T(link.pitch) * Cast<T>(link.axis)));
      }
      const T c = cos(turn), s = sin(turn);
      *R = Cast<T>(link.R_axis);
      *R += c * Cast<T>(link.R_cos);
      *R += s * Cast<T>(link.R_sin);
      break;
    }
    case JointType::kSlide:
      *p += *R * ((q[0] - T(link.reference)) * Cast<T>(link.axis));
      break;
    case JointType::kBall:
      *R = *R * QuaternionRotation(q);
      break;
    default:  // kFree
      *p = {q[0], q[1], q[2]};
      *R = QuaternionRotation(q + 3);
  }
}

/// Columns Φ of the body's joint: each is constant in the frame that carries it.
template <typename T>
void CalcColumns(const Link& link, const M3<T>& R_WB, const V3<T>& r, Motion<T>* Phi) {
  const T zero(0), one(1);
  switch (link.joint) {
    case JointType::kHinge:
    case JointType::kHelical: {
      const V3<T> z = R_WB * Cast<T>(link.axis);
      Phi[0] = {z, Cross(r, z)};
      if (link.joint == JointType::kHelical) Phi[0].u += T(link.pitch) * z;
      break;
    }
    case JointType::kSlide:
      Phi[0] = {{zero, zero, zero}, R_WB * Cast<T>(link.axis)};
      break;
    default:  // kFree, kBall
      if (link.joint == JointType::kFree) {
        *Phi++ = {{zero, zero, zero}, {one, zero, zero}};
        *Phi++ = {{zero, zero, zero}, {zero, one, zero}};
        *Phi++ = {{zero, zero, zero}, {zero, zero, one}};
      }
      for (int k = 0; k < 3; ++k) {
        const V3<T> z = ColumnOf(R_WB, k);
        Phi[k] = {z, Cross(r, z)};
      }
  }
}

/// The body's velocity from its parent's, and Φ̇ = v_carrier × Φ.
template <typename T>
void CalcVelocity(const Link& link, const T* v, const Motion<T>* Phi, Motion<T>* Phidot,
                  Motion<T>* V) {
  for (int k = 0; k < link.nv; ++k) *V += v[k] * Phi[k];
  // The translations of a free joint are carried by the world, everything else by the body.
  const int carried_by_world = link.joint == JointType::kFree ? 3 : 0;
  for (int k = 0; k < carried_by_world; ++k) Phidot[k] = {};
  for (int k = carried_by_world; k < link.nv; ++k) Phidot[k] = Cross(*V, Phi[k]);
}

template <typename T>
void CheckSize(Eigen::Index size, const VectorX<T>& wanted, const char* name) {
  CIVITA_CHECK(size == wanted.size(), name << " has " << size << " numbers, the model has n" << name
                                           << " = " << wanted.size());
}

/// With kernels the bodies may wait.
template <typename T>
void SetStage(const Model& model, Stage stage, internal::Scratch<T>& scratch) {
  scratch.stage = stage;
  scratch.pending = true;
  if (scratch.kernels.kernels() == nullptr) internal::UpdateBodies(model.tree(), scratch);
}

}  // namespace

template <typename T>
void internal::UpdateBodies(const Tree& tree, Scratch<T>& scratch) {
  if (!scratch.pending) return;
  for (int b = 0; b < tree.num_bodies; ++b) {
    const Link& link = tree.links[b];
    typename Kinematics<T>::Body& body = scratch.bodies[b];
    M3<T> R;
    V3<T> p;
    CalcJointPose(link, scratch.q.data() + link.iq, &R, &p);
    if (link.parent < 0) {
      body.R_WB = R;
      body.r = {};
      body.origin = p;
      body.V = {};
    } else {
      const typename Kinematics<T>::Body& parent = scratch.bodies[link.parent];
      body.R_WB = parent.R_WB * R;
      body.r = parent.r + parent.R_WB * p;
      body.V = parent.V;
    }
    Motion<T>* Phi = &scratch.Phi[link.iv];
    CalcColumns(link, body.R_WB, body.r, Phi);
    body.I =
        WorldInertia<T>(body.R_WB, body.r, T(link.mass), Cast<T>(link.com), Cast<T>(link.inertia));
    if (scratch.stage == Stage::kVelocity) {
      CalcVelocity(link, scratch.v.data() + link.iv, Phi, &scratch.Phidot[link.iv], &body.V);
    }
  }
  scratch.pending = false;
}

template <typename T>
void UpdateKinematics(const Model& model, VectorIn<T> q, Workspace<T>& workspace) {
  auto& scratch = internal::RequireState(model, workspace, Stage::kNone, "UpdateKinematics");
  CheckSize(q.size(), scratch.q, "q");
  scratch.q = q;
  SetStage(model, Stage::kPosition, scratch);
}

template <typename T>
void UpdateKinematics(const Model& model, VectorIn<T> q, VectorIn<T> v, Workspace<T>& workspace) {
  auto& scratch = internal::RequireState(model, workspace, Stage::kNone, "UpdateKinematics");
  CheckSize(q.size(), scratch.q, "q");
  CheckSize(v.size(), scratch.v, "v");
  scratch.q = q;
  scratch.v = v;
  SetStage(model, Stage::kVelocity, scratch);
}

#define CIVITA_INSTANTIATE(T)                                                  \
  template void internal::UpdateBodies<T>(const Tree&, Scratch<T>&);           \
  template void UpdateKinematics<T>(const Model&, VectorIn<T>, Workspace<T>&); \
  template void UpdateKinematics<T>(const Model&, VectorIn<T>, VectorIn<T>, Workspace<T>&);
CIVITA_FOR_EACH_SCALAR(CIVITA_INSTANTIATE)
#undef CIVITA_INSTANTIATE

}  // namespace civita
