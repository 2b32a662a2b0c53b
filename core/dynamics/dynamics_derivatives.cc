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
  internal::CalcDerivativePairs<T>(
      tree, s.Ic.data(), s.B.data(), s.F.data(), s.Phi.data(),
      [&s](int k) { return s.Phidot[k] + s.Psidot[k]; }, s.Psidot.data(), s.Chidot.data(), dtau_dq,
      dtau_dv, H);
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
