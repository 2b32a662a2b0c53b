#include "civita/frame_motion.h"

#include <type_traits>

#include "core/dynamics/internal/flows.h"
#include "core/dynamics/internal/relative_motion.h"
#include "core/dynamics/internal/scratch.h"
#include "core/dynamics/internal/serve.h"
#include "core/model/internal/checks.h"
#include "core/spatial/internal/eigen.h"
#include "core/spatial/internal/scalars.h"

namespace civita {

namespace {

/// The motion x about the reference point of the frame's tree, about the point and in the axes of
/// `reference`: of the spatial motion [ω; u], [ω; u + ω × p].
template <typename T>
struct Place {
  V3<T> p;    ///< of the point, from the reference point of the frame's tree
  bool turn;  ///< into the frame's axes
  M3<T> R;

  Motion<T> At(const Motion<T>& x) const { return {x.w, PointVelocity(x, p)}; }
  Motion<T> Express(const Motion<T>& x) const { return turn ? internal::ExpressedIn(R, x) : x; }
};

template <typename T>
Place<T> PlaceOf(const Model& model, const FramePoint& at, ReferenceFrame reference,
                 internal::Scratch<T>& s) {
  if (reference == ReferenceFrame::kWorld)
    return {internal::FromReference<T>(model, {{}, -1}, at.frame.body, s), false, {}};
  const V3<T> p = internal::PointOn(at, s).p;
  if (reference == ReferenceFrame::kLocalWorldAligned) return {p, false, {}};
  return {p, true, internal::AxesOf(at.frame, s).R};
}

/// Σ Φ̇_k v_k + Φ_k v̇_k over the path to the body; nullptr stands for v̇ = 0.
template <typename T>
Motion<T> BodyAcceleration(const internal::Tree& tree, int body, const T* vdot,
                           internal::Scratch<T>& s) {
  Motion<T> A{};
  for (int k = tree.LastCoordinate(body); k >= 0; k = tree.parent[k]) {
    A += s.v[k] * s.Phidot[k];
    if (vdot != nullptr) A += vdot[k] * s.Phi[k];
  }
  return A;
}

/// Velocity V of a frame and its spatial acceleration A at v̇, of which nullptr stands for zeros.
template <typename T>
void CalcMotion(const Model& model, const FramePoint& at, ReferenceFrame reference, const T* vdot,
                Workspace<T>& workspace, const char* function, Motion<T>* V, Motion<T>* A) {
  auto& s = internal::RequireState(model, workspace, Stage::kVelocity, function);
  internal::CheckFrame(model, at.frame);
  if (at.frame.body < 0) return;
  if constexpr (std::is_same_v<T, double>) {
    if (kernels::CalcFrameMotion(at, reference, vdot, s, V, A)) return;
  }
  const internal::Tree& tree = internal::TreeOf(model);
  internal::UpdatePath(tree, at.frame.body, s);
  const Place<T> place = PlaceOf(model, at, reference, s);
  *V = place.Express(place.At(s.bodies[at.frame.body].V));
  if (A != nullptr) *A = place.Express(place.At(BodyAcceleration(tree, at.frame.body, vdot, s)));
}

template <typename T>
Vector6<T> Acceleration(const Model& model, const FramePoint& at, ReferenceFrame reference,
                        const T* vdot, bool is_classical, Workspace<T>& workspace,
                        const char* function) {
  Motion<T> V{}, A{};
  CalcMotion(model, at, reference, vdot, workspace, function, &V, &A);
  if (is_classical) A.u += Cross(V.w, V.u);
  return internal::ToVector(A);
}

/// Where rates of the motion of a frame by the coordinates on its path go; those of other
/// coordinates are zero. Velocities have no A.
template <typename T>
struct RateColumns {
  MatrixOut<T>&by_q, &by_v;
  MatrixOut<T>* by_vdot;
  bool is_classical;
};

/// Along q ⊕ δ e_k all that k moves is displaced by Φ_k, and with ψ̇ and ψ̈ (internal::CalcFlows) the
/// spatial velocity ξ and acceleration a about a fixed point change by
///   ∂_k ξ = Φ_k × ξ + ψ̇_k,   ∂_k a = Φ_k × a + ψ̇_k × ξ + ψ̈_k,
///   ∂ξ/∂v_k = Φ_k,   ∂a/∂v_k = Φ_k × ξ + Φ̇_k + ψ̇_k,
/// the point by Φ_k's velocity there. Numbers in the frame's axes do not see the displacement.
template <typename T>
void SetRates(const Model& model, const FramePoint& at, ReferenceFrame reference, VectorIn<T> vdot,
              internal::Scratch<T>& s, const RateColumns<T>& out) {
  const internal::Tree& tree = internal::TreeOf(model);
  for (MatrixOut<T>* M : {&out.by_q, &out.by_v, out.by_vdot}) {
    if (M != nullptr) internal::SetColumnsToZero(*M);
  }
  if (at.frame.body < 0) return;
  const Place<T> place = PlaceOf(model, at, reference, s);
  for (const int b : internal::PathTo(tree, at.frame.body, s)) {
    internal::CalcAccelerationAndFlows<T>(b, tree, vdot, s);
  }
  const Motion<T>&V = s.bodies[at.frame.body].V, &A = s.A[at.frame.body];
  const V3<T> pdot = PointVelocity(V, place.p);
  const bool moves = reference == ReferenceFrame::kLocalWorldAligned;
  for (int k = tree.LastCoordinate(at.frame.body); k >= 0; k = tree.parent[k]) {
    const Motion<T>& Phi = s.Phi[k];
    // Of what changes by V_k and A_k while the point moves with p_k.
    const auto column = [&](const Motion<T>& V_k, const Motion<T>& A_k, const V3<T>& p_k) {
      Motion<T> velocity = place.At(V_k), acceleration = place.At(A_k);
      velocity.u += Cross(V.w, p_k);
      if (out.by_vdot == nullptr) return place.Express(velocity);
      acceleration.u += Cross(A.w, p_k);
      if (out.is_classical) acceleration.u += Cross(V_k.w, pdot) + Cross(V.w, velocity.u);
      return place.Express(acceleration);
    };
    Motion<T> V_k = s.Psidot[k], A_k = Cross(s.Psidot[k], V) + s.Chidot[k];
    V3<T> p_k{};
    if (!place.turn) {
      V_k += Cross(Phi, V);
      A_k += Cross(Phi, A);
      if (moves) p_k = PointVelocity(Phi, place.p);
    }
    internal::SetColumn(column(V_k, A_k, p_k), &out.by_q(0, k));
    internal::SetColumn(column(Phi, Cross(Phi, V) + s.Phidot[k] + s.Psidot[k], {}),
                        &out.by_v(0, k));
    if (out.by_vdot != nullptr)
      internal::SetColumn(place.Express(place.At(Phi)), &(*out.by_vdot)(0, k));
  }
}

template <typename T>
void SetAccelerationRates(const Model& model, const FramePoint& at, ReferenceFrame reference,
                          VectorIn<T> vdot, bool is_classical, internal::Scratch<T>& s,
                          MatrixOut<T>& dA_dq, MatrixOut<T>& dA_dv, MatrixOut<T>& dA_dvdot) {
  internal::CheckLength(model, vdot, "vdot");
  internal::CheckResults(6, model.nv(), dA_dq, "dA_dq", dA_dv, "dA_dv", dA_dvdot, "dA_dvdot");
  const auto a = internal::KeepArgument<T>(vdot, s.arguments[0], dA_dq, dA_dv, dA_dvdot);
  SetRates<T>(model, at, reference, a, s, {dA_dq, dA_dv, &dA_dvdot, is_classical});
}

/// Sets the columns of all coordinates that move the frame, `column(k)` being [angular; linear],
/// and the others to zero.
template <typename T, typename Column>
void SetColumns(const Model& model, const Model::NamedFrame& frame, MatrixOut<T>& J,
                Column column) {
  internal::SetColumnsToZero(J);
  if (frame.body < 0) return;
  const internal::Tree& tree = internal::TreeOf(model);
  for (int k = tree.LastCoordinate(frame.body); k >= 0; k = tree.parent[k])
    internal::SetColumn(column(k), &J(0, k));
}

/// The scratch for a Jacobian of one frame, checked but without the path.
template <typename T>
internal::Scratch<T>& RequireJacobian(const Model& model, Workspace<T>& workspace, Stage needed,
                                      const char* function, const FramePoint& at,
                                      const MatrixOut<T>& J) {
  auto& s = internal::RequireState(model, workspace, needed, function);
  internal::CheckFrame(model, at.frame);
  internal::CheckShape(J, 6, model.nv(), "the Jacobian");
  return s;
}

/// Column k of B's path is column(k, p_B) in the place's axes; A's are subtracted, so that those of
/// both are zero.
template <typename T, typename Column>
void SetRelativeColumns(const Model& model, const Model::NamedFrame& A, const Model::NamedFrame& B,
                        const internal::RelativePlace<T>& place, MatrixOut<T>& J, Column column) {
  internal::CheckShape(J, 6, model.nv(), "the Jacobian");
  internal::SetColumnsToZero(J);
  const internal::Tree& tree = internal::TreeOf(model);
  const auto add = [&](int body, const V3<T>& p, const T& sign) {
    if (body < 0) return;
    for (int k = tree.LastCoordinate(body); k >= 0; k = tree.parent[k]) {
      const Motion<T> x = sign * internal::ExpressedIn(place.axes.R, column(k, p));
      internal::AddTo(x.w, &J(0, k));
      internal::AddTo(x.u, &J(3, k));
    }
  };
  add(B.body, place.p_B, T(1));
  add(A.body, place.p_A, T(-1));
}

}  // namespace

template <typename T>
RigidTransform<T> CalcFramePose(const Model& model, const Model::NamedFrame& frame,
                                Workspace<T>& workspace) {
  auto& s = internal::RequireState(model, workspace, Stage::kPosition, "CalcFramePose");
  internal::CheckFrame(model, frame);
  internal::UpdatePosesTo(internal::TreeOf(model), frame.body, s);
  const typename Kinematics<T>::Body* carrier = internal::Carrier(frame, s);
  if (carrier == nullptr) {
    return {frame.X_BF.R.template cast<T>(), frame.X_BF.p.template cast<T>()};
  }
  const V3<T> p = internal::PointFromReference<T>(frame, *carrier);
  return {internal::ToMatrix(carrier->R_WB) * frame.X_BF.R.template cast<T>(),
          internal::ToVector(internal::ReferencePoint(model, s, frame.body) + p)};
}

template <typename T>
Vector6<T> CalcFrameVelocity(const Model& model, const FramePoint& at, ReferenceFrame reference,
                             Workspace<T>& workspace) {
  Motion<T> V{};
  CalcMotion<T>(model, at, reference, nullptr, workspace, "CalcFrameVelocity", &V, nullptr);
  return internal::ToVector(V);
}

template <typename T>
Vector6<T> CalcFrameAcceleration(const Model& model, const FramePoint& at, ReferenceFrame reference,
                                 VectorIn<T> vdot, Workspace<T>& workspace) {
  internal::CheckLength(model, vdot, "vdot");
  return Acceleration<T>(model, at, reference, vdot.data(), false, workspace,
                         "CalcFrameAcceleration");
}

template <typename T>
Vector6<T> CalcFrameClassicalAcceleration(const Model& model, const FramePoint& at,
                                          ReferenceFrame reference, VectorIn<T> vdot,
                                          Workspace<T>& workspace) {
  internal::CheckLength(model, vdot, "vdot");
  return Acceleration<T>(model, at, reference, vdot.data(), true, workspace,
                         "CalcFrameClassicalAcceleration");
}

template <typename T>
Vector6<T> CalcFrameBiasAcceleration(const Model& model, const FramePoint& at,
                                     Workspace<T>& workspace) {
  return Acceleration<T>(model, at, ReferenceFrame::kLocalWorldAligned, nullptr, true, workspace,
                         "CalcFrameBiasAcceleration");
}

template <typename T>
void CalcFrameVelocityDerivatives(const Model& model, const FramePoint& at,
                                  ReferenceFrame reference, Workspace<T>& workspace,
                                  MatrixOut<T> dV_dq, MatrixOut<T> dV_dv) {
  auto& s = internal::RequirePaths(model, workspace, Stage::kVelocity,
                                   "CalcFrameVelocityDerivatives", at.frame);
  internal::CheckResults(6, model.nv(), dV_dq, "dV_dq", dV_dv, "dV_dv");
  s.arguments[0].setZero();
  SetRates<T>(model, at, reference, s.arguments[0], s, {dV_dq, dV_dv, nullptr, false});
}

template <typename T>
void CalcFrameAccelerationDerivatives(const Model& model, const FramePoint& at,
                                      ReferenceFrame reference, VectorIn<T> vdot,
                                      Workspace<T>& workspace, MatrixOut<T> dA_dq,
                                      MatrixOut<T> dA_dv, MatrixOut<T> dA_dvdot) {
  auto& s = internal::RequirePaths(model, workspace, Stage::kVelocity,
                                   "CalcFrameAccelerationDerivatives", at.frame);
  SetAccelerationRates<T>(model, at, reference, vdot, false, s, dA_dq, dA_dv, dA_dvdot);
}

template <typename T>
void CalcFrameClassicalAccelerationDerivatives(const Model& model, const FramePoint& at,
                                               ReferenceFrame reference, VectorIn<T> vdot,
                                               Workspace<T>& workspace, MatrixOut<T> dA_dq,
                                               MatrixOut<T> dA_dv, MatrixOut<T> dA_dvdot) {
  auto& s = internal::RequirePaths(model, workspace, Stage::kVelocity,
                                   "CalcFrameClassicalAccelerationDerivatives", at.frame);
  SetAccelerationRates<T>(model, at, reference, vdot, true, s, dA_dq, dA_dv, dA_dvdot);
}

template <typename T>
void CalcRelativeJacobian(const Model& model, const Model::NamedFrame& A, const FramePoint& at,
                          ReferenceFrame reference, Workspace<T>& workspace, MatrixOut<T> J) {
  auto& s = internal::RequirePaths(model, workspace, Stage::kPosition, "CalcRelativeJacobian", A,
                                   at.frame);
  const internal::RelativePlace<T> place = internal::PlaceBetween(model, A, at, reference, s);
  SetRelativeColumns<T>(model, A, at.frame, place, J, [&s](int k, const V3<T>& p) {
    return Motion<T>{s.Phi[k].w, PointVelocity(s.Phi[k], p)};
  });
}

/// In axes that turn with ω_E, d/dt Rᵀx = Rᵀ(ẋ − ω_E × x), with the columns x and ẋ of
/// CalcFrameJacobianDerivative in world axes.
template <typename T>
void CalcRelativeJacobianDerivative(const Model& model, const Model::NamedFrame& A,
                                    const FramePoint& at, ReferenceFrame reference,
                                    Workspace<T>& workspace, MatrixOut<T> Jdot) {
  auto& s = internal::RequirePaths(model, workspace, Stage::kVelocity,
                                   "CalcRelativeJacobianDerivative", A, at.frame);
  const internal::RelativePlace<T> place = internal::PlaceBetween(model, A, at, reference, s);
  const V3<T>& w = place.axes.w;
  SetRelativeColumns<T>(model, A, at.frame, place, Jdot, [&](int k, const V3<T>& p) {
    const Motion<T>&Phi = s.Phi[k], &Phidot = s.Phidot[k];
    return Motion<T>{
        Phidot.w - Cross(w, Phi.w),
        PointVelocity(Phidot, p) + Cross(Phi.w, place.pdot) - Cross(w, PointVelocity(Phi, p))};
  });
}

template <typename T>
void CalcFrameJacobian(const Model& model, const FramePoint& at, ReferenceFrame reference,
                       Workspace<T>& workspace, MatrixOut<T> J) {
  auto& s = RequireJacobian(model, workspace, Stage::kPosition, "CalcFrameJacobian", at, J);
  if constexpr (std::is_same_v<T, double>) {
    if (kernels::CalcFrameJacobian(at, reference, false, s, J)) return;
  }
  if (reference != ReferenceFrame::kLocalWorldAligned)
    return CalcRelativeJacobian<T>(model, {}, at, reference, workspace, J);
  internal::UpdatePath(internal::TreeOf(model), at.frame.body, s);
  const V3<T> p = internal::PointOn(at, s).p;
  SetColumns<T>(model, at.frame, J, [&](int k) {
    return Motion<T>{s.Phi[k].w, PointVelocity(s.Phi[k], p)};
  });
}

/// d/dt [ω_k; u_k + ω_k × p] = [ω̇_k; u̇_k + ω̇_k × p + ω_k × ṗ].
template <typename T>
void CalcFrameJacobianDerivative(const Model& model, const FramePoint& at, ReferenceFrame reference,
                                 Workspace<T>& workspace, MatrixOut<T> Jdot) {
  auto& s =
      RequireJacobian(model, workspace, Stage::kVelocity, "CalcFrameJacobianDerivative", at, Jdot);
  if constexpr (std::is_same_v<T, double>) {
    if (kernels::CalcFrameJacobian(at, reference, true, s, Jdot)) return;
  }
  if (reference != ReferenceFrame::kLocalWorldAligned)
    return CalcRelativeJacobianDerivative<T>(model, {}, at, reference, workspace, Jdot);
  internal::UpdatePath(internal::TreeOf(model), at.frame.body, s);
  const V3<T> p = internal::PointOn(at, s).p;
  const V3<T> pdot = at.frame.body < 0 ? V3<T>{} : PointVelocity(s.bodies[at.frame.body].V, p);
  SetColumns<T>(model, at.frame, Jdot, [&](int k) {
    return Motion<T>{s.Phidot[k].w, PointVelocity(s.Phidot[k], p) + Cross(s.Phi[k].w, pdot)};
  });
}

#define CIVITA_INSTANTIATE(T)                                                         \
  template RigidTransform<T> CalcFramePose<T>(const Model&, const Model::NamedFrame&, \
                                              Workspace<T>&);
CIVITA_FOR_EACH_SCALAR(CIVITA_INSTANTIATE)
#undef CIVITA_INSTANTIATE

#define CIVITA_INSTANTIATE(T)                                                                      \
  template Vector6<T> CalcFrameVelocity<T>(const Model&, const FramePoint&, ReferenceFrame,        \
                                           Workspace<T>&);                                         \
  template Vector6<T> CalcFrameAcceleration<T>(const Model&, const FramePoint&, ReferenceFrame,    \
                                               VectorIn<T>, Workspace<T>&);                        \
  template Vector6<T> CalcFrameClassicalAcceleration<T>(                                           \
      const Model&, const FramePoint&, ReferenceFrame, VectorIn<T>, Workspace<T>&);                \
  template Vector6<T> CalcFrameBiasAcceleration<T>(const Model&, const FramePoint&,                \
                                                   Workspace<T>&);                                 \
  template void CalcFrameVelocityDerivatives<T>(const Model&, const FramePoint&, ReferenceFrame,   \
                                                Workspace<T>&, MatrixOut<T>, MatrixOut<T>);        \
  template void CalcFrameAccelerationDerivatives<T>(const Model&, const FramePoint&,               \
                                                    ReferenceFrame, VectorIn<T>, Workspace<T>&,    \
                                                    MatrixOut<T>, MatrixOut<T>, MatrixOut<T>);     \
  template void CalcFrameClassicalAccelerationDerivatives<T>(                                      \
      const Model&, const FramePoint&, ReferenceFrame, VectorIn<T>, Workspace<T>&, MatrixOut<T>,   \
      MatrixOut<T>, MatrixOut<T>);                                                                 \
  template void CalcFrameJacobian<T>(const Model&, const FramePoint&, ReferenceFrame,              \
                                     Workspace<T>&, MatrixOut<T>);                                 \
  template void CalcFrameJacobianDerivative<T>(const Model&, const FramePoint&, ReferenceFrame,    \
                                               Workspace<T>&, MatrixOut<T>);                       \
  template void CalcRelativeJacobian<T>(const Model&, const Model::NamedFrame&, const FramePoint&, \
                                        ReferenceFrame, Workspace<T>&, MatrixOut<T>);              \
  template void CalcRelativeJacobianDerivative<T>(const Model&, const Model::NamedFrame&,          \
                                                  const FramePoint&, ReferenceFrame,               \
                                                  Workspace<T>&, MatrixOut<T>);
CIVITA_FOR_DOUBLE(CIVITA_INSTANTIATE)
#undef CIVITA_INSTANTIATE

}  // namespace civita
