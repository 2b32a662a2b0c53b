#include "civita/regressor.h"

#include "core/dynamics/internal/factors.h"
#include "core/dynamics/internal/newton_euler.h"
#include "core/model/internal/checks.h"
#include "core/spatial/internal/scalars.h"

namespace civita {

namespace {

/// What a body's wrench depends on besides π: [ω; u], [ω_r; u_r] and [α; a] = J v̇_r + J̇ v_r −
/// gravity, in the axes of a frame and about its origin.
template <typename T>
struct FrameMotion {
  Motion<T> V, Vr, A;
};

template <typename T>
using WrenchRegressor = Eigen::Matrix<T, 6, kNumBodyParameters>;

/// The matrix with [Ī_xx Ī_yy Ī_zz Ī_xy Ī_xz Ī_yz] ↦ Ī x.
template <typename T>
Eigen::Matrix<T, 3, 6> InertiaTimes(const Vector3<T>& x) {
  Eigen::Matrix<T, 3, 6> m = Eigen::Matrix<T, 3, 6>::Zero();
  m.template leftCols<3>() = x.asDiagonal();
  m(0, 3) = m(2, 5) = x[1];
  m(0, 4) = m(1, 5) = x[2];
  m(1, 3) = m(2, 4) = x[0];
  return m;
}

/// [moment; force] of one body by its ten parameters: I A + B(V, I) V_r with B of the family's t.
/// For t = 0, with d = a + ω_r × u,
///   force = m d + α×h + ω_r×(ω×h),   moment = h×d + Ī(α − ω×ω_r) + (½tr(Ī)ω − Īω)×ω_r;
/// the torsion adds t times
///   force = m (u×ω_r + ω×u_r) − h×(ω×ω_r),
///   moment = (½tr(Ī)ω + h×u)×ω_r + m u×u_r + ω×(h×u_r).
template <typename T>
WrenchRegressor<T> CalcWrenchRegressor(const FrameMotion<T>& x, T t) {
  using internal::ToVector;
  const Vector3<T> w = ToVector(x.V.w), u = ToVector(x.V.u), w_r = ToVector(x.Vr.w),
                   u_r = ToVector(x.Vr.u), alpha = ToVector(x.A.w);
  const Vector3<T> d = ToVector(x.A.u) + Cross(w_r, u);
  const Vector3<T> s = Cross(w, w_r);
  const Matrix3<T> W_r = Skew<T>(w_r);
  WrenchRegressor<T> R;
  R.template topLeftCorner<3, 1>() = t * Cross(u, u_r);
  R.template bottomLeftCorner<3, 1>() = d + t * (Cross(u, w_r) + Cross(w, u_r));
  R.template block<3, 3>(0, 1) = t * (W_r * Skew<T>(u) - Skew<T>(w) * Skew<T>(u_r)) - Skew<T>(d);
  R.template block<3, 3>(3, 1) = Skew<T>(alpha) + W_r * Skew<T>(w) + t * Skew<T>(s);
  R.template topRightCorner<3, 6>() = InertiaTimes<T>(alpha - s) + W_r * InertiaTimes<T>(w);
  R.template block<3, 3>(0, 4).colwise() += T(0.5) * (T(1) + t) * s;
  R.template bottomRightCorner<3, 6>().setZero();
  return R;
}

/// A motion about the tree's reference point, in the axes R of a frame and about its origin p.
template <typename T>
Motion<T> InFrame(const Motion<T>& x, const M3<T>& R, const V3<T>& p) {
  return {TransposeTimes(R, x.w), TransposeTimes(R, PointVelocity(x, p))};
}

/// y₀, what the mechanism would need if no body had mass or inertia: armature and injections. On
/// the way come V_r and A of every body.
template <typename T>
void CalcRest(const internal::Tree& tree, const Factorization& factorization, VectorIn<T> v_r,
              VectorIn<T> vdot_r, internal::Scratch<T>& s, VectorOut<T>& y_0) {
  internal::CalcReferenceMotions<T>(tree, v_r, internal::WorldAcceleration<T>(tree), s,
                                    [&](int k) { return vdot_r[k] * s.Phi[k]; });
  for (Force<T>& F : s.F) F = {};
  for (const Factorization::BodyInjection& injection : factorization.body_injections) {
    const int b = injection.body;
    const V3<T> p = internal::PointFromReference<T>(s.bodies[b], injection.point);
    s.F[b] += internal::CalcInjection<T>(injection, s.q, p, s.bodies[b].V) * s.Vr[b];
  }
  internal::ProjectForces(tree, s, y_0);
  internal::AddSkewParts<T>(tree, factorization, s, v_r, T(1), y_0);
  for (int k = 0; k < tree.nv; ++k) y_0[k] += T(tree.armature[k]) * vdot_r[k];
}

/// A frame that moves with a body: its axes and origin, and the regressor of the body's wrench.
template <typename T>
struct FrameWrench {
  M3<T> R;
  V3<T> p;
  WrenchRegressor<T> regressor;
};

/// Of the motions that CalcRest leaves.
template <typename T>
FrameWrench<T> CalcFrameWrench(const Model::NamedFrame& frame, const Factorization& factorization,
                               const internal::Scratch<T>& s) {
  const int b = frame.body;
  const typename Kinematics<T>::Body& body = s.bodies[b];
  FrameWrench<T> out;
  out.R = body.R_WB * internal::Cast<T>(internal::ToM3(frame.X_BF.R));
  out.p = internal::PointFromReference<T>(body, frame.X_BF.p);
  // α I(ξ×)ξ_r is what an acceleration does.
  const Motion<T> turned = T(factorization.alpha) * Cross(body.V, s.Vr[b]);
  out.regressor =
      CalcWrenchRegressor<T>({InFrame(body.V, out.R, out.p), InFrame(s.Vr[b], out.R, out.p),
                              InFrame(s.A[b] + turned, out.R, out.p)},
                             T(factorization.t));
  return out;
}

/// J s of a body.
template <typename T>
Motion<T> CalcMotion(const internal::Tree& tree, int body, VectorIn<T> x,
                     const internal::Scratch<T>& s) {
  Motion<T> motion{};
  for (int k = tree.LastCoordinate(body); k >= 0; k = tree.parent[k]) motion += x[k] * s.Phi[k];
  return motion;
}

template <typename T>
internal::Scratch<T>& CheckArguments(const Model& model, const Factorization& factorization,
                                     VectorIn<T> v_r, VectorIn<T> vdot_r, Workspace<T>& workspace,
                                     const char* function) {
  auto& s = internal::RequireBodies(model, workspace, Stage::kVelocity, function);
  internal::CheckLength(model, v_r, "v_r");
  internal::CheckLength(model, vdot_r, "vdot_r");
  factorization.Check(model);
  return s;
}

Eigen::Index NumParameters(const Model& model) {
  return kNumBodyParameters * static_cast<Eigen::Index>(model.frames().size());
}

}  // namespace

template <typename T>
void CalcRegressor(const Model& model, const Factorization& factorization, VectorIn<T> v_r,
                   VectorIn<T> vdot_r, Workspace<T>& workspace, MatrixOut<T> Y, VectorOut<T> y_0) {
  auto& s = CheckArguments<T>(model, factorization, v_r, vdot_r, workspace, "CalcRegressor");
  internal::CheckLength(model, y_0, "y_0");
  internal::CheckShape(Y, model.nv(), NumParameters(model), "Y");
  internal::CheckApart(Y, "Y", y_0, "y_0");
  const internal::Tree& tree = model.tree();
  CalcRest<T>(tree, factorization, internal::KeepArgument<T>(v_r, s.arguments[0], y_0),
              internal::KeepArgument<T>(vdot_r, s.arguments[1], y_0), s, y_0);
  Y.setZero();
  for (size_t f = 0; f < model.frames().size(); ++f) {
    const Model::NamedFrame& frame = model.frames()[f];
    if (frame.body < 0) continue;
    const FrameWrench<T> wrench = CalcFrameWrench(frame, factorization, s);
    const Eigen::Index column = kNumBodyParameters * static_cast<Eigen::Index>(f);
    for (int k = tree.LastCoordinate(frame.body); k >= 0; k = tree.parent[k]) {
      const Vector6<T> Phi = internal::ToVector(InFrame(s.Phi[k], wrench.R, wrench.p));
      Y.template block<1, kNumBodyParameters>(k, column).noalias() =
          Phi.transpose() * wrench.regressor;
    }
  }
}

template <typename T>
bool CalcForwardDynamicsParameterDerivatives(const Model& model, VectorIn<T> vdot,
                                             Workspace<T>& workspace, MassMatrixCholesky<T>& factor,
                                             MatrixOut<T> dvdot_dpi) {
  CIVITA_CHECK(factor.model().id() == model.id(), "the factor is that of another model");
  internal::Scratch<T>& s = internal::RequireState(model, workspace, Stage::kVelocity,
                                                   "CalcForwardDynamicsParameterDerivatives");
  internal::CheckLength(model, vdot, "vdot");
  internal::CheckShape(dvdot_dpi, model.nv(), NumParameters(model), "dvdot_dpi");
  const auto a = internal::KeepArgument<T>(vdot, s.arguments[0], dvdot_dpi);
  CalcRegressor<T>(model, {}, s.v, a, workspace, dvdot_dpi, s.arguments[2]);
  if (!factor.Compute(workspace)) return false;
  factor.SolveInPlace(dvdot_dpi);
  dvdot_dpi = -dvdot_dpi;
  return true;
}

template <typename T>
void CalcRegressorProducts(const Model& model, const Factorization& factorization, VectorIn<T> v_r,
                           VectorIn<T> vdot_r, VectorIn<T> x, VectorIn<T> s,
                           Workspace<T>& workspace, VectorOut<T> Yx, VectorOut<T> YTs) {
  auto& scratch =
      CheckArguments<T>(model, factorization, v_r, vdot_r, workspace, "CalcRegressorProducts");
  internal::CheckLength(model, s, "s");
  internal::CheckLength(model, Yx, "Y x");
  internal::CheckShape(x, NumParameters(model), 1, "x");
  internal::CheckShape(YTs, NumParameters(model), 1, "Yᵀs");
  internal::CheckApart(Yx, "Y x", YTs, "Yᵀs");
  internal::CheckApart(Yx, "Y x", x, "x");
  CIVITA_CHECK(YTs.data() == x.data() || !internal::Overlap(YTs, x), "Yᵀs lies on a part of x");
  const internal::Tree& tree = model.tree();
  const auto by_s = internal::KeepArgument<T>(s, scratch.arguments[2], Yx, YTs);
  CalcRest<T>(tree, factorization, internal::KeepArgument<T>(v_r, scratch.arguments[0], Yx),
              internal::KeepArgument<T>(vdot_r, scratch.arguments[1], Yx), scratch, Yx);
  for (Force<T>& F : scratch.F) F = {};
  for (size_t f = 0; f < model.frames().size(); ++f) {
    const Model::NamedFrame& frame = model.frames()[f];
    const Eigen::Index at = kNumBodyParameters * static_cast<Eigen::Index>(f);
    auto b = YTs.template segment<kNumBodyParameters>(at);
    if (frame.body < 0) {
      b.setZero();
      continue;
    }
    const FrameWrench<T> wrench = CalcFrameWrench(frame, factorization, scratch);
    const Vector6<T> of_x = wrench.regressor * x.template segment<kNumBodyParameters>(at);
    const V3<T> force = wrench.R * V3<T>{of_x[3], of_x[4], of_x[5]};
    scratch.F[frame.body] +=
        Force<T>{wrench.R * V3<T>{of_x[0], of_x[1], of_x[2]} + Cross(wrench.p, force), force};
    const Motion<T> motion = CalcMotion<T>(tree, frame.body, by_s, scratch);
    b.noalias() =
        wrench.regressor.transpose() * internal::ToVector(InFrame(motion, wrench.R, wrench.p));
  }
  internal::ProjectForces(tree, scratch, Yx);
}

#define CIVITA_INSTANTIATE(T)                                                                  \
  template void CalcRegressor<T>(const Model&, const Factorization&, VectorIn<T>, VectorIn<T>, \
                                 Workspace<T>&, MatrixOut<T>, VectorOut<T>);                   \
  template bool CalcForwardDynamicsParameterDerivatives<T>(                                    \
      const Model&, VectorIn<T>, Workspace<T>&, MassMatrixCholesky<T>&, MatrixOut<T>);         \
  template void CalcRegressorProducts<T>(const Model&, const Factorization&, VectorIn<T>,      \
                                         VectorIn<T>, VectorIn<T>, VectorIn<T>, Workspace<T>&, \
                                         VectorOut<T>, VectorOut<T>);
CIVITA_FOR_EACH_SCALAR(CIVITA_INSTANTIATE)
#undef CIVITA_INSTANTIATE

}  // namespace civita
