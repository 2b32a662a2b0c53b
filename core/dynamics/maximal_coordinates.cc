#include "civita/maximal_coordinates.h"

#include <Eigen/Geometry>

#include "core/internal/coriolis_factor.h"
#include "core/internal/inertia_matrix.h"
#include "core/internal/path.h"
#include "core/internal/scalars.h"

namespace civita {

namespace {

template <typename T>
Inertia<T> Cast(const Inertia<double>& I) {
  return {T(I.m), I.h.template cast<T>(), I.Ibar.template cast<T>()};
}

/// A motion in world axes about the tree's reference point, in the body's axes about its origin.
template <typename T>
Motion<T> InBodyAxes(const typename Workspace<T>::Body& body, const Motion<T>& x) {
  const Matrix3<T> R_BW = body.R_WB.transpose();
  return {R_BW * x.w, R_BW * (x.u + x.w.cross(body.r))};
}

/// D = [d× M; −Mᵀ e×].
template <typename T>
Matrix6<T> ToMatrix(const TorsionFactor<T>& D) {
  Matrix6<T> matrix;
  matrix << Skew<T>(D.d), D.M, -D.M.transpose(), Skew<T>(D.e);
  return matrix;
}

/// What α adds to the body with inertia I and twist V: α I(ξ×), ξ× = [ω× 0; u× ω×].
template <typename T>
Matrix6<T> CalcNotAdmissible(const Factorization& factorization, const Inertia<T>& I,
                             const Motion<T>& V) {
  Matrix6<T> cross;
  cross << Skew<T>(V.w), Matrix3<T>::Zero(), Skew<T>(V.u), Skew<T>(V.w);
  return T(factorization.alpha) * internal::ToMatrix(I) * cross;
}

/// Torsion of the body with inertia I and twist V: of the family, and of injections at the points
/// `point_of(injection)`.
template <typename T, typename PointOf>
TorsionFactor<T> CalcTorsion(const Factorization& factorization, int body, const Inertia<T>& I,
                             const Motion<T>& V, PointOf point_of) {
  TorsionFactor<T> D = internal::CalcTorsionFactor(T(factorization.t), I, V);
  for (const Factorization::BodyInjection& injection : factorization.body_injections) {
    if (injection.body != body) continue;
    internal::AddInjection<T>(injection, point_of(injection), V, D);
  }
  return D;
}

}  // namespace

template <typename T>
Matrix6<T> CalcBodyTwistCoriolisMatrix(const Inertia<T>& I, const Vector3<T>& w) {
  const Vector3<T> Sigma_w = T(0.5) * I.Ibar.trace() * w - I.Ibar * w;
  const Matrix3<T> hw = Skew<T>(I.h) * Skew<T>(w);
  Matrix6<T> C;
  C << Skew<T>(Sigma_w), hw, -hw.transpose(), I.m * Skew<T>(w);
  return C;
}

template <typename T>
Matrix6<T> CalcWorldTwistCoriolisMatrix(const Inertia<T>& I, const Motion<T>& V) {
  const CoriolisFactor<T> B = internal::CalcCoriolisFactor(I, V);
  Matrix6<T> C = Matrix6<T>::Zero();
  C.template topLeftCorner<3, 3>() = B.B11;
  C.template bottomLeftCorner<3, 3>() = -Skew<T>(B.f);
  return C;
}

template <typename T>
void CalcMaximalCoordinates(const Model& model, const Factorization& factorization,
                            TwistFrame frame, const Workspace<T>& workspace, BodyBlocks<T> C,
                            BodyBlocks<T> H) {
  using Injection = Factorization::BodyInjection;
  internal::RequireBodies(model, workspace, Stage::kVelocity, "CalcMaximalCoordinates");
  const size_t n = static_cast<size_t>(model.num_bodies());
  CIVITA_CHECK(C.size() == n && H.size() == n,
               C.size() << " and " << H.size() << " blocks, the model has " << n << " bodies");
  factorization.Check(model);
  for (size_t b = 0; b < n; ++b) {
    const typename Workspace<T>::Body& body = workspace.bodies[b];
    TorsionFactor<T> D;
    if (frame == TwistFrame::kBody) {
      const Inertia<T> I = Cast<T>(model.bodies()[b].inertia);
      const Motion<T> V = InBodyAxes<T>(body, body.V);
      H[b] = internal::ToMatrix(I);
      C[b] = CalcBodyTwistCoriolisMatrix<T>(I, V.w) + CalcNotAdmissible(factorization, I, V);
      D = CalcTorsion<T>(factorization, static_cast<int>(b), I, V, [](const Injection& injection) {
        return Vector3<T>(injection.point.template cast<T>());
      });
    } else {
      H[b] = internal::ToMatrix(body.I);
      C[b] = CalcWorldTwistCoriolisMatrix<T>(body.I, body.V) +
             CalcNotAdmissible(factorization, body.I, body.V);
      D = CalcTorsion<T>(
          factorization, static_cast<int>(b), body.I, body.V, [&body](const Injection& injection) {
            return Vector3<T>(body.r + body.R_WB * injection.point.template cast<T>());
          });
    }
    C[b] += ToMatrix(D);
  }
}

/// In body axes Ȧ is the rate seen from the body: J̇ − ξ × J of [EW] (31), [WES], section VI-B.
template <typename T>
void CalcMaximalJacobian(const Model& model, TwistFrame frame, const Workspace<T>& workspace,
                         MatrixOut<T> A, MatrixOut<T> Adot) {
  internal::RequireBodies(model, workspace, Stage::kVelocity, "CalcMaximalJacobian");
  const int rows = 6 * model.num_bodies();
  CIVITA_CHECK(A.rows() == rows && A.cols() == model.nv() && Adot.rows() == rows &&
                   Adot.cols() == model.nv(),
               "A is " << A.rows() << "×" << A.cols() << " and Adot " << Adot.rows() << "×"
                       << Adot.cols() << ", not " << rows << "×" << model.nv());
  A.setZero();
  Adot.setZero();
  for (int b = 0; b < model.num_bodies(); ++b) {
    const typename Workspace<T>::Body& state = workspace.bodies[static_cast<size_t>(b)];
    for (int a = b; a >= 0; a = model.bodies()[static_cast<size_t>(a)].parent) {
      const Model::Body& carrier = model.bodies()[static_cast<size_t>(a)];
      for (int k = carrier.iv; k < carrier.iv + carrier.nv; ++k) {
        Motion<T> Phi = workspace.Phi[static_cast<size_t>(k)];
        Motion<T> Phidot = workspace.Phidot[static_cast<size_t>(k)];
        if (frame == TwistFrame::kBody) {
          Phidot = InBodyAxes<T>(state, Phidot - Cross(state.V, Phi));
          Phi = InBodyAxes<T>(state, Phi);
        }
        A.col(k).template segment<6>(6 * b) << Phi.w, Phi.u;
        Adot.col(k).template segment<6>(6 * b) << Phidot.w, Phidot.u;
      }
    }
  }
}

#define CIVITA_INSTANTIATE(T)                                                                 \
  template Matrix6<T> CalcBodyTwistCoriolisMatrix<T>(const Inertia<T>&, const Vector3<T>&);   \
  template Matrix6<T> CalcWorldTwistCoriolisMatrix<T>(const Inertia<T>&, const Motion<T>&);   \
  template void CalcMaximalCoordinates<T>(const Model&, const Factorization&, TwistFrame,     \
                                          const Workspace<T>&, BodyBlocks<T>, BodyBlocks<T>); \
  template void CalcMaximalJacobian<T>(const Model&, TwistFrame, const Workspace<T>&,         \
                                       MatrixOut<T>, MatrixOut<T>);
CIVITA_FOR_EACH_SCALAR(CIVITA_INSTANTIATE)
#undef CIVITA_INSTANTIATE

}  // namespace civita
