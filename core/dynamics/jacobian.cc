#include "civita/jacobian.h"

#include "core/dynamics/internal/scratch.h"
#include "core/model/internal/checks.h"
#include "core/spatial/internal/eigen.h"
#include "core/spatial/internal/scalars.h"

namespace civita {

namespace {

void CheckFrame(const Model& model, const Model::NamedFrame& frame) {
  CIVITA_CHECK(frame.body >= -1 && frame.body < model.num_bodies(),
               "frame '" << frame.name << "' is on body " << frame.body << ", the model has "
                         << model.num_bodies());
}

/// The body that carries the frame, none for one that is fixed in the world.
template <typename T>
const typename Kinematics<T>::Body* Carrier(const Model::NamedFrame& frame,
                                            const internal::Scratch<T>& s) {
  return frame.body < 0 ? nullptr : &s.bodies[frame.body];
}

/// The point, from the reference point of its tree.
template <typename T>
V3<T> PointFromReference(const Model::NamedFrame& frame, const Eigen::Vector3d& point,
                         const typename Kinematics<T>::Body& carrier) {
  const Eigen::Vector3d point_B = frame.X_BF.R * point + frame.X_BF.p;
  return carrier.r + carrier.R_WB * internal::Cast<T>(internal::ToV3(point_B));
}

/// Sets the columns of all coordinates that move the frame, `column(k)` being [angular; linear],
/// and the others to zero.
template <typename T, typename Column>
void SetColumns(const Model& model, const Model::NamedFrame& frame, MatrixOut<T>& J,
                Column column) {
  internal::CheckShape(J, 6, model.nv(), "the Jacobian");
  J.setZero();
  if (frame.body < 0) return;
  const internal::Tree& tree = model.tree();
  for (int k = tree.LastCoordinate(frame.body); k >= 0; k = tree.parent[k]) {
    J.col(k) = internal::ToVector<T>(column(k));
  }
}

}  // namespace

template <typename T>
FramePose<T> CalcFramePose(const Model& model, const Model::NamedFrame& frame,
                           Workspace<T>& workspace) {
  auto& s = internal::RequireBodies(model, workspace, Stage::kPosition, "CalcFramePose");
  CheckFrame(model, frame);
  const typename Kinematics<T>::Body* carrier = Carrier(frame, s);
  if (carrier == nullptr) {
    return {frame.X_BF.R.template cast<T>(), frame.X_BF.p.template cast<T>()};
  }
  const V3<T> p = PointFromReference<T>(frame, Eigen::Vector3d::Zero(), *carrier);
  return {internal::ToMatrix(carrier->R_WB) * frame.X_BF.R.template cast<T>(),
          internal::ToVector(internal::ReferencePoint(model, s, frame.body) + p)};
}

template <typename T>
Vector6<T> CalcFrameVelocity(const Model& model, const Model::NamedFrame& frame,
                             const Eigen::Vector3d& point, Workspace<T>& workspace) {
  auto& s = internal::RequireBodies(model, workspace, Stage::kVelocity, "CalcFrameVelocity");
  CheckFrame(model, frame);
  const typename Kinematics<T>::Body* carrier = Carrier(frame, s);
  if (carrier == nullptr) return Vector6<T>::Zero();
  const V3<T> p = PointFromReference<T>(frame, point, *carrier);
  return internal::ToVector(Motion<T>{carrier->V.w, PointVelocity(carrier->V, p)});
}

template <typename T>
void CalcFrameJacobian(const Model& model, const Model::NamedFrame& frame,
                       const Eigen::Vector3d& point, Workspace<T>& workspace, MatrixOut<T> J) {
  auto& s = internal::RequireBodies(model, workspace, Stage::kPosition, "CalcFrameJacobian");
  CheckFrame(model, frame);
  const typename Kinematics<T>::Body* carrier = Carrier(frame, s);
  const V3<T> p = carrier == nullptr ? V3<T>{} : PointFromReference<T>(frame, point, *carrier);
  SetColumns<T>(model, frame, J, [&](int k) {
    return Motion<T>{s.Phi[k].w, PointVelocity(s.Phi[k], p)};
  });
}

/// d/dt [ω_k; u_k + ω_k × p] = [ω̇_k; u̇_k + ω̇_k × p + ω_k × ṗ].
template <typename T>
void CalcFrameJacobianDerivative(const Model& model, const Model::NamedFrame& frame,
                                 const Eigen::Vector3d& point, Workspace<T>& workspace,
                                 MatrixOut<T> Jdot) {
  auto& s =
      internal::RequireBodies(model, workspace, Stage::kVelocity, "CalcFrameJacobianDerivative");
  CheckFrame(model, frame);
  V3<T> p{}, pdot{};
  if (const typename Kinematics<T>::Body* carrier = Carrier(frame, s)) {
    p = PointFromReference<T>(frame, point, *carrier);
    pdot = PointVelocity(carrier->V, p);
  }
  SetColumns<T>(model, frame, Jdot, [&](int k) {
    return Motion<T>{s.Phidot[k].w, PointVelocity(s.Phidot[k], p) + Cross(s.Phi[k].w, pdot)};
  });
}

template <typename T>
Vector6<T> CalcFrameBiasAcceleration(const Model& model, const Model::NamedFrame& frame,
                                     const Eigen::Vector3d& point, Workspace<T>& workspace) {
  auto& s =
      internal::RequireBodies(model, workspace, Stage::kVelocity, "CalcFrameBiasAcceleration");
  CheckFrame(model, frame);
  const typename Kinematics<T>::Body* carrier = Carrier(frame, s);
  if (carrier == nullptr) return Vector6<T>::Zero();
  const internal::Tree& tree = model.tree();
  Motion<T> A{};  // Σ Φ̇_k v_k
  for (int k = tree.LastCoordinate(frame.body); k >= 0; k = tree.parent[k])
    A += s.v[k] * s.Phidot[k];
  const V3<T> p = PointFromReference<T>(frame, point, *carrier);
  const V3<T> centripetal = Cross(carrier->V.w, PointVelocity(carrier->V, p));
  return internal::ToVector(Motion<T>{A.w, PointVelocity(A, p) + centripetal});
}

#define CIVITA_INSTANTIATE(T)                                                                    \
  template FramePose<T> CalcFramePose<T>(const Model&, const Model::NamedFrame&, Workspace<T>&); \
  template Vector6<T> CalcFrameVelocity<T>(const Model&, const Model::NamedFrame&,               \
                                           const Eigen::Vector3d&, Workspace<T>&);               \
  template void CalcFrameJacobian<T>(const Model&, const Model::NamedFrame&,                     \
                                     const Eigen::Vector3d&, Workspace<T>&, MatrixOut<T>);       \
  template void CalcFrameJacobianDerivative<T>(const Model&, const Model::NamedFrame&,           \
                                               const Eigen::Vector3d&, Workspace<T>&,            \
                                               MatrixOut<T>);                                    \
  template Vector6<T> CalcFrameBiasAcceleration<T>(const Model&, const Model::NamedFrame&,       \
                                                   const Eigen::Vector3d&, Workspace<T>&);
CIVITA_FOR_EACH_SCALAR(CIVITA_INSTANTIATE)
#undef CIVITA_INSTANTIATE

}  // namespace civita
