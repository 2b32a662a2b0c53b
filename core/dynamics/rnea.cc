#include "civita/rnea.h"

#include "core/dynamics/internal/external.h"
#include "core/dynamics/internal/newton_euler.h"
#include "core/dynamics/internal/serve.h"
#include "core/model/internal/checks.h"
#include "core/spatial/internal/eigen.h"
#include "core/spatial/internal/scalars.h"

namespace civita {

namespace {

/// Newton–Euler, with gravity as an acceleration of the world: F = I a + ξ×* I ξ of every body, and
/// τ_k = Φ_kᵀ F of the subtree. `own_acceleration(k)` is Φ_k v̇_k.
template <typename T, typename OwnAcceleration>
void CalcForces(const internal::Tree& tree, internal::Scratch<T>& s, VectorOut<T>& tau,
                OwnAcceleration own_acceleration) {
  for (int b = 0; b < tree.num_bodies; ++b) {
    const internal::Link& link = tree.links[b];
    const typename Kinematics<T>::Body& body = s.bodies[b];
    s.A[b] = link.parent < 0 ? internal::WorldAcceleration<T>(tree) : s.A[link.parent];
    for (int k = link.iv; k < link.iv + link.nv; ++k) {
      s.A[b] += s.v[k] * s.Phidot[k] + own_acceleration(k);
    }
    s.F[b] = body.I * s.A[b] + CrossForce(body.V, body.I * body.V);
  }
  internal::ProjectForces(tree, s, tau);
}

}  // namespace

template <typename T>
void internal::CalcNewtonEuler(const Tree& tree, VectorIn<T> vdot, Scratch<T>& s,
                               VectorOut<T> tau) {
  UpdateBodies(tree, s);
  CalcForces(tree, s, tau, [&](int k) { return vdot[k] * s.Phi[k]; });
  for (int k = 0; k < tree.nv; ++k) tau[k] += T(tree.armature[k]) * vdot[k];
}

template <typename T>
void CalcGravityForces(const Model& model, Workspace<T>& workspace, VectorOut<T> g) {
  auto& s = internal::RequireState(model, workspace, Stage::kPosition, "CalcGravityForces");
  internal::CheckLength(model, g, "g");
  if constexpr (std::is_same_v<T, double>) {
    if (kernels::CalcInverseDynamics(nullptr, nullptr, s, g)) return;
  }
  const internal::Tree& tree = internal::TreeOf(model);
  internal::UpdateBodies(tree, s);
  for (int b = 0; b < tree.num_bodies; ++b) {
    s.F[b] = s.bodies[b].I * internal::WorldAcceleration<T>(tree);
  }
  internal::ProjectForces(tree, s, g);
}

template <typename T>
void CalcBiasForces(const Model& model, Workspace<T>& workspace, VectorOut<T> bias) {
  auto& s = internal::RequireState(model, workspace, Stage::kVelocity, "CalcBiasForces");
  internal::CheckLength(model, bias, "bias");
  if constexpr (std::is_same_v<T, double>) {
    if (kernels::CalcInverseDynamics(s.v.data(), nullptr, s, bias)) return;
  }
  internal::UpdateBodies(internal::TreeOf(model), s);
  CalcForces(internal::TreeOf(model), s, bias, [](int) { return Motion<T>{}; });
}

template <typename T>
void CalcInverseDynamics(const Model& model, VectorIn<T> vdot, Workspace<T>& workspace,
                         VectorOut<T> tau, ExternalForces<T> forces) {
  auto& s = internal::RequireState(model, workspace, Stage::kVelocity, "CalcInverseDynamics");
  internal::CheckLength(model, vdot, "vdot", tau, "tau");
  bool done = false;
  if constexpr (std::is_same_v<T, double>) {
    done = kernels::CalcInverseDynamics(s.v.data(), vdot.data(), s, tau);
  }
  if (!done) {
    internal::CalcNewtonEuler<T>(internal::TreeOf(model),
                                 internal::KeepArgument<T>(vdot, s.arguments[0], tau), s, tau);
  }
  internal::AddGeneralizedForces<T>(model, forces, T(-1), s, tau);
}

/// By the bodies' own inertias, in their axes: turning the velocity takes less than the inertia.
template <typename T>
T CalcKineticEnergy(const Model& model, Workspace<T>& workspace) {
  auto& s = internal::RequireState(model, workspace, Stage::kVelocity, "CalcKineticEnergy");
  const internal::Tree& tree = internal::TreeOf(model);
  internal::UpdateMotions(tree, s);
  T twice(0);
  for (int b = 0; b < tree.num_bodies; ++b) {
    const internal::Link& link = tree.links[b];
    const typename Kinematics<T>::Body& body = s.bodies[b];
    const V3<T> w = TransposeTimes(body.R_WB, body.V.w);
    const V3<T> u = PointVelocity(body.V, internal::CenterOf<T>(link, body));
    twice += T(link.mass) * Dot(u, u) + Dot(w, internal::Cast<T>(link.inertia) * w);
  }
  for (int k = 0; k < tree.nv; ++k) twice += T(tree.armature[k]) * s.v[k] * s.v[k];
  return Half(twice);
}

template <typename T>
T CalcPotentialEnergy(const Model& model, Workspace<T>& workspace) {
  auto& s = internal::RequireState(model, workspace, Stage::kPosition, "CalcPotentialEnergy");
  const internal::Tree& tree = internal::TreeOf(model);
  internal::UpdatePoses(tree, s);
  const V3<T> gravity = internal::Cast<T>(tree.gravity);
  T energy(0);
  for (int b = 0; b < tree.num_bodies; ++b) {
    const V3<T> center =
        internal::CenterOf<T>(tree.links[b], s.bodies[b]) + internal::ReferencePoint(model, s, b);
    energy -= T(tree.links[b].mass) * Dot(gravity, center);
  }
  return energy;
}

#define CIVITA_INSTANTIATE(T)                                                                      \
  template void internal::CalcNewtonEuler<T>(const Tree&, VectorIn<T>, Scratch<T>&, VectorOut<T>); \
  template void CalcGravityForces<T>(const Model&, Workspace<T>&, VectorOut<T>);                   \
  template void CalcBiasForces<T>(const Model&, Workspace<T>&, VectorOut<T>);                      \
  template void CalcInverseDynamics<T>(const Model&, VectorIn<T>, Workspace<T>&, VectorOut<T>,     \
                                       ExternalForces<T>);                                         \
  template T CalcKineticEnergy<T>(const Model&, Workspace<T>&);                                    \
  template T CalcPotentialEnergy<T>(const Model&, Workspace<T>&);
CIVITA_FOR_EACH_SCALAR(CIVITA_INSTANTIATE)
#undef CIVITA_INSTANTIATE

}  // namespace civita
