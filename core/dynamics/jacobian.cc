#include "civita/jacobian.h"

#include <Eigen/Geometry>

#include "core/internal/path.h"
#include "core/internal/scalars.h"

namespace civita {

namespace {

void CheckFrame(const Model& model, const Model::NamedFrame& frame) {
  CIVITA_CHECK(frame.body >= -1 && frame.body < model.num_bodies(),
               "frame '" << frame.name << "' is on body " << frame.body << ", the model has "
                         << model.num_bodies());
}

/// The body that carries the frame, none for one that is fixed in the world.
template <typename T>
const typename Workspace<T>::Body* Carrier(const Model::NamedFrame& frame,
                                           const Workspace<T>& workspace) {
  return frame.body < 0 ? nullptr : &workspace.bodies[static_cast<size_t>(frame.body)];
}

/// The point, from the reference point of its tree.
template <typename T>
Vector3<T> PointFromReference(const Model::NamedFrame& frame, const Eigen::Vector3d& point,
                              const typename Workspace<T>::Body& carrier) {
  const Eigen::Vector3d point_B = frame.X_BF.R * point + frame.X_BF.p;
  return carrier.r + carrier.R_WB * point_B.template cast<T>();
}

/// Velocity of the body-fixed point at p when the motion is x.
template <typename T>
Vector3<T> PointVelocity(const Motion<T>& x, const Vector3<T>& p) {
  return x.u + x.w.cross(p);
}

/// Sets the columns of all coordinates that move the frame, `column(k)` being [angular; linear],
/// and the others to zero.
template <typename T, typename Column>
void SetColumns(const Model& model, const Model::NamedFrame& frame, MatrixOut<T>& J,
                Column column) {
  CIVITA_CHECK(J.rows() == 6 && J.cols() == model.nv(), "the Jacobian is "
                                                            << J.rows() << "×" << J.cols()
                                                            << ", wanted 6 × nv = " << model.nv());
  J.setZero();
  for (int b = frame.body; b >= 0; b = model.bodies()[static_cast<size_t>(b)].parent) {
    const Model::Body& body = model.bodies()[static_cast<size_t>(b)];
    for (int k = body.iv; k < body.iv + body.nv; ++k) {
      const Motion<T> x = column(static_cast<size_t>(k));
      J.col(k) << x.w, x.u;
    }
  }
}

}  // namespace

template <typename T>
FramePose<T> CalcFramePose(const Model& model, const Model::NamedFrame& frame,
                           const Workspace<T>& workspace) {
  internal::RequireBodies(model, workspace, Stage::kPosition, "CalcFramePose");
  CheckFrame(model, frame);
  const typename Workspace<T>::Body* carrier = Carrier(frame, workspace);
  if (carrier == nullptr) {
    return {frame.X_BF.R.template cast<T>(), frame.X_BF.p.template cast<T>()};
  }
  const Model::Body& body = model.bodies()[static_cast<size_t>(frame.body)];
  const Vector3<T>& reference = workspace.bodies[static_cast<size_t>(body.root)].origin;
  return {carrier->R_WB * frame.X_BF.R.template cast<T>(),
          reference + PointFromReference<T>(frame, Eigen::Vector3d::Zero(), *carrier)};
}

template <typename T>
Vector6<T> CalcFrameVelocity(const Model& model, const Model::NamedFrame& frame,
                             const Eigen::Vector3d& point, const Workspace<T>& workspace) {
  internal::RequireBodies(model, workspace, Stage::kVelocity, "CalcFrameVelocity");
  CheckFrame(model, frame);
  Vector6<T> velocity = Vector6<T>::Zero();
  if (const typename Workspace<T>::Body* carrier = Carrier(frame, workspace)) {
    const Vector3<T> p = PointFromReference<T>(frame, point, *carrier);
    velocity << carrier->V.w, PointVelocity(carrier->V, p);
  }
  return velocity;
}

template <typename T>
void CalcFrameJacobian(const Model& model, const Model::NamedFrame& frame,
                       const Eigen::Vector3d& point, const Workspace<T>& workspace,
                       MatrixOut<T> J) {
  internal::RequireBodies(model, workspace, Stage::kPosition, "CalcFrameJacobian");
  CheckFrame(model, frame);
  const typename Workspace<T>::Body* carrier = Carrier(frame, workspace);
  const Vector3<T> p = carrier == nullptr ? Vector3<T>(Vector3<T>::Zero())
                                          : PointFromReference<T>(frame, point, *carrier);
  SetColumns<T>(model, frame, J, [&](size_t k) {
    return Motion<T>{workspace.Phi[k].w, PointVelocity(workspace.Phi[k], p)};
  });
}

/// d/dt [ω_k; u_k + ω_k × p] = [ω̇_k; u̇_k + ω̇_k × p + ω_k × ṗ].
template <typename T>
void CalcFrameJacobianDerivative(const Model& model, const Model::NamedFrame& frame,
                                 const Eigen::Vector3d& point, const Workspace<T>& workspace,
                                 MatrixOut<T> Jdot) {
  internal::RequireBodies(model, workspace, Stage::kVelocity, "CalcFrameJacobianDerivative");
  CheckFrame(model, frame);
  Vector3<T> p = Vector3<T>::Zero(), pdot = Vector3<T>::Zero();
  if (const typename Workspace<T>::Body* carrier = Carrier(frame, workspace)) {
    p = PointFromReference<T>(frame, point, *carrier);
    pdot = PointVelocity(carrier->V, p);
  }
  SetColumns<T>(model, frame, Jdot, [&](size_t k) {
    const Motion<T>& rate = workspace.Phidot[k];
    return Motion<T>{rate.w, PointVelocity(rate, p) + workspace.Phi[k].w.cross(pdot)};
  });
}

template <typename T>
Vector6<T> CalcFrameBiasAcceleration(const Model& model, const Model::NamedFrame& frame,
                                     const Eigen::Vector3d& point, const Workspace<T>& workspace) {
  internal::RequireBodies(model, workspace, Stage::kVelocity, "CalcFrameBiasAcceleration");
  CheckFrame(model, frame);
  Vector6<T> acceleration = Vector6<T>::Zero();
  const typename Workspace<T>::Body* carrier = Carrier(frame, workspace);
  if (carrier == nullptr) return acceleration;
  Motion<T> A = Motion<T>::Zero();  // Σ Φ̇_k v_k
  for (int b = frame.body; b >= 0; b = model.bodies()[static_cast<size_t>(b)].parent) {
    const Model::Body& body = model.bodies()[static_cast<size_t>(b)];
    for (int k = body.iv; k < body.iv + body.nv; ++k) {
      A += workspace.Phidot[static_cast<size_t>(k)] * workspace.v[k];
    }
  }
  const Vector3<T> p = PointFromReference<T>(frame, point, *carrier);
  acceleration << A.w, PointVelocity(A, p) + carrier->V.w.cross(PointVelocity(carrier->V, p));
  return acceleration;
}

#define CIVITA_INSTANTIATE(T)                                                                    \
  template FramePose<T> CalcFramePose<T>(const Model&, const Model::NamedFrame&,                 \
                                         const Workspace<T>&);                                   \
  template Vector6<T> CalcFrameVelocity<T>(const Model&, const Model::NamedFrame&,               \
                                           const Eigen::Vector3d&, const Workspace<T>&);         \
  template void CalcFrameJacobian<T>(const Model&, const Model::NamedFrame&,                     \
                                     const Eigen::Vector3d&, const Workspace<T>&, MatrixOut<T>); \
  template void CalcFrameJacobianDerivative<T>(const Model&, const Model::NamedFrame&,           \
                                               const Eigen::Vector3d&, const Workspace<T>&,      \
                                               MatrixOut<T>);                                    \
  template Vector6<T> CalcFrameBiasAcceleration<T>(const Model&, const Model::NamedFrame&,       \
                                                   const Eigen::Vector3d&, const Workspace<T>&);
CIVITA_FOR_EACH_SCALAR(CIVITA_INSTANTIATE)
#undef CIVITA_INSTANTIATE

}  // namespace civita
