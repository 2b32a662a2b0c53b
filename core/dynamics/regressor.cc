#include "civita/regressor.h"

#include <Eigen/Geometry>

#include "core/internal/newton_euler.h"
#include "core/internal/path.h"
#include "core/internal/scalars.h"

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
  const Vector3<T>&w = x.V.w, &u = x.V.u, &w_r = x.Vr.w, &u_r = x.Vr.u;
  const Vector3<T> d = x.A.u + w_r.cross(u);
  const Vector3<T> s = w.cross(w_r);
  const Matrix3<T> W_r = Skew<T>(w_r);
  WrenchRegressor<T> R;
  R.template topLeftCorner<3, 1>() = t * u.cross(u_r);
  R.template bottomLeftCorner<3, 1>() = d + t * (u.cross(w_r) + w.cross(u_r));
  R.template block<3, 3>(0, 1) = t * (W_r * Skew<T>(u) - Skew<T>(w) * Skew<T>(u_r)) - Skew<T>(d);
  R.template block<3, 3>(3, 1) = Skew<T>(x.A.w) + W_r * Skew<T>(w) + t * Skew<T>(s);
  R.template topRightCorner<3, 6>() = InertiaTimes<T>(x.A.w - s) + W_r * InertiaTimes<T>(w);
  R.template block<3, 3>(0, 4).colwise() += T(0.5) * (T(1) + t) * s;
  R.template bottomRightCorner<3, 6>().setZero();
  return R;
}

/// A motion about the tree's reference point, in the axes R of a frame and about its origin p.
template <typename T>
Motion<T> InFrame(const Motion<T>& x, const Matrix3<T>& R, const Vector3<T>& p) {
  return {R.transpose() * x.w, R.transpose() * (x.u + x.w.cross(p))};
}

/// y₀ is what the mechanism without any mass would need, and on the way come V_r and A of every
/// body.
template <typename T>
void CalcRest(const Model& model, const Factorization& factorization, VectorIn<T> v_r,
              VectorIn<T> vdot_r, Workspace<T>& workspace, VectorOut<T>& y_0) {
  for (typename Workspace<T>::Body& body : workspace.bodies) {
    body.Ic = body.I;
    body.I = Inertia<T>::Zero();
  }
  internal::CalcPassivityNewtonEuler<T>(model, factorization, v_r, vdot_r, workspace, y_0);
  for (typename Workspace<T>::Body& body : workspace.bodies) body.I = body.Ic;
}

/// A frame that moves with a body: its axes and origin, and the regressor of the body's wrench.
template <typename T>
struct FrameWrench {
  Matrix3<T> R;
  Vector3<T> p;
  WrenchRegressor<T> regressor;
};

/// Of the motions that CalcRest leaves.
template <typename T>
FrameWrench<T> CalcFrameWrench(const Model::NamedFrame& frame, const Factorization& factorization,
                               const Workspace<T>& workspace) {
  const typename Workspace<T>::Body& state = workspace.bodies[static_cast<size_t>(frame.body)];
  FrameWrench<T> out;
  out.R = state.R_WB * frame.X_BF.R.template cast<T>();
  out.p = state.r + state.R_WB * frame.X_BF.p.template cast<T>();
  // α I(ξ×)ξ_r is what an acceleration does.
  const Motion<T> turned = Cross(state.V, state.Vr) * T(factorization.alpha);
  out.regressor =
      CalcWrenchRegressor<T>({InFrame(state.V, out.R, out.p), InFrame(state.Vr, out.R, out.p),
                              InFrame(state.A + turned, out.R, out.p)},
                             T(factorization.t));
  return out;
}

/// τ_k = Φ_kᵀ F of the subtree, from the force on each body, which becomes that on its subtree.
template <typename T>
void ProjectForces(const Model& model, Workspace<T>& workspace, VectorOut<T>& tau) {
  for (size_t b = workspace.bodies.size(); b-- > 0;) {
    const Model::Body& body = model.bodies()[b];
    const Force<T>& F = workspace.bodies[b].F;
    for (int k = body.iv; k < body.iv + body.nv; ++k) {
      tau[k] = Dot(workspace.Phi[static_cast<size_t>(k)], F);
    }
    if (body.parent >= 0) workspace.bodies[static_cast<size_t>(body.parent)].F += F;
  }
}

