#include "civita/centroidal.h"

#include <type_traits>

#include "core/dynamics/internal/factors.h"
#include "core/dynamics/internal/flows.h"
#include "core/dynamics/internal/inertia_rate.h"
#include "core/dynamics/internal/scratch.h"
#include "core/dynamics/internal/serve.h"
#include "core/model/internal/checks.h"
#include "core/spatial/internal/eigen.h"
#include "core/spatial/internal/scalars.h"

namespace civita {

namespace {

/// Total mass and, by the poses alone, the centre of mass from the first tree's reference point:
/// near it, so that digits are kept far from the world's origin.
template <typename T>
struct MassCenter {
  MassCenter(const Model& model, internal::Scratch<T>& s)
      : mass(0), first(internal::ReferencePoint(model, s, 0)) {
    V3<T> moment{};
    for (int b = 0; b < s.bodies.size(); ++b) {
      const internal::Link& link = internal::TreeOf(model).links[b];
      const V3<T> apart = internal::ReferencePoint(model, s, b) - first;
      moment += T(link.mass) * (internal::CenterOf<T>(link, s.bodies[b]) + apart);
      mass += T(link.mass);
    }
    internal::CheckMass(mass);
    p = (T(1) / mass) * moment;
  }

  /// F, about the reference point of body b's tree, taken about the centre of mass: [moment;
  /// force].
  Vector6<T> About(const Model& model, internal::Scratch<T>& s, int b, const Force<T>& F) const {
    const V3<T> arm = p - (internal::ReferencePoint(model, s, b) - first);
    return internal::ToVector(Force<T>{F.n - Cross(arm, F.f), F.f});
  }

