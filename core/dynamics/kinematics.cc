#include "civita/kinematics.h"

#include <Eigen/Geometry>
#include <cmath>

#include "civita/error.h"
#include "civita/manifold.h"
#include "core/internal/path.h"
#include "core/internal/scalars.h"

namespace civita {

namespace {

/// Orientation and origin of the body, from its parent's.
template <typename T>
void UpdatePose(const Model::Body& body, VectorIn<T> q, const typename Workspace<T>::Body* parent,
                typename Workspace<T>::Body& state) {
  Matrix3<T> R = body.X_PF.R.template cast<T>();
  Vector3<T> p = body.X_PF.p.template cast<T>();
  switch (body.joint) {
    case JointType::kHelical:
      p += R * body.axis.template cast<T>() *
           (T(body.pitch) * (q[body.iq] - T(body.position_reference)));
      [[fallthrough]];
    case JointType::kHinge: {
      using std::cos;
      using std::sin;
      const T angle = T(body.scale) * (q[body.iq] - T(body.position_reference));
      R = body.R_axis.template cast<T>() + body.R_cos.template cast<T>() * cos(angle) +
          body.R_sin.template cast<T>() * sin(angle);
      break;
    }
    case JointType::kSlide:
      p += R * body.axis.template cast<T>() * (q[body.iq] - T(body.position_reference));
      break;
    case JointType::kBall:
      R = R * QuaternionToMatrix<T>(q.template segment<4>(body.iq));
      break;
    case JointType::kFree:
      p = q.template segment<3>(body.iq);
      R = QuaternionToMatrix<T>(q.template segment<4>(body.iq + 3));
      break;
    case JointType::kUniversal:  // chains of bodies, in a Model
    case JointType::kPlanar:
      break;
  }
  if (parent == nullptr) {
    state.R_WB = R;
    state.origin = p;
    state.r.setZero();
  } else {
    state.R_WB.noalias() = parent->R_WB * R;
    state.r = parent->r + parent->R_WB * p;
  }
}

/// Columns Φ of the body's joint (dynamics in world axes: each is constant in the frame that
/// carries it).
template <typename T>
void UpdateColumns(const Model::Body& body, const typename Workspace<T>::Body& state,
                   Motion<T>* Phi) {
  switch (body.joint) {
    case JointType::kHinge: {
      const Vector3<T> z = state.R_WB * body.axis.template cast<T>();
      Phi[0] = {z, state.r.cross(z)};
      break;
    }
    case JointType::kHelical: {
      const Vector3<T> z = state.R_WB * body.axis.template cast<T>();
      Phi[0] = {z, state.r.cross(z) + T(body.pitch) * z};
      break;
    }
    case JointType::kSlide:
      Phi[0] = {Vector3<T>::Zero(), state.R_WB * body.axis.template cast<T>()};
      break;
    case JointType::kFree:
      for (int k = 0; k < 3; ++k) Phi[k] = {Vector3<T>::Zero(), Vector3<T>::Unit(k)};
      Phi += 3;
      [[fallthrough]];
    case JointType::kBall:
      for (int k = 0; k < 3; ++k) {
        const Vector3<T> z = state.R_WB.col(k);
        Phi[k] = {z, state.r.cross(z)};
      }
      break;
    case JointType::kUniversal:
    case JointType::kPlanar:
      break;
  }
}

/// The body's inertia turned into world axes and moved to the tree's reference point.
template <typename T>
void UpdateInertia(const Inertia<double>& body, typename Workspace<T>::Body& state) {
  const T m = T(body.m);
  const Vector3<T> h = state.R_WB * body.h.template cast<T>();
  const Vector3<T>& r = state.r;
  state.I.m = m;
  state.I.h = h + m * r;
  state.I.Ibar.noalias() =
      state.R_WB * (body.Ibar.template cast<T>() * state.R_WB.transpose()).eval();
  // −(r×h× + h×r× + m r×r×), with a×b× = b aᵀ − (a·b)·1.
  const Vector3<T> hr = h + m * r;
  state.I.Ibar -= hr * r.transpose() + r * h.transpose();
  state.I.Ibar.diagonal().array() += r.dot(hr) + r.dot(h);
}

/// The body's velocity from its parent's, and Φ̇ = v_carrier × Φ.
template <typename T>
void UpdateVelocity(const Model::Body& body, const typename Workspace<T>::Body* parent,
                    const Workspace<T>& workspace, typename Workspace<T>::Body& state) {
  const Motion<T>* Phi = &workspace.Phi[static_cast<size_t>(body.iv)];
  Motion<T>* Phidot = &workspace.Phidot[static_cast<size_t>(body.iv)];
  state.V = parent == nullptr ? Motion<T>::Zero() : parent->V;
  for (int k = 0; k < body.nv; ++k) state.V += Phi[k] * workspace.v[body.iv + k];
  // The translations of a free joint are carried by the world, everything else by the body.
  const int carried_by_world = body.joint == JointType::kFree ? 3 : 0;
  for (int k = 0; k < body.nv; ++k) {
    Phidot[k] = k < carried_by_world ? Motion<T>::Zero() : Cross(state.V, Phi[k]);
  }
}

template <typename T, bool kWithVelocity>
void CalcBodies(const Model& model, const Workspace<T>& workspace) {
  for (size_t b = 0; b < workspace.bodies.size(); ++b) {
    const Model::Body& body = model.bodies()[b];
    typename Workspace<T>::Body& state = workspace.bodies[b];
    const typename Workspace<T>::Body* parent =
        body.parent < 0 ? nullptr : &workspace.bodies[static_cast<size_t>(body.parent)];
    UpdatePose<T>(body, workspace.q, parent, state);
    UpdateColumns<T>(body, state, &workspace.Phi[static_cast<size_t>(body.iv)]);
    UpdateInertia<T>(body.inertia, state);
    if constexpr (kWithVelocity) UpdateVelocity<T>(body, parent, workspace, state);
  }
}

template <typename T>
void CheckSizes(const Model& model, Eigen::Index nq, const Workspace<T>& workspace) {
  CIVITA_CHECK(nq == model.nq(), "q has " << nq << " numbers, the model has nq = " << model.nq());
  CIVITA_CHECK(static_cast<int>(workspace.bodies.size()) == model.num_bodies() &&
                   workspace.q.size() == model.nq() && workspace.v.size() == model.nv(),
               "the workspace was made for another model");
}

/// With kernels the bodies may wait.
template <typename T>
void SetStage(const Model& model, Stage stage, Workspace<T>& workspace) {
  workspace.stage = stage;
  workspace.bodies_pending = true;
  if (workspace.scratch.kernels() == nullptr) internal::UpdateBodies(model, workspace);
}

}  // namespace

template <typename T>
void internal::UpdateBodies(const Model& model, const Workspace<T>& workspace) {
  if (!workspace.bodies_pending) return;
  if (workspace.stage == Stage::kVelocity) {
    CalcBodies<T, true>(model, workspace);
  } else {
    CalcBodies<T, false>(model, workspace);
  }
  workspace.bodies_pending = false;
}

template <typename T>
void UpdateKinematics(const Model& model, VectorIn<T> q, Workspace<T>& workspace) {
  CheckSizes(model, q.size(), workspace);
  workspace.q = q;
  SetStage(model, Stage::kPosition, workspace);
}

template <typename T>
void UpdateKinematics(const Model& model, VectorIn<T> q, VectorIn<T> v, Workspace<T>& workspace) {
  CheckSizes(model, q.size(), workspace);
  CIVITA_CHECK(v.size() == model.nv(),
               "v has " << v.size() << " numbers, the model has nv = " << model.nv());
  workspace.q = q;
  workspace.v = v;
  SetStage(model, Stage::kVelocity, workspace);
}

#define CIVITA_INSTANTIATE(T)                                                  \
  template void internal::UpdateBodies<T>(const Model&, const Workspace<T>&);  \
  template void UpdateKinematics<T>(const Model&, VectorIn<T>, Workspace<T>&); \
  template void UpdateKinematics<T>(const Model&, VectorIn<T>, VectorIn<T>, Workspace<T>&);
CIVITA_FOR_EACH_SCALAR(CIVITA_INSTANTIATE)
#undef CIVITA_INSTANTIATE

}  // namespace civita