/// J s of a body.
template <typename T>
Motion<T> CalcMotion(const Model& model, int body, VectorIn<T> s, const Workspace<T>& workspace) {
  Motion<T> motion = Motion<T>::Zero();
  for (int b = body; b >= 0; b = model.bodies()[static_cast<size_t>(b)].parent) {
    const Model::Body& on_path = model.bodies()[static_cast<size_t>(b)];
    for (int k = on_path.iv; k < on_path.iv + on_path.nv; ++k) {
      motion += workspace.Phi[static_cast<size_t>(k)] * s[k];
    }
  }
  return motion;
}

template <typename T>
void CheckSizes(const Model& model, const Factorization& factorization, VectorIn<T> v_r,
                VectorIn<T> vdot_r, const MatrixOut<T>& Y, const VectorOut<T>& y_0) {
  const int nv = model.nv();
  CIVITA_CHECK(v_r.size() == nv && vdot_r.size() == nv && y_0.size() == nv,
               "v_r, vdot_r and y_0 have " << v_r.size() << ", " << vdot_r.size() << " and "
                                           << y_0.size() << " numbers, the model has nv = " << nv);
  const auto columns = kNumBodyParameters * static_cast<Eigen::Index>(model.frames().size());
  CIVITA_CHECK(Y.rows() == nv && Y.cols() == columns,
               "Y is " << Y.rows() << "×" << Y.cols() << ", wanted " << nv << "×" << columns);
  factorization.Check(model);
}

template <typename T>
void CheckProductSizes(const Model& model, const Factorization& factorization, VectorIn<T> v_r,
                       VectorIn<T> vdot_r, VectorIn<T> x, VectorIn<T> s, const VectorOut<T>& Yx,
                       const VectorOut<T>& YTs) {
  const int nv = model.nv();
  CIVITA_CHECK(v_r.size() == nv && vdot_r.size() == nv && s.size() == nv && Yx.size() == nv,
               "v_r, vdot_r, s and Y x have " << v_r.size() << ", " << vdot_r.size() << ", "
                                              << s.size() << " and " << Yx.size()
                                              << " numbers, the model has nv = " << nv);
  const auto parameters = kNumBodyParameters * static_cast<Eigen::Index>(model.frames().size());
  CIVITA_CHECK(
      x.size() == parameters && YTs.size() == parameters,
      "x and Yᵀs have " << x.size() << " and " << YTs.size() << " numbers, wanted " << parameters);
  factorization.Check(model);
}

BodyParameters Stack(double m, const Eigen::Vector3d& h, const Eigen::Matrix3d& I) {
  BodyParameters parameters;
  parameters << m, h, I.diagonal(), I(0, 1), I(0, 2), I(1, 2);
  return parameters;
}

}  // namespace

BodyParameters CalcBodyParameters(const MassProperties& mass) {
  const Eigen::Matrix3d c = Skew<double>(mass.com);
  return Stack(mass.mass, mass.mass * mass.com, mass.inertia - mass.mass * c * c);
}

BodyParameters CalcFrameParameters(const Model& model, const Model::NamedFrame& frame) {
  if (frame.body < 0) return BodyParameters::Zero();
  const Inertia<double>& I = model.bodies()[static_cast<size_t>(frame.body)].inertia;
  const Eigen::Matrix3d& R = frame.X_BF.R;
  const Eigen::Matrix3d p = Skew<double>(frame.X_BF.p), h = Skew<double>(I.h);
  // −∫(x − p)×(x − p)× dm, without the centre of mass, which a body without mass lacks.
  const Eigen::Matrix3d Ibar = I.Ibar + p * h + h * p - I.m * p * p;
  return Stack(I.m, R.transpose() * (I.h - I.m * frame.X_BF.p), R.transpose() * Ibar * R);
}

Eigen::VectorXd CalcModelParameters(const Model& model) {
  const size_t count = model.frames().size();
  Eigen::VectorXd parameters =
      Eigen::VectorXd::Zero(kNumBodyParameters * static_cast<Eigen::Index>(count));
  std::vector<bool> given(model.bodies().size(), false);
  for (size_t f = 0; f < count; ++f) {
    const Model::NamedFrame& frame = model.frames()[f];
    if (frame.body < 0 || given[static_cast<size_t>(frame.body)]) continue;
    given[static_cast<size_t>(frame.body)] = true;
    parameters.segment<kNumBodyParameters>(kNumBodyParameters * static_cast<Eigen::Index>(f)) =
        CalcFrameParameters(model, frame);
  }
  return parameters;
}

