#include "civita/forward_dynamics.h"

#include "civita/rnea.h"
#include "core/internal/external.h"
#include "core/internal/inertia_matrix.h"
#include "core/internal/path.h"
#include "core/internal/scalars.h"

namespace civita {

namespace {

template <typename T>
Vector6<T> ToVector(const Motion<T>& x) {
  Vector6<T> vector;
  vector << x.w, x.u;
  return vector;
}

template <typename T>
Force<T> ToForce(const Vector6<T>& x) {
  return {x.template head<3>(), x.template tail<3>()};
}

/// Each body alone: I^A = I, bias force F = ξ×* I ξ − external forces, and A = Σ Φ̇_k v_k over its
/// own joint.
template <typename T>
void SetBodies(const Model& model, ExternalForces<T> forces, Workspace<T>& workspace) {
  for (size_t b = 0; b < workspace.bodies.size(); ++b) {
    const Model::Body& body = model.bodies()[b];
    typename Workspace<T>::Body& state = workspace.bodies[b];
    workspace.articulated[b] = internal::ToMatrix(state.I);
    state.F = CrossForce(state.V, state.I * state.V);
    state.A = Motion<T>::Zero();
    for (int k = body.iv; k < body.iv + body.nv; ++k) {
      state.A += workspace.Phidot[static_cast<size_t>(k)] * workspace.v[k];
    }
  }
  internal::ForEachExternalForce(
      model, forces, workspace,
      [](typename Workspace<T>::Body& body, const Force<T>& F) { body.F = body.F - F; });
}

/// From the leaves on, every coordinate is eliminated by itself, as if the body hung on a chain of
/// massless ones. With the force f = I^A a + F on what is below coordinate k and a = a' + Φ_k v̇_k,
///   v̇_k = (τ_k − Φ_kᵀ F)/D − Gᵀ a',   D = Φ_kᵀ I^A Φ_k + armature,   G = I^A Φ_k / D,
///   f = (I^A − D G Gᵀ) a' + F + G (τ_k − Φ_kᵀ F).
/// vdot_k is left at its first term. What remains of I^A and F is the parent's to bear.
template <typename T>
void Eliminate(const Model& model, VectorIn<T> tau, Workspace<T>& workspace, VectorOut<T>& vdot) {
  for (size_t b = workspace.bodies.size(); b-- > 0;) {
    const Model::Body& body = model.bodies()[b];
    Force<T>& F = workspace.bodies[b].F;
    Matrix6<T>& I = workspace.articulated[b];
    for (int k = body.iv + body.nv - 1; k >= body.iv; --k) {
      const Vector6<T> Phi = ToVector(workspace.Phi[static_cast<size_t>(k)]);
      const Vector6<T> U = I * Phi;
      const T D = Phi.dot(U) + T(model.armature()[k]);
      const Vector6<T> G = U / D;
      const T rest = tau[k] - Dot(workspace.Phi[static_cast<size_t>(k)], F);
      I.noalias() -= G * U.transpose();
      F += ToForce<T>(G) * rest;
      workspace.gain[static_cast<size_t>(k)] = ToForce<T>(G);
      vdot[k] = rest / D;
    }
    if (body.parent < 0) continue;
    const size_t parent = static_cast<size_t>(body.parent);
    workspace.articulated[parent] += I;
    workspace.bodies[parent].F += F + ToForce<T>(I * ToVector(workspace.bodies[b].A));
  }
}

}  // namespace

template <typename T>
void CalcForwardDynamics(const Model& model, VectorIn<T> tau, Workspace<T>& workspace,
                         VectorOut<T> vdot, ExternalForces<T> forces) {
  internal::RequireBodies(model, workspace, Stage::kVelocity, "CalcForwardDynamics");
  CIVITA_CHECK(tau.size() == model.nv() && vdot.size() == model.nv(),
               "tau has " << tau.size() << " numbers and vdot " << vdot.size()
                          << ", the model has nv = " << model.nv());
  SetBodies<T>(model, forces, workspace);
  Eliminate<T>(model, tau, workspace, vdot);
  const Motion<T> world{Vector3<T>::Zero(), -model.gravity().template cast<T>()};
  for (size_t b = 0; b < workspace.bodies.size(); ++b) {
    const Model::Body& body = model.bodies()[b];
    Motion<T>& A = workspace.bodies[b].A;
    A += body.parent < 0 ? world : workspace.bodies[static_cast<size_t>(body.parent)].A;
    for (int k = body.iv; k < body.iv + body.nv; ++k) {
      vdot[k] -= Dot(A, workspace.gain[static_cast<size_t>(k)]);
      A += workspace.Phi[static_cast<size_t>(k)] * vdot[k];
    }
  }
}

template <typename T>
bool CalcForwardDynamics(const Model& model, VectorIn<T> tau, Workspace<T>& workspace,
                         MassMatrixCholesky<T>& factor, VectorOut<T> vdot,
                         ExternalForces<T> forces) {
  CIVITA_CHECK(tau.size() == model.nv(),
               "tau has " << tau.size() << " numbers, the model has nv = " << model.nv());
  if (!factor.Compute(workspace)) return false;
  CalcBiasForces<T>(model, workspace, vdot);
  vdot = tau - vdot;
  internal::AddGeneralizedForces<T>(model, forces, T(1), workspace, vdot);
  factor.SolveInPlace(vdot);
  return true;
}

#define CIVITA_INSTANTIATE(T)                                                                  \
  template void CalcForwardDynamics<T>(const Model&, VectorIn<T>, Workspace<T>&, VectorOut<T>, \
                                       ExternalForces<T>);                                     \
  template bool CalcForwardDynamics<T>(const Model&, VectorIn<T>, Workspace<T>&,               \
                                       MassMatrixCholesky<T>&, VectorOut<T>, ExternalForces<T>);
CIVITA_FOR_EACH_SCALAR(CIVITA_INSTANTIATE)
#undef CIVITA_INSTANTIATE

}  // namespace civita
