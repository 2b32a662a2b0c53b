#include "civita/rnea.h"

#include "core/internal/newton_euler.h"
#include "core/internal/path.h"
#include "core/internal/scalars.h"
#include "core/kernels/serve.h"

namespace civita {

namespace {

/// Newton–Euler forward pass, with gravity as an acceleration of the world: F = I a + ξ×* I ξ.
/// `add_acceleration(k)` gives the coordinate's own part of a besides Φ̇_k v_k.
template <typename T, typename OwnAcceleration>
void CalcNetForces(const Model& model, Workspace<T>& workspace, OwnAcceleration own_acceleration) {
  const Motion<T> world{Vector3<T>::Zero(), -model.gravity().template cast<T>()};
  for (size_t b = 0; b < workspace.bodies.size(); ++b) {
    const Model::Body& body = model.bodies()[b];
    typename Workspace<T>::Body& state = workspace.bodies[b];
    state.A = body.parent < 0 ? world : workspace.bodies[static_cast<size_t>(body.parent)].A;
    for (int k = body.iv; k < body.iv + body.nv; ++k) {
      state.A += workspace.Phidot[static_cast<size_t>(k)] * workspace.v[k] + own_acceleration(k);
    }
    state.F = state.I * state.A + CrossForce(state.V, state.I * state.V);
  }
}

void CheckLength(Eigen::Index size, const Model& model, const char* name) {
  CIVITA_CHECK(size == model.nv(),
               name << " has " << size << " numbers, the model has nv = " << model.nv());
}

}  // namespace

template <typename T>
void internal::CalcNewtonEuler(const Model& model, VectorIn<T> vdot, Workspace<T>& workspace,
                               VectorOut<T> tau) {
  UpdateBodies(model, workspace);
  CalcNetForces(model, workspace,
                [&](int k) { return workspace.Phi[static_cast<size_t>(k)] * vdot[k]; });
  ProjectForces(model, workspace, tau);
  for (int k = 0; k < model.nv(); ++k) tau[k] += T(model.armature()[k]) * vdot[k];
}

template <typename T>
void CalcGravityForces(const Model& model, Workspace<T>& workspace, VectorOut<T> g) {
  internal::CheckStage(workspace, Stage::kPosition, "CalcGravityForces");
  CheckLength(g.size(), model, "g");
  if constexpr (std::is_same_v<T, double>) {
    if (kernels::CalcInverseDynamics(model, nullptr, nullptr, workspace, g)) return;
  }
  internal::UpdateBodies(model, workspace);
  const Motion<T> world{Vector3<T>::Zero(), -model.gravity().template cast<T>()};
  for (typename Workspace<T>::Body& body : workspace.bodies) body.F = body.I * world;
  internal::ProjectForces(model, workspace, g);
}

template <typename T>
void CalcBiasForces(const Model& model, Workspace<T>& workspace, VectorOut<T> bias) {
  internal::CheckStage(workspace, Stage::kVelocity, "CalcBiasForces");
  CheckLength(bias.size(), model, "bias");
  if constexpr (std::is_same_v<T, double>) {
    if (kernels::CalcInverseDynamics(model, workspace.v.data(), nullptr, workspace, bias)) return;
  }
  internal::UpdateBodies(model, workspace);
  CalcNetForces(model, workspace, [](int) { return Motion<T>::Zero(); });
  internal::ProjectForces(model, workspace, bias);
}

template <typename T>
void CalcInverseDynamics(const Model& model, VectorIn<T> vdot, Workspace<T>& workspace,
                         VectorOut<T> tau) {
  internal::CheckStage(workspace, Stage::kVelocity, "CalcInverseDynamics");
  CheckLength(vdot.size(), model, "vdot");
  CheckLength(tau.size(), model, "tau");
  if constexpr (std::is_same_v<T, double>) {
    const double* v = workspace.v.data();
    if (kernels::CalcInverseDynamics(model, v, vdot.data(), workspace, tau)) return;
  }
  internal::CalcNewtonEuler<T>(model, vdot, workspace, tau);
}

template <typename T>
T CalcKineticEnergy(const Model& model, const Workspace<T>& workspace) {
  internal::RequireBodies(model, workspace, Stage::kVelocity, "CalcKineticEnergy");
  T twice(0);
  for (const typename Workspace<T>::Body& body : workspace.bodies) {
    twice += Dot(body.V, body.I * body.V);
  }
  for (int k = 0; k < model.nv(); ++k) {
    twice += T(model.armature()[k]) * workspace.v[k] * workspace.v[k];
  }
  return T(0.5) * twice;
}

template <typename T>
T CalcPotentialEnergy(const Model& model, const Workspace<T>& workspace) {
  internal::RequireBodies(model, workspace, Stage::kPosition, "CalcPotentialEnergy");
  const Vector3<T> gravity = model.gravity().template cast<T>();
  T energy(0);
  for (size_t b = 0; b < workspace.bodies.size(); ++b) {
    const Inertia<T>& I = workspace.bodies[b].I;
    const Vector3<T>& origin = workspace.bodies[static_cast<size_t>(model.bodies()[b].root)].origin;
    energy -= gravity.dot(I.h + I.m * origin);
  }
  return energy;
}

#define CIVITA_INSTANTIATE(T)                                                                   \
  template void internal::CalcNewtonEuler<T>(const Model&, VectorIn<T>, Workspace<T>&,          \
                                             VectorOut<T>);                                     \
  template void CalcGravityForces<T>(const Model&, Workspace<T>&, VectorOut<T>);                \
  template void CalcBiasForces<T>(const Model&, Workspace<T>&, VectorOut<T>);                   \
  template void CalcInverseDynamics<T>(const Model&, VectorIn<T>, Workspace<T>&, VectorOut<T>); \
  template T CalcKineticEnergy<T>(const Model&, const Workspace<T>&);                           \
  template T CalcPotentialEnergy<T>(const Model&, const Workspace<T>&);
CIVITA_FOR_EACH_SCALAR(CIVITA_INSTANTIATE)
#undef CIVITA_INSTANTIATE

}  // namespace civita
