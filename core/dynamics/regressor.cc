#include "civita/regressor.h"

#include <algorithm>
#include <iterator>
#include <type_traits>

#include "core/dynamics/internal/carrier.h"
#include "core/dynamics/internal/factors.h"
#include "core/dynamics/internal/newton_euler.h"
#include "core/dynamics/internal/serve.h"
#include "core/model/internal/checks.h"
#include "core/spatial/internal/scalars.h"

namespace civita {

namespace {

constexpr int kNumForces = 4;  ///< of the parameters, those that exert a force: m and h

/// The wrench of a body by its ten parameters: entry c of the rows is what parameter c adds to the
/// moment and force. Ī exerts no force.
template <typename T>
struct WrenchRows {
  T moment[3][kNumBodyParameters];
  T force[3][kNumForces];
};

/// *rows = the matrix with [Ī_xx Ī_yy Ī_zz Ī_xy Ī_xz Ī_yz] ↦ Ī a + w × Ī b, in columns 4 to 9.
template <typename T>
void SetInertiaColumns(const V3<T>& a, const V3<T>& w, const V3<T>& b,
                       T (&rows)[3][kNumBodyParameters]) {
  const auto set = [&](int column, const V3<T>& Ia, const V3<T>& Ib) {
    const V3<T> moment = Ia + Cross(w, Ib);
    rows[0][column] = moment.x;
    rows[1][column] = moment.y;
    rows[2][column] = moment.z;
  };
  const T zero{};
  set(4, {a.x, zero, zero}, {b.x, zero, zero});
  set(5, {zero, a.y, zero}, {zero, b.y, zero});
  set(6, {zero, zero, a.z}, {zero, zero, b.z});
  set(7, {a.y, a.x, zero}, {b.y, b.x, zero});
  set(8, {a.z, zero, a.x}, {b.z, zero, b.x});
  set(9, {zero, a.z, a.y}, {zero, b.z, b.y});
}

/// What a body's wrench depends on besides π: [ω; u], [ω_r; u_r] and [α; a] = J v̇_r + J̇ v_r −
/// gravity, in the axes of a frame and about its origin.
template <typename T>
struct FrameMotion {
  Motion<T> V, Vr, A;
};

/// Of I A + B(V, I) V_r with B of the family's t, in the same axes and about the same point.
/// For t = 0, with d = a + ω_r × u,
///   force = m d + α×h + ω_r×(ω×h),   moment = h×d + Ī(α − ω×ω_r) + (½tr(Ī)ω − Īω)×ω_r;
/// the torsion adds t times
///   force = m (u×ω_r + ω×u_r) − h×(ω×ω_r),
///   moment = (½tr(Ī)ω + h×u)×ω_r + m u×u_r + ω×(h×u_r).
template <typename T>
WrenchRows<T> CalcWrenchRows(const FrameMotion<T>& x, T t) {
  const V3<T>&w = x.V.w, &u = x.V.u, &w_r = x.Vr.w, &u_r = x.Vr.u;
  const V3<T> d = x.A.u + Cross(w_r, u), s = Cross(w, w_r);
  WrenchRows<T> rows;
  const auto set = [](auto& of, int column, const V3<T>& of_parameter) {
    of[0][column] = of_parameter.x;
    of[1][column] = of_parameter.y;
    of[2][column] = of_parameter.z;
  };
  set(rows.moment, 0, t * Cross(u, u_r));
  set(rows.force, 0, d + t * (Cross(u, w_r) + Cross(w, u_r)));
  const V3<T> axes[3] = {{T(1), T(0), T(0)}, {T(0), T(1), T(0)}, {T(0), T(0), T(1)}};
  for (int k = 0; k < 3; ++k) {  // h = e_k
    const V3<T>& h = axes[k];
    set(rows.moment, 1 + k, Cross(h, d) + t * (Cross(Cross(h, u), w_r) + Cross(w, Cross(h, u_r))));
    set(rows.force, 1 + k, Cross(x.A.w + t * s, h) + Cross(w_r, Cross(w, h)));
  }
  SetInertiaColumns<T>(x.A.w - s, w_r, w, rows.moment);
  const V3<T> by_trace = (T(0.5) * (T(1) + t)) * s;
  for (int k = 4; k < 7; ++k) {
    rows.moment[0][k] += by_trace.x;
    rows.moment[1][k] += by_trace.y;
    rows.moment[2][k] += by_trace.z;
  }
  return rows;
}

/// A motion about the tree's reference point, in the axes R of a frame and about its origin p.
template <typename T>
Motion<T> InFrame(const Motion<T>& x, const M3<T>& R, const V3<T>& p) {
  return {TransposeTimes(R, x.w), TransposeTimes(R, PointVelocity(x, p))};
}

/// The other way round, of the columns of wrenches.
template <typename T>
WrenchRows<T> InWorld(const WrenchRows<T>& x, const M3<T>& R, const V3<T>& p) {
  WrenchRows<T> y;
  for (int i = 0; i < 3; ++i) {
    for (int c = 0; c < kNumBodyParameters; ++c) {
      y.moment[i][c] =
          R(i, 0) * x.moment[0][c] + R(i, 1) * x.moment[1][c] + R(i, 2) * x.moment[2][c];
    }
    for (int c = 0; c < kNumForces; ++c) {
      y.force[i][c] = R(i, 0) * x.force[0][c] + R(i, 1) * x.force[1][c] + R(i, 2) * x.force[2][c];
    }
  }
  for (int c = 0; c < kNumForces; ++c) {
    y.moment[0][c] += p.y * y.force[2][c] - p.z * y.force[1][c];
    y.moment[1][c] += p.z * y.force[0][c] - p.x * y.force[2][c];
    y.moment[2][c] += p.x * y.force[1][c] - p.y * y.force[0][c];
  }
  return y;
}

/// The part of y₀ that no body holds.
template <typename T>
void AddRestOfCoordinates(const internal::Tree& tree, const Factorization& factorization,
                          VectorIn<T> v_r, VectorIn<T> vdot_r, const internal::Scratch<T>& s,
                          VectorOut<T>& y_0) {
  internal::AddSkewParts<T>(tree, factorization, s, v_r, T(1), y_0);
  for (int k = 0; k < tree.nv; ++k) y_0[k] += T(tree.armature[k]) * vdot_r[k];
}

/// y₀, what the mechanism would need if no body had mass or inertia: armature and injections. On
/// the way come V_r and A of every body.
template <typename T>
void CalcRest(const internal::Tree& tree, const Factorization& factorization, VectorIn<T> v_r,
              VectorIn<T> vdot_r, internal::Scratch<T>& s, VectorOut<T>& y_0) {
  internal::CalcReferenceMotions<T>(tree, v_r, internal::WorldAcceleration<T>(tree), s,
                                    [&](int k) { return vdot_r[k] * s.Phi[k]; });
  y_0.setZero();
  if (!factorization.body_injections.empty()) {
    for (Force<T>& F : s.F) F = {};
    for (const Factorization::BodyInjection& injection : factorization.body_injections) {
      const int b = injection.body;
      const V3<T> p = internal::PointFromReference<T>(s.bodies[b], injection.point);
      s.F[b] += internal::CalcInjection<T>(injection, s.q, p, s.bodies[b].V) * s.Vr[b];
    }
    internal::ProjectForces(tree, s, y_0);
  }
  AddRestOfCoordinates<T>(tree, factorization, v_r, vdot_r, s, y_0);
}

/// Of a frame that moves with a body, in world axes about the tree's reference point, of the
/// motions that CalcRest leaves.
template <typename T>
WrenchRows<T> CalcWrenchRows(const Model::NamedFrame& frame, const Factorization& factorization,
                             const internal::Scratch<T>& s) {
  const int b = frame.body;
  const typename Kinematics<T>::Body& body = s.bodies[b];
  const M3<T> R = body.R_WB * internal::Cast<T>(internal::ToM3(frame.X_BF.R));
  const V3<T> p = internal::PointFromReference<T>(body, frame.X_BF.p);
  // α I(ξ×)ξ_r is what an acceleration does.
  const Motion<T> turned = T(factorization.alpha) * Cross(body.V, s.Vr[b]);
  const WrenchRows<T> rows = CalcWrenchRows<T>(
      {InFrame(body.V, R, p), InFrame(s.Vr[b], R, p), InFrame(s.A[b] + turned, R, p)},
      T(factorization.t));
  return InWorld(rows, R, p);
}

/// The power of the parameters' wrenches along a motion: Σ motionᵀ column c in entry c.
template <typename T>
CIVITA_INLINE void CalcPowers(const WrenchRows<T>& rows, const Motion<T>& x,
                              T (&powers)[kNumBodyParameters]) {
  for (int c = 0; c < kNumBodyParameters; ++c) {
    powers[c] = x.w.x * rows.moment[0][c] + x.w.y * rows.moment[1][c] + x.w.z * rows.moment[2][c];
  }
  for (int c = 0; c < kNumForces; ++c) {
    powers[c] += x.u.x * rows.force[0][c] + x.u.y * rows.force[1][c] + x.u.z * rows.force[2][c];
  }
}

/// The wrench of parameters x.
template <typename T>
Force<T> CalcWrench(const WrenchRows<T>& rows, const Eigen::Matrix<T, kNumBodyParameters, 1>& x) {
  const auto sum = [&x](const auto& row) {
    T total = row[0] * x[0];
    for (int c = 1; c < static_cast<int>(std::size(row)); ++c) total += row[c] * x[c];
    return total;
  };
  return {{sum(rows.moment[0]), sum(rows.moment[1]), sum(rows.moment[2])},
          {sum(rows.force[0]), sum(rows.force[1]), sum(rows.force[2])}};
}

/// J s of a body.
template <typename T>
Motion<T> CalcMotion(const internal::Tree& tree, int body, VectorIn<T> x,
                     const internal::Scratch<T>& s) {
  Motion<T> motion{};
  for (int k = tree.LastCoordinate(body); k >= 0; k = tree.parent[k]) motion += x[k] * s.Phi[k];
  return motion;
}

using Frames = std::span<const Model::NamedFrame>;

template <typename T>
internal::Scratch<T>& CheckArguments(const Model& model, const Factorization& factorization,
                                     Frames frames, VectorIn<T> v_r, VectorIn<T> vdot_r,
                                     Workspace<T>& workspace, const char* function) {
  auto& s = internal::RequireState(model, workspace, Stage::kVelocity, function);
  for (const Model::NamedFrame& frame : frames) internal::CheckFrame(model, frame);
  internal::CheckLength(model, v_r, "v_r", vdot_r, "vdot_r");
  factorization.Check(model);
  return s;
}

Eigen::Index NumParameters(Frames frames) {
  return kNumBodyParameters * static_cast<Eigen::Index>(frames.size());
}

/// Y or Yᵀ: put(k, column, row) is called with ten numbers of row k of Y from `column` on, where
/// they are not zero.
template <bool kTransposed, typename T, typename Put>
void SetRows(const Model& model, const Factorization& factorization, Frames frames, VectorIn<T> v_r,
             VectorIn<T> vdot_r, internal::Scratch<T>& s, MatrixOut<T>& Y, VectorOut<T>& y_0,
             const Put& put) {
  const internal::Tree& tree = internal::TreeOf(model);
  const auto w = internal::KeepArgument<T>(v_r, s.arguments[0], y_0);
  const auto wdot = internal::KeepArgument<T>(vdot_r, s.arguments[1], y_0);
  if constexpr (std::is_same_v<T, double>) {
    y_0.setZero();  // before Y, on which the arguments may lie
    AddRestOfCoordinates<T>(tree, factorization, w, wdot, s, y_0);
    if (kernels::CalcRegressor(factorization, frames, w, wdot, s, kTransposed, Y)) return;
  }
  internal::UpdateMotions(tree, s);
  CalcRest<T>(tree, factorization, w, wdot, s, y_0);
  if (Y.outerStride() == Y.rows()) {  // at once, for Eigen goes from column to column
    std::fill_n(Y.data(), Y.size(), T(0));
  } else {
    Y.setZero();
  }
  Eigen::Index column = 0;
  for (const Model::NamedFrame& frame : frames) {
    if (frame.body >= 0) {
      const WrenchRows<T> rows = CalcWrenchRows(frame, factorization, s);
      for (int k = tree.LastCoordinate(frame.body); k >= 0; k = tree.parent[k]) {
        T row[kNumBodyParameters];
        CalcPowers(rows, s.Phi[k], row);
        put(k, column, row);
      }
    }
    column += kNumBodyParameters;
  }
}

}  // namespace

template <typename T>
void CalcRegressor(const Model& model, const Factorization& factorization, Frames frames,
                   VectorIn<T> v_r, VectorIn<T> vdot_r, Workspace<T>& workspace, MatrixOut<T> Y,
                   VectorOut<T> y_0) {
  auto& s =
      CheckArguments<T>(model, factorization, frames, v_r, vdot_r, workspace, "CalcRegressor");
  internal::CheckLength(model, y_0, "y_0");
  internal::CheckShape(Y, model.nv(), NumParameters(frames), "Y");
  internal::CheckApart(Y, "Y", y_0, "y_0");
  SetRows<false, T>(model, factorization, frames, v_r, vdot_r, s, Y, y_0,
                    [&Y](int k, Eigen::Index column, const T* row) {
                      for (int c = 0; c < kNumBodyParameters; ++c) Y(k, column + c) = row[c];
                    });
}

template <typename T>
void CalcTransposedRegressor(const Model& model, const Factorization& factorization, Frames frames,
                             VectorIn<T> v_r, VectorIn<T> vdot_r, Workspace<T>& workspace,
                             MatrixOut<T> YT, VectorOut<T> y_0) {
  auto& s = CheckArguments<T>(model, factorization, frames, v_r, vdot_r, workspace,
                              "CalcTransposedRegressor");
  internal::CheckLength(model, y_0, "y_0");
  internal::CheckShape(YT, NumParameters(frames), model.nv(), "YT");
  internal::CheckApart(YT, "YT", y_0, "y_0");
  SetRows<true, T>(model, factorization, frames, v_r, vdot_r, s, YT, y_0,
                   [&YT](int k, Eigen::Index column, const T* row) {
                     for (int c = 0; c < kNumBodyParameters; ++c) YT(column + c, k) = row[c];
                   });
}

template <typename T>
Status CalcForwardDynamicsParameterDerivatives(const Model& model, Frames frames, VectorIn<T> vdot,
                                               Workspace<T>& workspace,
                                               MassMatrixCholesky<T>& factor,
                                               MatrixOut<T> dvdot_dpi) {
  CIVITA_CHECK(factor.model().id() == model.id(), "the factor is that of another model");
  internal::Scratch<T>& s = internal::RequireState(model, workspace, Stage::kVelocity,
                                                   "CalcForwardDynamicsParameterDerivatives");
  internal::CheckLength(model, vdot, "vdot");
  internal::CheckShape(dvdot_dpi, model.nv(), NumParameters(frames), "dvdot_dpi");
  if (const Status status = factor.Compute(workspace); !status) return status;
  const auto a = internal::KeepArgument<T>(vdot, s.arguments[0], dvdot_dpi);
  CalcRegressor<T>(model, {}, frames, s.v, a, workspace, dvdot_dpi, s.arguments[2]);
  factor.SolveInPlace(dvdot_dpi);
  dvdot_dpi = -dvdot_dpi;
  return Status::kOk;
}

template <typename T>
void CalcRegressorProducts(const Model& model, const Factorization& factorization, Frames frames,
                           VectorIn<T> v_r, VectorIn<T> vdot_r, VectorIn<T> x, VectorIn<T> s,
                           Workspace<T>& workspace, VectorOut<T> Yx, VectorOut<T> YTs) {
  auto& scratch = CheckArguments<T>(model, factorization, frames, v_r, vdot_r, workspace,
                                    "CalcRegressorProducts");
  const bool with_Yx = x.size() + Yx.size() > 0, with_YTs = s.size() + YTs.size() > 0;
  if (with_Yx) internal::CheckLength(model, Yx, "Y x");
  if (with_YTs) internal::CheckLength(model, s, "s");
  internal::CheckShape(x, with_Yx ? NumParameters(frames) : 0, 1, "x");
  internal::CheckShape(YTs, with_YTs ? NumParameters(frames) : 0, 1, "Yᵀs");
  internal::CheckApart(Yx, "Y x", YTs, "Yᵀs", x, "x");
  CIVITA_CHECK(YTs.data() == x.data() || !internal::Overlap(YTs, x), "Yᵀs lies on a part of x");
  if constexpr (std::is_same_v<T, double>) {
    if (kernels::CalcRegressorProducts(factorization, frames, v_r, vdot_r, x, s, scratch, Yx, YTs))
      return;
  }
  const internal::Tree& tree = internal::TreeOf(model);
  internal::UpdateMotions(tree, scratch);
  const auto by_s = internal::KeepArgument<T>(s, scratch.arguments[2], Yx, YTs);
  internal::CalcReferenceMotions<T>(tree, v_r, internal::WorldAcceleration<T>(tree), scratch,
                                    [&](int k) { return vdot_r[k] * scratch.Phi[k]; });
  for (Force<T>& F : scratch.F) F = {};
  Eigen::Index at = 0;
  for (const Model::NamedFrame& frame : frames) {
    T powers[kNumBodyParameters] = {};
    if (frame.body >= 0) {
      const WrenchRows<T> rows = CalcWrenchRows(frame, factorization, scratch);
      if (with_Yx)
        scratch.F[frame.body] += CalcWrench<T>(rows, x.template segment<kNumBodyParameters>(at));
      if (with_YTs) CalcPowers(rows, CalcMotion<T>(tree, frame.body, by_s, scratch), powers);
    }
    for (int c = 0; with_YTs && c < kNumBodyParameters; ++c) YTs[at + c] = powers[c];
    at += kNumBodyParameters;
  }
  if (with_Yx) internal::ProjectForces(tree, scratch, Yx);
}

#define CIVITA_INSTANTIATE(T)                                                                     \
  template void CalcRegressor<T>(const Model&, const Factorization&, Frames, VectorIn<T>,         \
                                 VectorIn<T>, Workspace<T>&, MatrixOut<T>, VectorOut<T>);         \
  template void CalcTransposedRegressor<T>(const Model&, const Factorization&, Frames,            \
                                           VectorIn<T>, VectorIn<T>, Workspace<T>&, MatrixOut<T>, \
                                           VectorOut<T>);                                         \
  template Status CalcForwardDynamicsParameterDerivatives<T>(                                     \
      const Model&, Frames, VectorIn<T>, Workspace<T>&, MassMatrixCholesky<T>&, MatrixOut<T>);    \
  template void CalcRegressorProducts<T>(const Model&, const Factorization&, Frames, VectorIn<T>, \
                                         VectorIn<T>, VectorIn<T>, VectorIn<T>, Workspace<T>&,    \
                                         VectorOut<T>, VectorOut<T>);
CIVITA_FOR_DOUBLE(CIVITA_INSTANTIATE)
#undef CIVITA_INSTANTIATE

}  // namespace civita