  T mass;
  V3<T> first;
  V3<T> p;
};

/// Whether kernels have done it; else there are bodies.
template <typename T>
bool Served(const Model& model, const kernels::CentroidalQuery& query, bool with_rates,
            internal::Scratch<T>& s) {
  if constexpr (std::is_same_v<T, double>) {
    if (kernels::CalcCentroidal(query, with_rates, s)) return true;
  }
  internal::UpdateBodies(internal::TreeOf(model), s);
  return false;
}

/// A_G and composite inertias.
template <typename T>
void SetMomentumMatrix(const Model& model, internal::Scratch<T>& s, MatrixOut<T>& A) {
  const internal::Tree& tree = internal::TreeOf(model);
  internal::CalcCompositeInertias(tree, s);
  const MassCenter<T> center(model, s);
  for (int k = 0; k < tree.nv; ++k) {
    const int b = tree.body[k];
    A.template block<6, 1>(0, k) = center.About(model, s, b, s.Ic[b] * s.Phi[k]);
  }
}

/// Sets the columns of ∂/∂q of a wrench on all bodies about the centre of mass, of which `of(b)` is
/// the sum over the subtree of b: along coordinate k the wrench on what k moves changes by
/// rate(k), about a fixed point, and the centre of mass by its Jacobian.
template <typename T, typename Of, typename Rate>
void SetPositionRates(const Model& model, const MassCenter<T>& center, internal::Scratch<T>& s,
                      const Of& of, const Rate& rate, MatrixOut<T>& by_q) {
  const internal::Tree& tree = internal::TreeOf(model);
  V3<T> force{};
  for (int b = 0; b < tree.num_bodies; ++b) {
    if (tree.links[b].parent < 0) force += of(b).f;
  }
  for (int k = 0; k < tree.nv; ++k) {
    const int b = tree.body[k];
    const V3<T> moved = (T(1) / center.mass) * (s.Ic[b] * s.Phi[k]).f;
    by_q.col(k) = center.About(model, s, b, CrossForce(s.Phi[k], of(b)) + rate(k)) -
                  internal::ToVector(Force<T>{Cross(moved, force), {}});
  }
}

}  // namespace

template <typename T>
Vector3<T> CalcCenterOfMass(const Model& model, Workspace<T>& workspace) {
  auto& s = internal::RequireState(model, workspace, Stage::kPosition, "CalcCenterOfMass");
  V3<double> c{};
  if (Served<T>(model, {.center = &c}, false, s)) return internal::ToVector(internal::Cast<T>(c));
  internal::UpdatePoses(internal::TreeOf(model), s);
  const MassCenter<T> center(model, s);
  return internal::ToVector(center.first + center.p);
}

template <typename T>
void CalcCenterOfMassJacobian(const Model& model, Workspace<T>& workspace, MatrixOut<T> J) {
  auto& s = internal::RequireState(model, workspace, Stage::kPosition, "CalcCenterOfMassJacobian");
  internal::CheckShape(J, 3, model.nv(), "J");
  if (Served<T>(model, {.J = kernels::ViewOf(J)}, false, s)) return;
  const internal::Tree& tree = internal::TreeOf(model);
  internal::CalcCompositeInertias(tree, s);
  const T mass = MassCenter<T>(model, s).mass;
  for (int k = 0; k < tree.nv; ++k) {
    J.template block<3, 1>(0, k) = internal::ToVector((s.Ic[tree.body[k]] * s.Phi[k]).f) / mass;
  }
}

/// d/dt (m^C u_k − h^C × ω_k), with ḣ^C the linear momentum of the subtree.
template <typename T>
void CalcCenterOfMassJacobianDerivative(const Model& model, Workspace<T>& workspace,
                                        MatrixOut<T> Jdot) {
  auto& s = internal::RequireState(model, workspace, Stage::kVelocity,
                                   "CalcCenterOfMassJacobianDerivative");
  internal::CheckShape(Jdot, 3, model.nv(), "Jdot");
  if (Served<T>(model, {.Jdot = kernels::ViewOf(Jdot)}, true, s)) return;
  const internal::Tree& tree = internal::TreeOf(model);
  internal::CalcCompositeInertias(tree, s);
  for (int b = 0; b < tree.num_bodies; ++b) s.P[b] = s.bodies[b].I * s.bodies[b].V;
  internal::SumOverSubtrees(tree, s.P);
  const T mass = MassCenter<T>(model, s).mass;
  for (int k = 0; k < tree.nv; ++k) {
    const int b = tree.body[k];
    Jdot.template block<3, 1>(0, k) =
        internal::ToVector((s.Ic[b] * s.Phidot[k]).f - Cross(s.P[b].f, s.Phi[k].w)) / mass;
  }
}

template <typename T>
Vector6<T> CalcCentroidalMomentum(const Model& model, Workspace<T>& workspace) {
  auto& s = internal::RequireState(model, workspace, Stage::kVelocity, "CalcCentroidalMomentum");
  Vector6<double> h = Vector6<double>::Zero();
  if (Served<T>(model, {.momentum = h.data()}, true, s)) return h.cast<T>();
  const MassCenter<T> center(model, s);
  Vector6<T> momentum = Vector6<T>::Zero();
  for (int b = 0; b < s.bodies.size(); ++b) {
    momentum += center.About(model, s, b, s.bodies[b].I * s.bodies[b].V);
  }
  return momentum;
}

template <typename T>
void CalcCentroidalMomentumMatrix(const Model& model, Workspace<T>& workspace, MatrixOut<T> A) {
  auto& s =
      internal::RequireState(model, workspace, Stage::kPosition, "CalcCentroidalMomentumMatrix");
  internal::CheckShape(A, 6, model.nv(), "A");
  if (Served<T>(model, {.A = kernels::ViewOf(A)}, false, s)) return;
  SetMomentumMatrix(model, s, A);
}

/// d/dt (I^C Φ_k) about the reference point, moved to the centre of mass, which moves on with ċ.
template <typename T>
void CalcCentroidalMomentumMatrixDerivative(const Model& model, Workspace<T>& workspace,
                                            MatrixOut<T> Adot) {
  auto& s = internal::RequireState(model, workspace, Stage::kVelocity,
                                   "CalcCentroidalMomentumMatrixDerivative");
  internal::CheckShape(Adot, 6, model.nv(), "Adot");
  if (Served<T>(model, {.Adot = kernels::ViewOf(Adot)}, true, s)) return;
  const internal::Tree& tree = internal::TreeOf(model);
  internal::CalcCompositeInertias(tree, s);
  internal::CalcCompositeInertiaRates(tree, s);
  const MassCenter<T> center(model, s);
  V3<T> momentum{};
  for (int b = 0; b < tree.num_bodies; ++b) {
    if (tree.links[b].parent < 0) momentum += s.Idot[b].h;
  }
  const V3<T> velocity = (T(1) / center.mass) * momentum;
  for (int k = 0; k < tree.nv; ++k) {
    const int b = tree.body[k];
    const Force<T> moved{Cross(velocity, (s.Ic[b] * s.Phi[k]).f), {}};
    Adot.template block<6, 1>(0, k) =
        center.About(model, s, b, s.Ic[b] * s.Phidot[k] + s.Idot[b] * s.Phi[k]) -
        internal::ToVector(moved);
  }
}

template <typename T>
void CalcCentroidalMomentumDerivatives(const Model& model, Workspace<T>& workspace,
                                       MatrixOut<T> dh_dq, MatrixOut<T> dh_dv) {
  auto& s = internal::RequireBodies(model, workspace, Stage::kVelocity,
                                    "CalcCentroidalMomentumDerivatives");
  internal::CheckResults(6, model.nv(), dh_dq, "dh_dq", dh_dv, "dh_dv");
  SetMomentumMatrix(model, s, dh_dv);
  const internal::Tree& tree = internal::TreeOf(model);
  s.arguments[0].setZero();
  internal::CalcFlows<T>(tree, s.arguments[0], {}, s);
  for (int b = 0; b < tree.num_bodies; ++b) s.P[b] = s.bodies[b].I * s.bodies[b].V;
  internal::SumOverSubtrees(tree, s.P);
  SetPositionRates<T>(
      model, MassCenter<T>(model, s), s, [&s](int b) { return s.P[b]; },
      [&](int k) { return s.Ic[tree.body[k]] * s.Psidot[k]; }, dh_dq);
}

/// ḣ_G is the sum of the bodies' net forces, which change as in dynamics_derivatives.cc.
template <typename T>
void CalcCentroidalMomentumRateDerivatives(const Model& model, VectorIn<T> vdot,
                                           Workspace<T>& workspace, MatrixOut<T> dhdot_dq,
                                           MatrixOut<T> dhdot_dv, MatrixOut<T> dhdot_dvdot) {
  auto& s = internal::RequireState(model, workspace, Stage::kVelocity,
                                   "CalcCentroidalMomentumRateDerivatives");
  internal::CheckLength(model, vdot, "vdot");
  internal::CheckResults(6, model.nv(), dhdot_dq, "dhdot_dq", dhdot_dv, "dhdot_dv", dhdot_dvdot,
                         "dhdot_dvdot");
  const auto a = internal::KeepArgument<T>(vdot, s.arguments[0], dhdot_dq, dhdot_dv, dhdot_dvdot);
  if constexpr (std::is_same_v<T, double>) {
    if (kernels::CalcCentroidalMomentumRateDerivatives(a.data(), s, dhdot_dq, dhdot_dv,
                                                       dhdot_dvdot)) {
      return;
    }
  }
  const internal::Tree& tree = internal::TreeOf(model);
  internal::UpdateBodies(tree, s);
  SetMomentumMatrix(model, s, dhdot_dvdot);
  for (int b = 0; b < tree.num_bodies; ++b) {
    internal::CalcAccelerationAndFlows<T>(b, tree, a, s);
    const typename Kinematics<T>::Body& body = s.bodies[b];
    s.F[b] = body.I * s.A[b] + CrossForce(body.V, body.I * body.V);
  }
  internal::SumOverSubtrees(tree, s.F);
  internal::CalcFactors(Factorization{}, s);
  internal::SumOverSubtrees(tree, s.B);
  const MassCenter<T> center(model, s);
  SetPositionRates<T>(
      model, center, s, [&s](int b) { return s.F[b]; },
      [&](int k) {
        const int b = tree.body[k];
        return s.Ic[b] * s.Chidot[k] + T(2) * (s.B[b] * s.Psidot[k]);
      },
      dhdot_dq);
  for (int k = 0; k < tree.nv; ++k) {
    const int b = tree.body[k];
    dhdot_dv.col(k) = center.About(
        model, s, b, s.Ic[b] * (s.Phidot[k] + s.Psidot[k]) + T(2) * (s.B[b] * s.Phi[k]));
  }
}

#define CIVITA_INSTANTIATE(T)                                                                     \
  template Vector3<T> CalcCenterOfMass<T>(const Model&, Workspace<T>&);                           \
  template void CalcCenterOfMassJacobian<T>(const Model&, Workspace<T>&, MatrixOut<T>);           \
  template void CalcCenterOfMassJacobianDerivative<T>(const Model&, Workspace<T>&, MatrixOut<T>); \
  template Vector6<T> CalcCentroidalMomentum<T>(const Model&, Workspace<T>&);                     \
  template void CalcCentroidalMomentumMatrix<T>(const Model&, Workspace<T>&, MatrixOut<T>);       \
  template void CalcCentroidalMomentumMatrixDerivative<T>(const Model&, Workspace<T>&,            \
                                                          MatrixOut<T>);                          \
  template void CalcCentroidalMomentumDerivatives<T>(const Model&, Workspace<T>&, MatrixOut<T>,   \
                                                     MatrixOut<T>);                               \
  template void CalcCentroidalMomentumRateDerivatives<T>(                                         \
      const Model&, VectorIn<T>, Workspace<T>&, MatrixOut<T>, MatrixOut<T>, MatrixOut<T>);
CIVITA_FOR_DOUBLE(CIVITA_INSTANTIATE)
#undef CIVITA_INSTANTIATE

}  // namespace civita
