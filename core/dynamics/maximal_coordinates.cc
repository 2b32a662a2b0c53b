#include "civita/maximal_coordinates.h"

#include "core/dynamics/internal/factors.h"
#include "core/spatial/internal/scalars.h"

namespace civita {

namespace {

/// A motion in world axes about the tree's reference point, in the body's axes about its origin.
template <typename T>
Motion<T> InBodyAxes(const typename Kinematics<T>::Body& body, const Motion<T>& x) {
  return {TransposeTimes(body.R_WB, x.w), TransposeTimes(body.R_WB, PointVelocity(x, body.r))};
}

/// The body's inertia in its own axes, about its origin.
template <typename T>
Inertia<T> OwnInertia(const internal::Link& link) {
  const M3<T> one{{T(1), T(0), T(0), T(0), T(1), T(0), T(0), T(0), T(1)}};
  return WorldInertia<T>(one, {}, T(link.mass), internal::Cast<T>(link.com),
                         internal::Cast<T>(link.inertia));
}

template <typename T>
Matrix6<T> ToMatrix(const internal::CoriolisFactor<T>& B) {
  Matrix6<T> matrix;
  matrix << internal::ToMatrix(B.B11), internal::ToMatrix(B.B12), internal::ToMatrix(B.B21),
      internal::ToMatrix(B.B22);
  return matrix;
}

/// What a factorization has besides the Christoffel-consistent one, of the body with inertia I and
/// twist V; injections at the points `point_of(injection)`.
template <typename T, typename PointOf>
Matrix6<T> CalcOthers(const Factorization& factorization, const VectorX<T>& q, int body,
                      const Inertia<T>& I, const Motion<T>& V, PointOf point_of) {
  internal::CoriolisFactor<T> B = internal::CalcTorsionFactor<T>(T(factorization.t), I, V);
  B += internal::CalcNotAdmissible<T>(T(factorization.alpha), I, V);
  for (const Factorization::BodyInjection& injection : factorization.body_injections) {
    if (injection.body == body) {
      B += internal::CalcInjection<T>(injection, q, point_of(injection.point), V);
    }
  }
  return ToMatrix(B);
}

template <typename T>
Matrix6<T> CalcBodyTwistMatrix(const Inertia<T>& I, const V3<T>& w) {
  const V3<T> Sigma_w = Half(Trace(I.Ibar)) * w - I.Ibar * w;
  return ToMatrix(internal::SkewFactor<T>(Sigma_w, Skew(I.h) * Skew(w), I.m * w));
}

template <typename T>
Matrix6<T> CalcWorldTwistMatrix(const Inertia<T>& I, const Motion<T>& V) {
  return ToMatrix(internal::Whole(CalcChristoffelFactor(I, V)));
}

}  // namespace

template <typename T>
void CalcMaximalCoordinates(const Model& model, const Factorization& factorization,
                            TwistFrame frame, Workspace<T>& workspace, BodyBlocks<T> C,
                            BodyBlocks<T> H) {
  auto& s = internal::RequireBodies(model, workspace, Stage::kVelocity, "CalcMaximalCoordinates");
  factorization.Check(model);
  const size_t n = static_cast<size_t>(model.num_bodies());
  CIVITA_CHECK(C.size() == n && H.size() == n,
               C.size() << " and " << H.size() << " blocks, the model has " << n << " bodies");
  for (int b = 0; b < model.num_bodies(); ++b) {
    const typename Kinematics<T>::Body& body = s.bodies[b];
    Matrix6<T>&C_b = C[static_cast<size_t>(b)], &H_b = H[static_cast<size_t>(b)];
    if (frame == TwistFrame::kBody) {
      const Inertia<T> I = OwnInertia<T>(internal::TreeOf(model).links[b]);
      const Motion<T> V = InBodyAxes<T>(body, body.V);
      H_b = internal::ToMatrix(I);
      C_b = CalcBodyTwistMatrix<T>(I, V.w) +
            CalcOthers<T>(factorization, s.q, b, I, V, [](const Eigen::Vector3d& point) {
              return internal::Cast<T>(internal::ToV3(point));
            });
    } else {
      H_b = internal::ToMatrix(body.I);
      C_b = CalcWorldTwistMatrix<T>(body.I, body.V) +
            CalcOthers<T>(factorization, s.q, b, body.I, body.V, [&](const Eigen::Vector3d& point) {
              return internal::PointFromReference<T>(body, point);
            });
    }
  }
}

/// In body axes Ȧ is the rate seen from the body: J̇ − ξ × J of [EW] (31), [WES], section VI-B.
template <typename T>
void CalcMaximalJacobian(const Model& model, TwistFrame frame, Workspace<T>& workspace,
                         MatrixOut<T> A, MatrixOut<T> Adot) {
  auto& s = internal::RequireBodies(model, workspace, Stage::kVelocity, "CalcMaximalJacobian");
  internal::CheckResults(6 * model.num_bodies(), model.nv(), A, "A", Adot, "Adot");
  const internal::Tree& tree = internal::TreeOf(model);
  A.setZero();
  Adot.setZero();
  for (int b = 0; b < tree.num_bodies; ++b) {
    const typename Kinematics<T>::Body& body = s.bodies[b];
    for (int k = tree.LastCoordinate(b); k >= 0; k = tree.parent[k]) {
      Motion<T> Phi = s.Phi[k], Phidot = s.Phidot[k];
      if (frame == TwistFrame::kBody) {
        Phidot = InBodyAxes<T>(body, Phidot - Cross(body.V, Phi));
        Phi = InBodyAxes<T>(body, Phi);
      }
      A.col(k).template segment<6>(6 * b) = internal::ToVector(Phi);
      Adot.col(k).template segment<6>(6 * b) = internal::ToVector(Phidot);
    }
  }
}

#define CIVITA_INSTANTIATE(T)                                                                 \
  template void CalcMaximalCoordinates<T>(const Model&, const Factorization&, TwistFrame,     \
                                          Workspace<T>&, BodyBlocks<T>, BodyBlocks<T>);       \
  template void CalcMaximalJacobian<T>(const Model&, TwistFrame, Workspace<T>&, MatrixOut<T>, \
                                       MatrixOut<T>);
CIVITA_FOR_DOUBLE(CIVITA_INSTANTIATE)
#undef CIVITA_INSTANTIATE

}  // namespace civita
