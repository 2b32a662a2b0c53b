#include "civita/dynamics_derivatives.h"

#include <optional>
#include <type_traits>

#include "core/dynamics/internal/external.h"
#include "core/dynamics/internal/factors.h"
#include "core/dynamics/internal/flows.h"
#include "core/dynamics/internal/newton_euler.h"
#include "core/dynamics/internal/serve.h"
#include "core/model/internal/checks.h"
#include "core/spatial/internal/scalars.h"

namespace civita {

namespace {

/// Along coordinate j the motion of the bodies that it moves changes by
///   ∂_j ξ = Φ_j × ξ + ψ̇_j,   ∂_j a = Φ_j × a + ψ̇_j × ξ + ψ̈_j,
///   ∂ξ/∂v_j = Φ_j,   ∂a/∂v_j = Φ_j × ξ + Φ̇_j + ψ̇_j,
/// hence their F = I a + ξ ×* I ξ, with B the Christoffel-consistent factor, by
///   ∂_j F = Φ_j ×* F + I ψ̈_j + 2B ψ̇_j,   ∂F/∂v_j = I (Φ̇_j + ψ̇_j) + 2B Φ_j.
/// That adds up over subtrees. With the sums below the deeper one of i and j,
///   ∂_j τ_i = Φ_iᵀ ((1 − [j ▷ i]) Φ_j ×* F + I ψ̈_j + 2B ψ̇_j),
///   ∂τ_i/∂v_j = Φ_iᵀ (I (Φ̇_j + ψ̇_j) + 2B Φ_j);
/// where j moves i ("j ▷ i"), Φ_i turns along with F and the first term is no more.
template <typename T>
void CalcPlain(const internal::Tree& tree, VectorIn<T> vdot, internal::Scratch<T>& s,
               MatrixOut<T>& dtau_dq, MatrixOut<T>& dtau_dv, MatrixOut<T>& H) {
  internal::CalcNewtonEuler<T>(tree, vdot, s, s.force);  // for A and F; τ is not needed
  internal::CalcFlows<T>(tree, vdot, internal::WorldAcceleration<T>(tree), s);
  internal::CalcCompositeInertias(tree, s);
  internal::CalcFactors(Factorization{}, s);
  internal::SumOverSubtrees(tree, s.B);
  dtau_dq.setZero();
  dtau_dv.setZero();
  H.setZero();
  for (int k = 0; k < tree.nv; ++k) {
    const int b = tree.body[k];
    const Force<T> momentum = s.Ic[b] * s.Phi[k], turned = CrossForce(s.Phi[k], s.F[b]);
    const Force<T> along_q = s.Ic[b] * s.Chidot[k] + T(2) * (s.B[b] * s.Psidot[k]);
    const Force<T> along_v = s.Ic[b] * (s.Phidot[k] + s.Psidot[k]) + T(2) * (s.B[b] * s.Phi[k]);
    const Force<T> Q = T(2) * TransposeTimes(s.B[b], s.Phi[k]);
    for (int i = k; i >= 0; i = tree.parent[i]) {
      H(i, k) = H(k, i) = Dot(s.Phi[i], momentum);
      dtau_dq(k, i) = Dot(s.Chidot[i], momentum) + Dot(s.Psidot[i], Q);
      dtau_dv(k, i) = Dot(s.Phidot[i] + s.Psidot[i], momentum) + Dot(s.Phi[i], Q);
      dtau_dq(i, k) = Dot(s.Phi[i], along_q);
      dtau_dv(i, k) = Dot(s.Phi[i], along_v);
      if (!tree.Moves(k, i)) dtau_dq(i, k) += Dot(s.Phi[i], turned);
    }
    H(k, k) += T(tree.armature[k]);
  }
}

}  // namespace

template <typename T>
void CalcInverseDynamicsDerivatives(const Model& model, VectorIn<T> vdot, Workspace<T>& workspace,
                                    MatrixOut<T> dtau_dq, MatrixOut<T> dtau_dv, MatrixOut<T> H,
                                    ExternalForces<T> forces) {
  auto& scratch =
      internal::RequireState(model, workspace, Stage::kVelocity, "CalcInverseDynamicsDerivatives");
  internal::CheckResults(model.nv(), model.nv(), dtau_dq, "dtau_dq", dtau_dv, "dtau_dv", H, "H");
  internal::CheckLength(model, vdot, "vdot");
  const auto a = internal::KeepArgument<T>(vdot, scratch.arguments[0], dtau_dq, dtau_dv, H);
  bool done = false;
  if constexpr (std::is_same_v<T, double>) {
    done = kernels::CalcInverseDynamicsDerivatives(a.data(), scratch, dtau_dq, dtau_dv, H);
  }
  if (!done) CalcPlain<T>(internal::TreeOf(model), a, scratch, dtau_dq, dtau_dv, H);
  internal::AddGeneralizedForceDerivatives<T>(model, forces, T(-1), scratch, dtau_dq);
}

template <typename T>
Status CalcForwardDynamicsDerivatives(const Model& model, VectorIn<T> vdot, Workspace<T>& workspace,
                                      MassMatrixCholesky<T>& factor, MatrixOut<T> dvdot_dq,
                                      MatrixOut<T> dvdot_dv, MatrixOut<T> dvdot_dtau,
                                      ExternalForces<T> forces) {
  CIVITA_CHECK(factor.model().id() == model.id(), "the factor is that of another model");
  CalcInverseDynamicsDerivatives<T>(model, vdot, workspace, dvdot_dq, dvdot_dv, dvdot_dtau, forces);
  if constexpr (std::is_same_v<T, double>) {
    internal::Scratch<double>& s = internal::Access::scratch(workspace);
    internal::Access::kernels(factor) = s.kernels.kernels();
    const std::optional<bool> is_regular = kernels::CalcForwardDynamicsDerivatives(
        s, internal::Access::rows(factor), internal::Access::diagonal(factor), dvdot_dq, dvdot_dv,
        dvdot_dtau);
    if (is_regular) return *is_regular ? Status::kOk : Status::kSingularMassMatrix;
  }
  if (const Status status = factor.Compute(dvdot_dtau); !status) return status;
  for (MatrixOut<T>* by : {&dvdot_dq, &dvdot_dv}) {  // −H⁻¹ M = −(Mᵀ H⁻¹)ᵀ
    by->transposeInPlace();
    factor.SolveRowsInPlace(*by);
    by->transposeInPlace();
    *by = -*by;
  }
  factor.CalcInverse(dvdot_dtau);
  return Status::kOk;
}

#define CIVITA_INSTANTIATE(T)                                                               \
  template void CalcInverseDynamicsDerivatives<T>(const Model&, VectorIn<T>, Workspace<T>&, \
                                                  MatrixOut<T>, MatrixOut<T>, MatrixOut<T>, \
                                                  ExternalForces<T>);                       \
  template Status CalcForwardDynamicsDerivatives<T>(                                        \
      const Model&, VectorIn<T>, Workspace<T>&, MassMatrixCholesky<T>&, MatrixOut<T>,       \
      MatrixOut<T>, MatrixOut<T>, ExternalForces<T>);
CIVITA_FOR_DOUBLE(CIVITA_INSTANTIATE)
#undef CIVITA_INSTANTIATE

}  // namespace civita
