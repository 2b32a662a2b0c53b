#include "civita/jacobian.h"

#include "core/dynamics/internal/carrier.h"
#include "core/dynamics/internal/scratch.h"
#include "core/model/internal/checks.h"
#include "core/spatial/internal/eigen.h"
#include "core/spatial/internal/scalars.h"

namespace civita {

namespace {

/// Sets the columns of all coordinates that move the frame, `column(k)` being [angular; linear],
/// and the others to zero.
template <typename T, typename Column>
void SetColumns(const Model& model, const Model::NamedFrame& frame, MatrixOut<T>& J,
                Column column) {
  internal::CheckShape(J, 6, model.nv(), "the Jacobian");
  internal::SetColumnsToZero(J);
  if (frame.body < 0) return;
  const internal::Tree& tree = internal::TreeOf(model);
  for (int k = tree.LastCoordinate(frame.body); k >= 0; k = tree.parent[k])
    internal::SetColumn(column(k), &J(0, k));
}

}  // namespace

template <typename T>
RigidTransform<T> CalcFramePose(const Model& model, const Model::NamedFrame& frame,
                                Workspace<T>& workspace) {
  auto& s = internal::RequirePaths(model, workspace, Stage::kPosition, "CalcFramePose", frame);
  const typename Kinematics<T>::Body* carrier = internal::Carrier(frame, s);
  if (carrier == nullptr) {
    return {frame.X_BF.R.template cast<T>(), frame.X_BF.p.template cast<T>()};
  }
  const V3<T> p = internal::PointFromReference<T>(frame, *carrier);
  return {internal::ToMatrix(carrier->R_WB) * frame.X_BF.R.template cast<T>(),
          internal::ToVector(internal::ReferencePoint(model, s, frame.body) + p)};
}

template <typename T>
Vector6<T> CalcFrameVelocity(const Model& model, const FramePoint& at, Workspace<T>& workspace) {
  auto& s =
      internal::RequirePaths(model, workspace, Stage::kVelocity, "CalcFrameVelocity", at.frame);
  const typename Kinematics<T>::Body* carrier = internal::Carrier(at.frame, s);
  if (carrier == nullptr) return Vector6<T>::Zero();
  const V3<T> p = internal::PointFromReference<T>(at, *carrier);
  return internal::ToVector(Motion<T>{carrier->V.w, PointVelocity(carrier->V, p)});
}

template <typename T>
void CalcFrameJacobian(const Model& model, const FramePoint& at, Workspace<T>& workspace,
                       MatrixOut<T> J) {
  auto& s =
      internal::RequirePaths(model, workspace, Stage::kPosition, "CalcFrameJacobian", at.frame);
  const typename Kinematics<T>::Body* carrier = internal::Carrier(at.frame, s);
  const V3<T> p = carrier == nullptr ? V3<T>{} : internal::PointFromReference<T>(at, *carrier);
  SetColumns<T>(model, at.frame, J, [&](int k) {
    return Motion<T>{s.Phi[k].w, PointVelocity(s.Phi[k], p)};
  });
}

/// d/dt [ω_k; u_k + ω_k × p] = [ω̇_k; u̇_k + ω̇_k × p + ω_k × ṗ].
template <typename T>
void CalcFrameJacobianDerivative(const Model& model, const FramePoint& at, Workspace<T>& workspace,
                                 MatrixOut<T> Jdot) {
  auto& s = internal::RequirePaths(model, workspace, Stage::kVelocity,
                                   "CalcFrameJacobianDerivative", at.frame);
  V3<T> p{}, pdot{};
  if (const typename Kinematics<T>::Body* carrier = internal::Carrier(at.frame, s)) {
    p = internal::PointFromReference<T>(at, *carrier);
    pdot = PointVelocity(carrier->V, p);
  }
  SetColumns<T>(model, at.frame, Jdot, [&](int k) {
    return Motion<T>{s.Phidot[k].w, PointVelocity(s.Phidot[k], p) + Cross(s.Phi[k].w, pdot)};
  });
}

template <typename T>
Vector6<T> CalcFrameBiasAcceleration(const Model& model, const FramePoint& at,
                                     Workspace<T>& workspace) {
  auto& s = internal::RequirePaths(model, workspace, Stage::kVelocity, "CalcFrameBiasAcceleration",
                                   at.frame);
  const typename Kinematics<T>::Body* carrier = internal::Carrier(at.frame, s);
  if (carrier == nullptr) return Vector6<T>::Zero();
  const internal::Tree& tree = internal::TreeOf(model);
  Motion<T> A{};  // Σ Φ̇_k v_k
  for (int k = tree.LastCoordinate(at.frame.body); k >= 0; k = tree.parent[k])
    A += s.v[k] * s.Phidot[k];
  const V3<T> p = internal::PointFromReference<T>(at, *carrier);
  const V3<T> centripetal = Cross(carrier->V.w, PointVelocity(carrier->V, p));
  return internal::ToVector(Motion<T>{A.w, PointVelocity(A, p) + centripetal});
}

#define CIVITA_INSTANTIATE(T)                                                                  \
  template RigidTransform<T> CalcFramePose<T>(const Model&, const Model::NamedFrame&,          \
                                              Workspace<T>&);                                  \
  template Vector6<T> CalcFrameVelocity<T>(const Model&, const FramePoint&, Workspace<T>&);    \
  template void CalcFrameJacobian<T>(const Model&, const FramePoint&, Workspace<T>&,           \
                                     MatrixOut<T>);                                            \
  template void CalcFrameJacobianDerivative<T>(const Model&, const FramePoint&, Workspace<T>&, \
                                               MatrixOut<T>);                                  \
  template Vector6<T> CalcFrameBiasAcceleration<T>(const Model&, const FramePoint&, Workspace<T>&);
CIVITA_FOR_EACH_SCALAR(CIVITA_INSTANTIATE)
#undef CIVITA_INSTANTIATE

}  // namespace civita
