#include "civita/forward_dynamics.h"

#include <type_traits>

#include "civita/rnea.h"
#include "core/dynamics/internal/external.h"
#include "core/dynamics/internal/serve.h"
#include "core/model/internal/checks.h"
#include "core/spatial/internal/eigen.h"
#include "core/spatial/internal/scalars.h"

namespace civita {

namespace {

template <typename T>
Force<T> ToForce(const Vector6<T>& x) {
  return {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
}

/// Each body alone: I^A = I, bias force F = ξ×* I ξ − external forces, and A = Σ Φ̇_k v_k over its
/// own joint.
template <typename T>
void SetBodies(const internal::Tree& tree, ExternalForces<T> forces, internal::Scratch<T>& s) {
  for (int b = 0; b < tree.num_bodies; ++b) {
    const internal::Link& link = tree.links[b];
    const typename Kinematics<T>::Body& body = s.bodies[b];
    s.articulated[static_cast<size_t>(b)] = internal::ToMatrix(body.I);
    s.F[b] = CrossForce(body.V, body.I * body.V);
    s.A[b] = {};
    for (int k = link.iv; k < link.iv + link.nv; ++k) s.A[b] += s.v[k] * s.Phidot[k];
  }
  internal::ForEachExternalForce(
      tree, forces, s, [&](int b, const V3<T>&, const Force<T>& F) { s.F[b] = s.F[b] - F; });
}

/// From the leaves on, every coordinate is eliminated by itself, as if the body hung on a chain of
/// massless ones. With the force f = I^A a + F on what is below coordinate k and a = a' + Φ_k v̇_k,
///   v̇_k = (τ_k − Φ_kᵀ F)/D − Gᵀ a',   D = Φ_kᵀ I^A Φ_k + armature,   G = I^A Φ_k / D,
///   f = (I^A − D G Gᵀ) a' + F + G (τ_k − Φ_kᵀ F).
/// vdot_k is left at its first term. What remains of I^A and F is the parent's to bear.
template <typename T>
void Eliminate(const internal::Tree& tree, VectorIn<T> tau, internal::Scratch<T>& s,
               VectorOut<T>& vdot) {
  for (int b = tree.num_bodies - 1; b >= 0; --b) {
    const internal::Link& link = tree.links[b];
    Matrix6<T>& I = s.articulated[static_cast<size_t>(b)];
    for (int k = link.iv + link.nv - 1; k >= link.iv; --k) {
      const Vector6<T> Phi = internal::ToVector(s.Phi[k]);
      const Vector6<T> U = I * Phi;
      const T D = Phi.dot(U) + T(tree.armature[k]);
      const Vector6<T> G = U / D;
      const T rest = tau[k] - Dot(s.Phi[k], s.F[b]);
      I.noalias() -= G * U.transpose();
      s.gain[k] = ToForce<T>(G);
      s.F[b] += rest * s.gain[k];
      vdot[k] = rest / D;
    }
    if (link.parent < 0) continue;
    s.articulated[static_cast<size_t>(link.parent)] += I;
    s.F[link.parent] += s.F[b] + ToForce<T>(I * internal::ToVector(s.A[b]));
  }
}

}  // namespace

template <typename T>
void CalcForwardDynamics(const Model& model, VectorIn<T> tau, Workspace<T>& workspace,
                         VectorOut<T> vdot, ExternalForces<T> forces) {
  auto& s = internal::RequireState(model, workspace, Stage::kVelocity, "CalcForwardDynamics");
  internal::CheckLength(model, tau, "tau", vdot, "vdot");
  const internal::Tree& tree = internal::TreeOf(model);
  if constexpr (std::is_same_v<T, double>) {
    internal::CheckBodies<T>(tree, forces);
    if (kernels::CalcForwardDynamics(tau, forces, s, vdot)) return;
  }
  internal::UpdateBodies(tree, s);
  SetBodies<T>(tree, forces, s);
  Eliminate<T>(tree, internal::KeepArgument<T>(tau, s.arguments[0], vdot), s, vdot);
  for (int b = 0; b < tree.num_bodies; ++b) {
    const internal::Link& link = tree.links[b];
    s.A[b] += link.parent < 0 ? internal::WorldAcceleration<T>(tree) : s.A[link.parent];
    for (int k = link.iv; k < link.iv + link.nv; ++k) {
      vdot[k] -= Dot(s.A[b], s.gain[k]);
      s.A[b] += vdot[k] * s.Phi[k];
    }
  }
}

template <typename T>
Status CalcForwardDynamics(const Model& model, VectorIn<T> tau, Workspace<T>& workspace,
                           MassMatrixCholesky<T>& factor, VectorOut<T> vdot,
                           ExternalForces<T> forces) {
  auto& s = internal::RequireState(model, workspace, Stage::kVelocity, "CalcForwardDynamics");
  internal::CheckLength(model, tau, "tau", vdot, "vdot");
  CIVITA_CHECK(factor.model().id() == model.id(), "the factor is that of another model");
  if (const Status status = factor.Compute(workspace); !status) return status;
  CalcBiasForces<T>(model, workspace, s.force);
  vdot = internal::KeepArgument<T>(tau, s.arguments[0], vdot) - s.force;
  internal::AddGeneralizedForces<T>(model, forces, T(1), s, vdot);
  factor.SolveInPlace(vdot);
  return Status::kOk;
}

#define CIVITA_INSTANTIATE(T)                                                                  \
  template void CalcForwardDynamics<T>(const Model&, VectorIn<T>, Workspace<T>&, VectorOut<T>, \
                                       ExternalForces<T>);                                     \
  template Status CalcForwardDynamics<T>(const Model&, VectorIn<T>, Workspace<T>&,             \
                                         MassMatrixCholesky<T>&, VectorOut<T>, ExternalForces<T>);
CIVITA_FOR_DOUBLE(CIVITA_INSTANTIATE)
#undef CIVITA_INSTANTIATE

}  // namespace civita
