#include "civita/passivity_rnea.h"

#include "core/dynamics/internal/coordinate_injections.h"
#include "core/dynamics/internal/factors.h"
#include "core/dynamics/internal/newton_euler.h"
#include "core/dynamics/internal/serve.h"
#include "core/model/internal/checks.h"
#include "core/spatial/internal/scalars.h"

namespace civita {

namespace {

/// From the motions of CalcReferenceMotions: F = I a + B(ξ) J v_r per body, then τ_k = Φ_kᵀ F of
/// the subtree.
template <typename T>
void ProjectReferenceForces(const internal::Tree& tree, const Factorization& factorization,
                            VectorIn<T> v_r, internal::Scratch<T>& s, VectorOut<T>& tau) {
  internal::CalcFactors(factorization, s);
  for (int b = 0; b < tree.num_bodies; ++b) {
    s.F[b] = s.bodies[b].I * s.A[b] + s.B[b] * s.Vr[b];
  }
  internal::ProjectForces(tree, s, tau);
  internal::AddSkewParts<T>(tree, factorization, s, v_r, T(1), tau);
}

}  // namespace

template <typename T>
void internal::AddSkewParts(const Tree& tree, const Factorization& factorization,
                            const Scratch<T>& s, VectorIn<T> w, T sign, VectorOut<T>& tau) {
  for (int k = 0; k < tree.nv; ++k) {
    if (tree.triple[k] != k) continue;
    const Vector3<T> v3 = s.v.template segment<3>(k), w3 = w.template segment<3>(k);
    tau.template segment<3>(k) += sign * T(0.5 * tree.armature[k]) * Cross(v3, w3);
  }
  AddCoordinateInjectionProducts<T>(factorization, s.q, s.v, w, sign, tau);
}

template <typename T>
void CalcPassivityInverseDynamics(const Model& model, const Factorization& factorization,
                                  VectorIn<T> v_r, VectorIn<T> vdot_r, Workspace<T>& workspace,
                                  VectorOut<T> tau) {
  auto& s =
      internal::RequireState(model, workspace, Stage::kVelocity, "CalcPassivityInverseDynamics");
  internal::CheckLength(model, v_r, "v_r", vdot_r, "vdot_r", tau, "tau");
  factorization.Check(model);
  const internal::Tree& tree = internal::TreeOf(model);
  const auto w = internal::KeepArgument<T>(v_r, s.arguments[0], tau);
  const auto wdot = internal::KeepArgument<T>(vdot_r, s.arguments[1], tau);
  if constexpr (std::is_same_v<T, double>) {
    if (kernels::CalcPassivityInverseDynamics(factorization, w, wdot, s, tau)) {
      internal::AddCoordinateInjectionProducts<T>(factorization, s.q, s.v, w, 1, tau);
      return;
    }
  }
  internal::UpdateBodies(tree, s);
  internal::CalcReferenceMotions<T>(tree, w, internal::WorldAcceleration<T>(tree), s,
                                    [&](int k) { return wdot[k] * s.Phi[k]; });
  ProjectReferenceForces<T>(tree, factorization, w, s, tau);
  for (int k = 0; k < tree.nv; ++k) tau[k] += T(tree.armature[k]) * wdot[k];
}

/// Σ Jᵀ(I J̇ + B J) w.
template <typename T>
void CalcCoriolisProduct(const Model& model, const Factorization& factorization, VectorIn<T> w,
                         Workspace<T>& workspace, VectorOut<T> product) {
  auto& s = internal::RequireBodies(model, workspace, Stage::kVelocity, "CalcCoriolisProduct");
  internal::CheckLength(model, w, "w", product, "product");
  factorization.Check(model);
  const auto x = internal::KeepArgument<T>(w, s.arguments[0], product);
  internal::CalcReferenceMotions<T>(internal::TreeOf(model), x, {}, s,
                                    [](int) { return Motion<T>{}; });
  ProjectReferenceForces<T>(internal::TreeOf(model), factorization, x, s, product);
}

/// From C = Σ Jᵀ(I J̇ + B J): Cᵀw = Σ J̇ᵀ P + Jᵀ Q with the momentum P = I J w and Q = Bᵀ J w, both
/// summed over subtrees.
template <typename T>
void CalcCoriolisTransposeProduct(const Model& model, const Factorization& factorization,
                                  VectorIn<T> w, Workspace<T>& workspace, VectorOut<T> product) {
  auto& s =
      internal::RequireBodies(model, workspace, Stage::kVelocity, "CalcCoriolisTransposeProduct");
  internal::CheckLength(model, w, "w", product, "product");
  factorization.Check(model);
  const internal::Tree& tree = internal::TreeOf(model);
  const auto x = internal::KeepArgument<T>(w, s.arguments[0], product);
  internal::CalcFactors(factorization, s);
  internal::CalcReferenceMotions<T>(tree, x, {}, s, [](int) { return Motion<T>{}; });
  for (int b = 0; b < tree.num_bodies; ++b) {
    s.P[b] = s.bodies[b].I * s.Vr[b];
    s.F[b] = TransposeTimes(s.B[b], s.Vr[b]);
  }
  internal::SumOverSubtrees(tree, s.P);
  internal::ProjectForces(tree, s, product);
  for (int k = 0; k < tree.nv; ++k) product[k] += Dot(s.Phidot[k], s.P[tree.body[k]]);
  internal::AddSkewParts<T>(tree, factorization, s, x, T(-1), product);
}

#define CIVITA_INSTANTIATE(T)                                                                    \
  template void internal::AddSkewParts<T>(const Tree&, const Factorization&, const Scratch<T>&,  \
                                          VectorIn<T>, T, VectorOut<T>&);                        \
  template void CalcPassivityInverseDynamics<T>(const Model&, const Factorization&, VectorIn<T>, \
                                                VectorIn<T>, Workspace<T>&, VectorOut<T>);       \
  template void CalcCoriolisProduct<T>(const Model&, const Factorization&, VectorIn<T>,          \
                                       Workspace<T>&, VectorOut<T>);                             \
  template void CalcCoriolisTransposeProduct<T>(const Model&, const Factorization&, VectorIn<T>, \
                                                Workspace<T>&, VectorOut<T>);
CIVITA_FOR_DOUBLE(CIVITA_INSTANTIATE)
#undef CIVITA_INSTANTIATE

}  // namespace civita
