#include "civita/passivity_rnea.h"

#include <Eigen/Geometry>

#include "core/internal/coriolis_factor.h"
#include "core/internal/newton_euler.h"
#include "core/internal/path.h"
#include "core/internal/scalars.h"
#include "core/kernels/serve.h"

namespace civita {

namespace {

template <typename T>
const typename Workspace<T>::Body* ParentState(const Model::Body& body,
                                               const Workspace<T>& workspace) {
  return body.parent < 0 ? nullptr : &workspace.bodies[static_cast<size_t>(body.parent)];
}

/// V_r = J w of every body.
template <typename T>
void CalcSecondVelocity(const Model& model, VectorIn<T> w, Workspace<T>& workspace) {
  for (size_t b = 0; b < workspace.bodies.size(); ++b) {
    const Model::Body& body = model.bodies()[b];
    const typename Workspace<T>::Body* parent = ParentState(body, workspace);
    Motion<T>& V_r = workspace.bodies[b].Vr;
    V_r = parent == nullptr ? Motion<T>::Zero() : parent->Vr;
    for (int k = body.iv; k < body.iv + body.nv; ++k) {
      V_r += workspace.Phi[static_cast<size_t>(k)] * w[k];
    }
  }
}

template <typename T>
void SetFactors(const Factorization& factorization, Workspace<T>& workspace) {
  if (factorization.has_body_torsion()) {
    internal::SetCoriolisFactors<T, true>(factorization, workspace);
  } else {
    internal::SetCoriolisFactors<T, false>(factorization, workspace);
  }
}

/// Adds `sign` times the joint injection's β·Sᵀ((S v) × (S w)), whose matrix is skew.
template <typename T>
void AddJointInjection(const Model& model, const Factorization& factorization,
                       const Workspace<T>& workspace, VectorIn<T> w, T sign, VectorOut<T>& tau) {
  if (!factorization.joint_injection) return;
  const Eigen::Matrix3Xd& S = factorization.joint_injection->S;
  Vector3<T> Sv = Vector3<T>::Zero(), Sw = Vector3<T>::Zero();
  for (int k = 0; k < model.nv(); ++k) {
    Sv += S.col(k).template cast<T>() * workspace.v[k];
    Sw += S.col(k).template cast<T>() * w[k];
  }
  const Vector3<T> product = sign * T(factorization.joint_injection->beta) * Sv.cross(Sw);
  for (int k = 0; k < model.nv(); ++k) tau[k] += product.dot(S.col(k).template cast<T>());
}

/// Adds `sign` times the part of C w that no body holds: the armature's ½a (v × w) of rotations
/// that do not commute, and the joint injection. Both matrices are skew.
template <typename T>
void AddSkewParts(const Model& model, const Factorization& factorization,
                  const Workspace<T>& workspace, VectorIn<T> w, T sign, VectorOut<T>& tau) {
  for (int k = 0; k < model.nv(); ++k) {
    if (model.rotation_triple(k) != k) continue;
    const Vector3<T> v3 = workspace.v.template segment<3>(k);
    const Vector3<T> w3 = w.template segment<3>(k);
    tau.template segment<3>(k) += sign * T(0.5 * model.armature()[k]) * v3.cross(w3);
  }
  AddJointInjection(model, factorization, workspace, w, sign, tau);
}

template <typename T>
void CheckArguments(const Model& model, const Factorization& factorization,
                    const Workspace<T>& workspace, Eigen::Index w, Eigen::Index out,
                    const char* function) {
  internal::CheckStage(workspace, Stage::kVelocity, function);
  CIVITA_CHECK(
      w == model.nv() && out == model.nv(),
      function << ": " << w << " and " << out << " numbers, the model has nv = " << model.nv());
  factorization.Check(model);
}

/// C v_r and what accelerations add: per body a = J̇ v_r + J v̇_r + the world's and
/// F = I a + B(ξ) J v_r, then τ_k = Φ_kᵀ F of the subtree. `own_acceleration(k)` is Φ_k v̇_r,k.
template <typename T, typename OwnAcceleration>
void CalcForces(const Model& model, const Factorization& factorization, VectorIn<T> v_r,
                const Motion<T>& world, Workspace<T>& workspace, VectorOut<T>& tau,
                OwnAcceleration own_acceleration) {
  internal::UpdateBodies(model, workspace);
  SetFactors(factorization, workspace);
  CalcSecondVelocity(model, v_r, workspace);
  const bool torsion = factorization.has_body_torsion();
  for (size_t b = 0; b < workspace.bodies.size(); ++b) {
    const Model::Body& body = model.bodies()[b];
    typename Workspace<T>::Body& state = workspace.bodies[b];
    const typename Workspace<T>::Body* parent = ParentState(body, workspace);
    state.A = parent == nullptr ? world : parent->A;
    for (int k = body.iv; k < body.iv + body.nv; ++k) {
      state.A += workspace.Phidot[static_cast<size_t>(k)] * v_r[k] + own_acceleration(k);
    }
    state.F = state.I * state.A + state.Bc * state.Vr;
    if (torsion) state.F += state.Dc * state.Vr;
    if (!factorization.admissible()) {
      state.F += state.I * (Cross(state.V, state.Vr) * T(factorization.alpha));
    }
  }
  internal::ProjectForces(model, workspace, tau);
  AddSkewParts(model, factorization, workspace, v_r, T(1), tau);
}

}  // namespace

template <typename T>
void internal::CalcPassivityNewtonEuler(const Model& model, const Factorization& factorization,
                                        VectorIn<T> v_r, VectorIn<T> vdot_r,
                                        Workspace<T>& workspace, VectorOut<T> tau) {
  const Motion<T> world{Vector3<T>::Zero(), -model.gravity().template cast<T>()};
  CalcForces<T>(model, factorization, v_r, world, workspace, tau,
                [&](int k) { return workspace.Phi[static_cast<size_t>(k)] * vdot_r[k]; });
  for (int k = 0; k < model.nv(); ++k) tau[k] += T(model.armature()[k]) * vdot_r[k];
}

template <typename T>
void CalcPassivityInverseDynamics(const Model& model, const Factorization& factorization,
                                  VectorIn<T> v_r, VectorIn<T> vdot_r, Workspace<T>& workspace,
                                  VectorOut<T> tau) {
  CheckArguments(model, factorization, workspace, v_r.size(), tau.size(),
                 "CalcPassivityInverseDynamics");
  CIVITA_CHECK(vdot_r.size() == model.nv(), "vdot_r has " << vdot_r.size() << " numbers");
  if constexpr (std::is_same_v<T, double>) {
    if (factorization.admissible() && factorization.body_injections.empty() &&
        kernels::CalcPassivityInverseDynamics(model, factorization.t, v_r, vdot_r, workspace,
                                              tau)) {
      AddJointInjection(model, factorization, workspace, v_r, T(1), tau);
      return;
    }
  }
  internal::CalcPassivityNewtonEuler<T>(model, factorization, v_r, vdot_r, workspace, tau);
}

template <typename T>
void CalcCoriolisProduct(const Model& model, const Factorization& factorization, VectorIn<T> w,
                         Workspace<T>& workspace, VectorOut<T> product) {
  CheckArguments(model, factorization, workspace, w.size(), product.size(), "CalcCoriolisProduct");
  CalcForces<T>(model, factorization, w, Motion<T>::Zero(), workspace, product,
                [](int) { return Motion<T>::Zero(); });
}

/// From C = Σ Jᵀ(I J̇ + B J): Cᵀw = Σ J̇ᵀ P + Jᵀ Q with the momentum P = I J w and Q = Bᵀ J w, both
/// summed over subtrees.
template <typename T>
void CalcCoriolisTransposeProduct(const Model& model, const Factorization& factorization,
                                  VectorIn<T> w, Workspace<T>& workspace, VectorOut<T> product) {
  CheckArguments(model, factorization, workspace, w.size(), product.size(),
                 "CalcCoriolisTransposeProduct");
  internal::UpdateBodies(model, workspace);
  using Body = typename Workspace<T>::Body;
  SetFactors(factorization, workspace);
  CalcSecondVelocity(model, w, workspace);
  const bool torsion = factorization.has_body_torsion();
  for (Body& body : workspace.bodies) {
    body.P = body.I * body.Vr;
    body.F = body.Bc.TransposeTimes(body.Vr);
    if (torsion) body.F = body.F - body.Dc * body.Vr;
    if (!factorization.admissible()) {  // (I(ξ×))ᵀ = −(ξ×*)I
      body.F = body.F - CrossForce(body.V, body.P) * T(factorization.alpha);
    }
  }
  internal::SumOverSubtrees(model, workspace,
                            [](Body& parent, const Body& body) { parent.P += body.P; });
  internal::ProjectForces(model, workspace, product);
  for (size_t b = 0; b < workspace.bodies.size(); ++b) {
    const Model::Body& body = model.bodies()[b];
    for (int k = body.iv; k < body.iv + body.nv; ++k) {
      product[k] += Dot(workspace.Phidot[static_cast<size_t>(k)], workspace.bodies[b].P);
    }
  }
  AddSkewParts(model, factorization, workspace, w, T(-1), product);
}

#define CIVITA_INSTANTIATE(T)                                                                     \
  template void internal::CalcPassivityNewtonEuler<T>(                                            \
      const Model&, const Factorization&, VectorIn<T>, VectorIn<T>, Workspace<T>&, VectorOut<T>); \
  template void CalcPassivityInverseDynamics<T>(const Model&, const Factorization&, VectorIn<T>,  \
                                                VectorIn<T>, Workspace<T>&, VectorOut<T>);        \
  template void CalcCoriolisProduct<T>(const Model&, const Factorization&, VectorIn<T>,           \
                                       Workspace<T>&, VectorOut<T>);                              \
  template void CalcCoriolisTransposeProduct<T>(const Model&, const Factorization&, VectorIn<T>,  \
                                                Workspace<T>&, VectorOut<T>);
CIVITA_FOR_EACH_SCALAR(CIVITA_INSTANTIATE)
#undef CIVITA_INSTANTIATE

}  // namespace civita