template <typename T>
void CalcRegressor(const Model& model, const Factorization& factorization, VectorIn<T> v_r,
                   VectorIn<T> vdot_r, Workspace<T>& workspace, MatrixOut<T> Y, VectorOut<T> y_0) {
  internal::RequireBodies(model, workspace, Stage::kVelocity, "CalcRegressor");
  CheckSizes<T>(model, factorization, v_r, vdot_r, Y, y_0);
  CalcRest<T>(model, factorization, v_r, vdot_r, workspace, y_0);
  Y.setZero();
  for (size_t f = 0; f < model.frames().size(); ++f) {
    const Model::NamedFrame& frame = model.frames()[f];
    if (frame.body < 0) continue;
    const FrameWrench<T> wrench = CalcFrameWrench(frame, factorization, workspace);
    const Eigen::Index column = kNumBodyParameters * static_cast<Eigen::Index>(f);
    for (int b = frame.body; b >= 0; b = model.bodies()[static_cast<size_t>(b)].parent) {
      const Model::Body& body = model.bodies()[static_cast<size_t>(b)];
      for (int k = body.iv; k < body.iv + body.nv; ++k) {
        const Motion<T> Phi = InFrame(workspace.Phi[static_cast<size_t>(k)], wrench.R, wrench.p);
        Y.template block<1, kNumBodyParameters>(k, column).noalias() =
            Phi.w.transpose() * wrench.regressor.template topRows<3>() +
            Phi.u.transpose() * wrench.regressor.template bottomRows<3>();
      }
    }
  }
}

template <typename T>
void CalcRegressorProducts(const Model& model, const Factorization& factorization, VectorIn<T> v_r,
                           VectorIn<T> vdot_r, VectorIn<T> x, VectorIn<T> s,
                           Workspace<T>& workspace, VectorOut<T> Yx, VectorOut<T> YTs) {
  internal::RequireBodies(model, workspace, Stage::kVelocity, "CalcRegressorProducts");
  CheckProductSizes<T>(model, factorization, v_r, vdot_r, x, s, Yx, YTs);
  CalcRest<T>(model, factorization, v_r, vdot_r, workspace, Yx);
  for (typename Workspace<T>::Body& body : workspace.bodies) body.F = Force<T>::Zero();
  for (size_t f = 0; f < model.frames().size(); ++f) {
    const Model::NamedFrame& frame = model.frames()[f];
    const Eigen::Index at = kNumBodyParameters * static_cast<Eigen::Index>(f);
    auto b = YTs.template segment<kNumBodyParameters>(at);
    if (frame.body < 0) {
      b.setZero();
      continue;
    }
    const FrameWrench<T> wrench = CalcFrameWrench(frame, factorization, workspace);
    const Eigen::Matrix<T, 6, 1> of_x =
        wrench.regressor * x.template segment<kNumBodyParameters>(at);
    const Vector3<T> force = wrench.R * of_x.template tail<3>();
    workspace.bodies[static_cast<size_t>(frame.body)].F +=
        Force<T>{wrench.R * of_x.template head<3>() + wrench.p.cross(force), force};
    const Motion<T> motion =
        InFrame(CalcMotion<T>(model, frame.body, s, workspace), wrench.R, wrench.p);
    b.noalias() = wrench.regressor.template topRows<3>().transpose() * motion.w;
    b.noalias() += wrench.regressor.template bottomRows<3>().transpose() * motion.u;
  }
  ProjectForces<T>(model, workspace, Yx);
}

#define CIVITA_INSTANTIATE(T)                                                                  \
  template void CalcRegressor<T>(const Model&, const Factorization&, VectorIn<T>, VectorIn<T>, \
                                 Workspace<T>&, MatrixOut<T>, VectorOut<T>);                   \
  template void CalcRegressorProducts<T>(const Model&, const Factorization&, VectorIn<T>,      \
                                         VectorIn<T>, VectorIn<T>, VectorIn<T>, Workspace<T>&, \
                                         VectorOut<T>, VectorOut<T>);
CIVITA_FOR_EACH_SCALAR(CIVITA_INSTANTIATE)
#undef CIVITA_INSTANTIATE

}  // namespace civita
