#include <algorithm>

#include "civita/dynamics_derivatives.h"
#include "civita/manifold.h"
#include "core/dynamics/internal/coordinate_injections.h"
#include "core/dynamics/internal/factors.h"
#include "core/dynamics/internal/flows.h"
#include "core/dynamics/internal/newton_euler.h"
#include "core/dynamics/internal/serve.h"
#include "core/model/internal/checks.h"
#include "core/spatial/internal/scalars.h"

namespace civita {

namespace {

/// The bodies' part of the derivatives of H v̇_r + C v_r + g, `world` the acceleration that stands
/// for g. With ξ = J v, η = J v_r, a = J v̇_r + J̇ v_r and the factor B = B° + D, B° the
/// Christoffel-consistent one, a body's F is I a + B(ξ) η. Along coordinate j the motion of the
/// bodies that it moves changes by
///   ∂_j ξ = Φ_j × ξ + ψ̇_j,   ∂_j η = Φ_j × η + χ_j,   ∂_j a = Φ_j × a + ψ̇_j × η + χ̇_j,
///   ∂ξ/∂v_j = Φ_j,   ∂a/∂v_j = Φ_j × η + χ_j.
/// B° is torsion-free and D(x) x = 0, B(x) y = B₋(y) x + I (y × x) with B₋ = B° − D, hence
///   ∂_j F = Φ_j ×* F + I χ̇_j + B₋(η) ψ̇_j + B(ξ) χ_j,   ∂F/∂v_j = I χ_j + B₋(η) Φ_j.
/// They add up over subtrees as in dynamics_derivatives.cc, whose ∂τ/∂v is this one's at v_r = v
/// and C.
template <typename T>
void CalcPlainOfBodies(const internal::Tree& tree, const Factorization& factorization,
                       VectorIn<T> v_r, VectorIn<T> vdot_r, const Motion<T>& world,
                       internal::Scratch<T>& s, MatrixOut<T>& dtau_dq, MatrixOut<T>& dtau_dv) {
  internal::UpdateBodies(tree, s);
  internal::CalcReferenceMotions<T>(tree, v_r, world, s,
                                    [&](int k) { return vdot_r[k] * s.Phi[k]; });
  const auto twist_r = [&s](int b) -> const Motion<T>& { return s.Vr[b]; };
  internal::CalcFlows<T>(tree, v_r, vdot_r, world, twist_r, s);
  internal::CalcFactors(factorization, s);
  internal::CalcFactors<T>(factorization, T(-1), s, twist_r, s.Br);
  for (int b = 0; b < tree.num_bodies; ++b) {
    s.F[b] = s.bodies[b].I * s.A[b] + s.B[b] * s.Vr[b];
  }
  internal::SumOverSubtrees(tree, s.F);
  internal::SumOverSubtrees(tree, s.B);
  internal::SumOverSubtrees(tree, s.Br);
  internal::CalcCompositeInertias(tree, s);
  dtau_dq.setZero();
  dtau_dv.setZero();
  for (int k = 0; k < tree.nv; ++k) {
    const int b = tree.body[k];
    const Force<T> momentum = s.Ic[b] * s.Phi[k], turned = CrossForce(s.Phi[k], s.F[b]);
    const Force<T> along_q = s.Ic[b] * s.Chidot[k] + s.Br[b] * s.Psidot[k] + s.B[b] * s.Chi[k];
    const Force<T> along_v = s.Ic[b] * s.Chi[k] + s.Br[b] * s.Phi[k];
    const Force<T> Q = TransposeTimes(s.B[b], s.Phi[k]), Qr = TransposeTimes(s.Br[b], s.Phi[k]);
    for (int i = k; i >= 0; i = tree.parent[i]) {
      dtau_dq(k, i) = Dot(s.Chidot[i], momentum) + Dot(s.Psidot[i], Qr) + Dot(s.Chi[i], Q);
      dtau_dv(k, i) = Dot(s.Chi[i], momentum) + Dot(s.Phi[i], Qr);
      dtau_dq(i, k) = Dot(s.Phi[i], along_q);
      dtau_dv(i, k) = Dot(s.Phi[i], along_v);
      if (!tree.Moves(k, i)) dtau_dq(i, k) += Dot(s.Phi[i], turned);
    }
  }
}

/// The part by v that no body holds: both terms are skew in v and v_r, ½a (v × v_r) of armature and
/// the injections on coordinates.
template <typename T>
void AddSkewDerivatives(const internal::Tree& tree, const Factorization& factorization,
                        const internal::Scratch<T>& s, VectorIn<T> v_r, MatrixOut<T>& dtau_dv) {
  for (int k = 0; k < tree.nv; ++k) {
    if (tree.triple[k] != k) continue;
    dtau_dv.template block<3, 3>(k, k) -=
        T(0.5 * tree.armature[k]) * Skew<T>(Vector3<T>(v_r.template segment<3>(k)));
  }
  internal::AddCoordinateInjections<T>(factorization, s.q, v_r, T(-1), dtau_dv);
}

/// Rates of β along all coordinates, by central differences, into s.force.
void CalcCoefficientRates(const Model& model, const Coefficient& beta,
                          internal::Scratch<double>& s) {
  constexpr double kStep = 6e-6;  // cube root of the rounding, which the error is then as small as
  Eigen::VectorXd &rates = s.force, &unit = s.arguments[2];
  unit.setZero();
  for (int j = 0; j < model.nv(); ++j) {
    unit[j] = 1;
    IntegratePosition<double>(model, s.q, unit, kStep, s.position);
    rates[j] = beta.At(s.position);
    IntegratePosition<double>(model, s.q, unit, -kStep, s.position);
    rates[j] = (rates[j] - beta.At(s.position)) / (2 * kStep);
    unit[j] = 0;
  }
}

/// The part by q of coefficients that are functions of it: what C v_r is per unit of β times the
/// rates of β. Functions are for double alone.
[[maybe_unused]] void AddCoefficientDerivatives(const Model& model,
                                                const Factorization& factorization,
                                                VectorIn<double> v_r, internal::Scratch<double>& s,
                                                MatrixOut<double>& dtau_dq) {
  const internal::Tree& tree = internal::TreeOf(model);
  if (!factorization.body_injections.empty()) {
    internal::UpdateBodies(tree, s);
    internal::CalcReferenceMotions<double>(tree, v_r, {}, s, [](int) { return Motion<double>{}; });
  }
  const auto add = [&](int row, double per_beta) {
    dtau_dq.row(row) += per_beta * s.force.transpose();
  };
  for (const Factorization::BodyInjection& injection : factorization.body_injections) {
    if (injection.beta.is_number()) continue;
    CalcCoefficientRates(model, injection.beta, s);
    const auto& body = s.bodies[injection.body];
    const V3<double> p = internal::PointFromReference<double>(body, injection.point);
    const Force<double> F =
        internal::CalcInjection<double>(injection, 1, p, body.V) * s.Vr[injection.body];
    for (int k = tree.LastCoordinate(injection.body); k >= 0; k = tree.parent[k]) {
      add(k, Dot(s.Phi[k], F));
    }
  }
  for (const Factorization::JointInjection& injection : factorization.joint_injections) {
    if (injection.beta.is_number()) continue;
    CalcCoefficientRates(model, injection.beta, s);
    const Eigen::Matrix3Xd& S = injection.S;
    Eigen::Vector3d Sv = Eigen::Vector3d::Zero(), Sw = Sv;
    for (int k = 0; k < tree.nv; ++k) {
      Sv += S.col(k) * s.v[k];
      Sw += S.col(k) * v_r[k];
    }
    const Eigen::Vector3d product = Cross<double>(Sv, Sw);
    for (int k = 0; k < tree.nv; ++k) add(k, S.col(k).dot(product));
  }
  for (const Factorization::ThreeForm& form : factorization.three_forms) {
    for (const auto& [i, j, k, omega] : form.components) {
      if (omega.is_number()) continue;
      CalcCoefficientRates(model, omega, s);
      add(i, s.v[j] * v_r[k] - s.v[k] * v_r[j]);
      add(j, s.v[k] * v_r[i] - s.v[i] * v_r[k]);
      add(k, s.v[i] * v_r[j] - s.v[j] * v_r[i]);
    }
  }
}

[[maybe_unused]] bool HasFunctions(const Factorization& factorization) {
  const auto is_function = [](const auto& injection) { return !injection.beta.is_number(); };
  return std::ranges::any_of(factorization.body_injections, is_function) ||
         std::ranges::any_of(factorization.joint_injections, is_function) ||
         std::ranges::any_of(factorization.three_forms, [](const Factorization::ThreeForm& form) {
           return std::ranges::any_of(
               form.components, [](const auto& component) { return !component.omega.is_number(); });
         });
}

/// Of both functions; without gravity for C w.
template <typename T>
void CalcReferenceDerivatives(const Model& model, const Factorization& factorization,
                              VectorIn<T> v_r, VectorIn<T> vdot_r, bool has_gravity,
                              internal::Scratch<T>& s, MatrixOut<T>& dtau_dq,
                              MatrixOut<T>& dtau_dv) {
  const internal::Tree& tree = internal::TreeOf(model);
  bool done = false;
  if constexpr (std::is_same_v<T, double>) {
    done = kernels::CalcPassivityDerivatives(factorization, v_r, vdot_r, has_gravity, s, dtau_dq,
                                             dtau_dv);
  }
  if (!done) {
    CalcPlainOfBodies<T>(tree, factorization, v_r, vdot_r,
                         has_gravity ? internal::WorldAcceleration<T>(tree) : Motion<T>{}, s,
                         dtau_dq, dtau_dv);
  }
  AddSkewDerivatives<T>(tree, factorization, s, v_r, dtau_dv);
  if constexpr (std::is_same_v<T, double>) {
    if (!HasFunctions(factorization)) return;
    AddCoefficientDerivatives(model, factorization, v_r, s, dtau_dq);
  }
}

}  // namespace

template <typename T>
void CalcPassivityInverseDynamicsDerivatives(const Model& model, const Factorization& factorization,
                                             VectorIn<T> v_r, VectorIn<T> vdot_r,
                                             Workspace<T>& workspace, MatrixOut<T> dtau_dq,
                                             MatrixOut<T> dtau_dv) {
  auto& s = internal::RequireState(model, workspace, Stage::kVelocity,
                                   "CalcPassivityInverseDynamicsDerivatives");
  internal::CheckResults(model.nv(), model.nv(), dtau_dq, "dtau_dq", dtau_dv, "dtau_dv");
  internal::CheckLength(model, v_r, "v_r", vdot_r, "vdot_r");
  factorization.Check(model);
  const auto w = internal::KeepArgument<T>(v_r, s.arguments[0], dtau_dq, dtau_dv);
  const auto wdot = internal::KeepArgument<T>(vdot_r, s.arguments[1], dtau_dq, dtau_dv);
  CalcReferenceDerivatives<T>(model, factorization, w, wdot, true, s, dtau_dq, dtau_dv);
}

template <typename T>
void CalcCoriolisProductDerivatives(const Model& model, const Factorization& factorization,
                                    VectorIn<T> w, Workspace<T>& workspace, MatrixOut<T> dCw_dq,
                                    MatrixOut<T> dCw_dv) {
  auto& s =
      internal::RequireState(model, workspace, Stage::kVelocity, "CalcCoriolisProductDerivatives");
  internal::CheckResults(model.nv(), model.nv(), dCw_dq, "dCw_dq", dCw_dv, "dCw_dv");
  internal::CheckLength(model, w, "w");
  factorization.Check(model);
  const auto x = internal::KeepArgument<T>(w, s.arguments[0], dCw_dq, dCw_dv);
  s.arguments[1].setZero();
  CalcReferenceDerivatives<T>(model, factorization, x, s.arguments[1], false, s, dCw_dq, dCw_dv);
}

#define CIVITA_INSTANTIATE(T)                                                                      \
  template void CalcPassivityInverseDynamicsDerivatives<T>(                                        \
      const Model&, const Factorization&, VectorIn<T>, VectorIn<T>, Workspace<T>&, MatrixOut<T>,   \
      MatrixOut<T>);                                                                               \
  template void CalcCoriolisProductDerivatives<T>(const Model&, const Factorization&, VectorIn<T>, \
                                                  Workspace<T>&, MatrixOut<T>, MatrixOut<T>);
CIVITA_FOR_DOUBLE(CIVITA_INSTANTIATE)
#undef CIVITA_INSTANTIATE

}  // namespace civita
