#include "civita/space_dynamics.h"

#include <algorithm>

#include "civita/christoffel.h"
#include "civita/coriolis.h"
#include "civita/error.h"
#include "civita/forward_dynamics.h"
#include "civita/mass_matrix.h"
#include "civita/passivity_rnea.h"
#include "civita/regressor.h"
#include "civita/rnea.h"
#include "core/dynamics/internal/map_products.h"
#include "core/model/internal/checks.h"
#include "core/space/internal/reduce.h"
#include "core/spatial/internal/scalars.h"
#include "core/spatial/internal/small_dense.h"

namespace civita {

template <typename T>
void CalcMassMatrix(const VelocitySpace& model, SpaceWorkspace<T>& workspace, MatrixOut<T> H) {
  auto& s = internal::RequireSpace<T>(model, workspace, Stage::kPosition, "CalcMassMatrix");
  if (model.is_tree()) return CalcMassMatrix<T>(model.tree(), s.tree, H);
  CalcMassMatrix<T>(model.tree(), s.tree, s.H);
  ChangeMassMatrix<T>(s.map, s.H, s.products, H);
}

template <typename T>
Status CalcMassMatrixInverse(const VelocitySpace& model, SpaceWorkspace<T>& workspace,
                             MatrixOut<T> H_inverse) {
  auto& s = internal::RequireSpace<T>(model, workspace, Stage::kPosition, "CalcMassMatrixInverse");
  internal::CheckShape(H_inverse, model.nw(), model.nw(), "H_inverse");
  if (model.is_tree()) {
    if (const Status status = s.tree_factor->Compute(s.tree); !status) return status;
    s.tree_factor->CalcInverse(H_inverse);
    return Status::kOk;
  }
  CalcMassMatrix<T>(model, workspace, s.H_w);
  if (!internal::FactorCholesky<T>(s.H_w)) return Status::kSingularMassMatrix;
  H_inverse.setIdentity();
  internal::SolveCholeskyInPlace<T>(s.H_w, H_inverse);
  return Status::kOk;
}

template <typename T>
void CalcMassMatrixDerivative(const VelocitySpace& model, SpaceWorkspace<T>& workspace,
                              MatrixOut<T> Hdot) {
  auto& s =
      internal::RequireSpace<T>(model, workspace, Stage::kVelocity, "CalcMassMatrixDerivative");
  if (model.is_tree()) return CalcMassMatrixDerivative<T>(model.tree(), s.tree, Hdot);
  CalcMassMatrix<T>(model.tree(), s.tree, s.H);
  CalcMassMatrixDerivative<T>(model.tree(), s.tree, s.C);
  ChangeMassMatrixRate<T>(s.map, s.H, s.C, s.products, Hdot);
}

template <typename T>
void CalcCoriolisMatrix(const VelocitySpace& model, const Factorization& factorization,
                        SpaceWorkspace<T>& workspace, CoriolisOut<T> out) {
  auto& [by_name, C, H] = out;
  auto& s = internal::RequireSpace<T>(model, workspace, Stage::kVelocity, "CalcCoriolisMatrix");
  if (model.is_tree()) {
    return CalcCoriolisMatrix<T>(model.tree(), factorization, s.tree, {.C = C, .H = H});
  }
  internal::CheckResults(model.nw(), model.nw(), C, "C", H, "H");
  CalcCoriolisMatrix<T>(model.tree(), factorization, s.tree, {.C = s.C, .H = s.H});
  ChangeCoriolisMatrix<T>(s.map, {.C = s.C, .H = s.H}, s.products, C);
  ChangeMassMatrix<T>(s.map, s.H, s.products, H);
}

template <typename T>
void CalcChristoffelSymbols(const VelocitySpace& model, SpaceWorkspace<T>& workspace,
                            std::span<std::type_identity_t<T>> tree_Gamma,
                            std::span<std::type_identity_t<T>> Gamma) {
  auto& s = internal::RequireSpace<T>(model, workspace, Stage::kPosition, "CalcChristoffelSymbols");
  const int nw = model.nw();
  CIVITA_CHECK(Gamma.size() == ChristoffelIndex(nw, 0, 0, nw),
               "Gamma has " << Gamma.size() << " numbers, the model has nw = " << nw);
  const auto vector = [](std::span<T> x) {
    return Eigen::Map<const VectorX<T>>(x.data(), static_cast<Eigen::Index>(x.size()));
  };
  internal::CheckApart(vector(Gamma), "Gamma", vector(tree_Gamma), "tree_Gamma");
  CalcChristoffelSymbols<T>(model.tree(), s.tree, tree_Gamma);
  if (model.is_tree()) {
    std::copy(tree_Gamma.begin(), tree_Gamma.end(), Gamma.begin());
    return;
  }
  CalcMassMatrix<T>(model.tree(), s.tree, s.H);
  for (int b = 0; b < nw; ++b) {
    internal::CalcMapRate<T>(model, b, s);
    Contract<T>(tree_Gamma, s.map.A.col(b), s.C);
    const Eigen::OuterStride<> stride(static_cast<Eigen::Index>(nw) * nw);
    T* first = &Gamma[ChristoffelIndex(nw, 0, b, 0)];
    const Eigen::Map<MatrixX<T>, 0, Eigen::OuterStride<>> slice(first, nw, nw, stride);
    const Eigen::Ref<const MatrixX<T>> C = s.C;
    internal::CalcCongruence<T>(s.map.support.get(), s.map.A, &s.dA, 1, &C, s.H, s.products, slice);
  }
}

template <typename T>
void CalcGravityForces(const VelocitySpace& model, SpaceWorkspace<T>& workspace, VectorOut<T> g) {
  internal::ReduceForces<T, CalcGravityForces<T>>(model, workspace, Stage::kPosition,
                                                  "CalcGravityForces", g);
}

template <typename T>
void CalcGeneralizedForces(const VelocitySpace& model, ExternalForces<T> forces,
                           SpaceWorkspace<T>& workspace, VectorOut<T> tau) {
  internal::ReduceForces<T>(model, workspace, Stage::kPosition, "CalcGeneralizedForces", tau,
                            [&](Workspace<T>& tree, VectorOut<T>& tau_v) {
                              CalcGeneralizedForces<T>(model.tree(), forces, tree, tau_v);
                            });
}

template <typename T>
void CalcInverseDynamics(const VelocitySpace& model, VectorIn<T> wdot, SpaceWorkspace<T>& workspace,
                         VectorOut<T> tau, ExternalForces<T> forces) {
  auto& s = internal::RequireSpace<T>(model, workspace, Stage::kVelocity, "CalcInverseDynamics");
  if (model.is_tree()) return CalcInverseDynamics<T>(model.tree(), wdot, s.tree, tau, forces);
  ChangeAcceleration<T>(s.map, s.w, wdot, s.vdot);
  CalcInverseDynamics<T>(model.tree(), s.vdot, s.tree, s.force, forces);
  ChangeForces<T>(s.map, s.force, tau);
}

template <typename T>
void CalcBiasForces(const VelocitySpace& model, SpaceWorkspace<T>& workspace, VectorOut<T> bias) {
  auto& s = internal::RequireSpace<T>(model, workspace, Stage::kVelocity, "CalcBiasForces");
  if (model.is_tree()) return CalcBiasForces<T>(model.tree(), s.tree, bias);
  s.x_w.setZero();
  CalcInverseDynamics<T>(model, s.x_w, workspace, bias);
}

template <typename T>
Status CalcForwardDynamics(const VelocitySpace& model, VectorIn<T> tau,
                           SpaceWorkspace<T>& workspace, VectorOut<T> wdot,
                           ExternalForces<T> forces) {
  auto& s = internal::RequireSpace<T>(model, workspace, Stage::kVelocity, "CalcForwardDynamics");
  internal::CheckShape(tau, model.nw(), 1, "tau");
  internal::CheckShape(wdot, model.nw(), 1, "wdot");
  if (model.is_tree()) {
    return CalcForwardDynamics<T>(model.tree(), tau, s.tree, *s.tree_factor, wdot, forces);
  }
  CalcMassMatrix<T>(model, workspace, s.H_w);
  if (!internal::FactorCholesky<T>(s.H_w)) return Status::kSingularMassMatrix;
  s.x_w.setZero();
  CalcInverseDynamics<T>(model, s.x_w, workspace, s.x_w, forces);
  s.x_w = tau - s.x_w;
  internal::SolveCholeskyInPlace<T>(s.H_w, s.x_w);
  wdot = s.x_w;
  return Status::kOk;
}

template <typename T>
void CalcPassivityInverseDynamics(const VelocitySpace& model, const Factorization& factorization,
                                  VectorIn<T> w_r, VectorIn<T> wdot_r, SpaceWorkspace<T>& workspace,
                                  VectorOut<T> tau) {
  internal::ReduceForcesAt<T>(
      model, w_r, wdot_r, workspace, "CalcPassivityInverseDynamics", tau,
      [&](Workspace<T>& tree, VectorIn<T> v_r, VectorIn<T> vdot_r, VectorOut<T>& tau_v) {
        CalcPassivityInverseDynamics<T>(model.tree(), factorization, v_r, vdot_r, tree, tau_v);
      });
}

template <typename T>
void CalcCoriolisProduct(const VelocitySpace& model, const Factorization& factorization,
                         VectorIn<T> x, SpaceWorkspace<T>& workspace, VectorOut<T> product) {
  auto& s = internal::RequireSpace<T>(model, workspace, Stage::kVelocity, "CalcCoriolisProduct");
  if (model.is_tree())
    return CalcCoriolisProduct<T>(model.tree(), factorization, x, s.tree, product);
  ChangeVelocity<T>(s.map, x, s.v_r);
  s.x_w.setZero();
  ChangeAcceleration<T>(s.map, x, s.x_w, s.vdot);
  CalcCoriolisProduct<T>(model.tree(), factorization, s.v_r, s.tree, s.force);
  CalcMassMatrix<T>(model.tree(), s.tree, s.H);
  s.force.noalias() += s.H * s.vdot;
  ChangeForces<T>(s.map, s.force, product);
}

template <typename T>
void CalcCoriolisTransposeProduct(const VelocitySpace& model, const Factorization& factorization,
                                  VectorIn<T> x, SpaceWorkspace<T>& workspace,
                                  VectorOut<T> product) {
  auto& s =
      internal::RequireSpace<T>(model, workspace, Stage::kVelocity, "CalcCoriolisTransposeProduct");
  if (model.is_tree())
    return CalcCoriolisTransposeProduct<T>(model.tree(), factorization, x, s.tree, product);
  ChangeVelocity<T>(s.map, x, s.v_r);
  CalcCoriolisTransposeProduct<T>(model.tree(), factorization, s.v_r, s.tree, s.force);
  CalcMassMatrix<T>(model.tree(), s.tree, s.H);
  s.vdot.noalias() = s.H * s.v_r;
  ChangeMomentumRate<T>(s.map, s.vdot, s.force, product);
}

template <typename T>
void CalcRegressor(const VelocitySpace& model, const Factorization& factorization,
                   std::span<const Model::NamedFrame> frames, VectorIn<T> w_r, VectorIn<T> wdot_r,
                   SpaceWorkspace<T>& workspace, MatrixOut<T> tree_Y, MatrixOut<T> Y,
                   VectorOut<T> y_0) {
  auto& s = internal::RequireSpace<T>(model, workspace, Stage::kVelocity, "CalcRegressor");
  internal::CheckShape(Y, model.nw(), tree_Y.cols(), "Y");
  internal::CheckShape(y_0, model.nw(), 1, "y_0");
  internal::CheckApart(Y, "Y", tree_Y, "tree_Y", y_0, "y_0");
  internal::CheckApart(tree_Y, "tree_Y", y_0, "y_0");
  if (model.is_tree()) {
    CalcRegressor<T>(model.tree(), factorization, frames, w_r, wdot_r, s.tree, tree_Y, y_0);
    Y = tree_Y;
    return;
  }
  ChangeVelocity<T>(s.map, w_r, s.v_r);
  ChangeAcceleration<T>(s.map, w_r, wdot_r, s.vdot);
  CalcRegressor<T>(model.tree(), factorization, frames, s.v_r, s.vdot, s.tree, tree_Y, s.force);
  for (Eigen::Index c = 0; c < Y.cols(); ++c) ChangeForces<T>(s.map, tree_Y.col(c), Y.col(c));
  ChangeForces<T>(s.map, s.force, y_0);
}

template <typename T>
void CalcRegressorProducts(const VelocitySpace& model, const Factorization& factorization,
                           std::span<const Model::NamedFrame> frames, VectorIn<T> w_r,
                           VectorIn<T> wdot_r, VectorIn<T> x, VectorIn<T> s,
                           SpaceWorkspace<T>& workspace, VectorOut<T> Yx, VectorOut<T> YTs) {
  auto& at = internal::RequireSpace<T>(model, workspace, Stage::kVelocity, "CalcRegressorProducts");
  if (model.is_tree()) {
    CalcRegressorProducts<T>(model.tree(), factorization, frames, w_r, wdot_r, x, s, at.tree, Yx,
                             YTs);
    return;
  }
  ChangeVelocity<T>(at.map, w_r, at.v_r);
  ChangeAcceleration<T>(at.map, w_r, wdot_r, at.vdot);
  const Eigen::Index n = model.tree().nv();
  auto tree_s = at.direction.head(s.size() == 0 ? 0 : n);
  auto tree_Yx = at.force.head(Yx.size() == 0 ? 0 : n);
  if (s.size() > 0) ChangeVelocity<T>(at.map, s, tree_s);
  CalcRegressorProducts<T>(model.tree(), factorization, frames, at.v_r, at.vdot, x, tree_s, at.tree,
                           tree_Yx, YTs);
  if (Yx.size() > 0) ChangeForces<T>(at.map, tree_Yx, Yx);
}

template <typename T>
Status CalcForwardDynamicsParameterDerivatives(const VelocitySpace& model,
                                               std::span<const Model::NamedFrame> frames,
                                               VectorIn<T> wdot, SpaceWorkspace<T>& workspace,
                                               MatrixOut<T> tree_Y, MatrixOut<T> dwdot_dpi) {
  auto& s = internal::RequireSpace<T>(model, workspace, Stage::kVelocity,
                                      "CalcForwardDynamicsParameterDerivatives");
  if (model.is_tree()) {
    return CalcForwardDynamicsParameterDerivatives<T>(model.tree(), frames, wdot, s.tree,
                                                      *s.tree_factor, dwdot_dpi);
  }
  internal::CheckShape(dwdot_dpi, model.nw(), tree_Y.cols(), "dwdot_dpi");
  CalcMassMatrix<T>(model, workspace, s.H_w);
  if (!internal::FactorCholesky<T>(s.H_w)) return Status::kSingularMassMatrix;
  CalcRegressor<T>(model, {}, frames, s.w, wdot, workspace, tree_Y, dwdot_dpi, s.x_w);
  internal::SolveCholeskyInPlace<T>(s.H_w, dwdot_dpi);
  dwdot_dpi = -dwdot_dpi;
  return Status::kOk;
}

#define CIVITA_INSTANTIATE(T)                                                                      \
  template void CalcMassMatrix<T>(const VelocitySpace&, SpaceWorkspace<T>&, MatrixOut<T>);         \
  template Status CalcMassMatrixInverse<T>(const VelocitySpace&, SpaceWorkspace<T>&,               \
                                           MatrixOut<T>);                                          \
  template void CalcMassMatrixDerivative<T>(const VelocitySpace&, SpaceWorkspace<T>&,              \
                                            MatrixOut<T>);                                         \
  template void CalcCoriolisMatrix<T>(const VelocitySpace&, const Factorization&,                  \
                                      SpaceWorkspace<T>&, CoriolisOut<T>);                         \
  template void CalcChristoffelSymbols<T>(const VelocitySpace&, SpaceWorkspace<T>&, std::span<T>,  \
                                          std::span<T>);                                           \
  template void CalcGravityForces<T>(const VelocitySpace&, SpaceWorkspace<T>&, VectorOut<T>);      \
  template void CalcGeneralizedForces<T>(const VelocitySpace&, ExternalForces<T>,                  \
                                         SpaceWorkspace<T>&, VectorOut<T>);                        \
  template void CalcInverseDynamics<T>(const VelocitySpace&, VectorIn<T>, SpaceWorkspace<T>&,      \
                                       VectorOut<T>, ExternalForces<T>);                           \
  template void CalcBiasForces<T>(const VelocitySpace&, SpaceWorkspace<T>&, VectorOut<T>);         \
  template Status CalcForwardDynamics<T>(const VelocitySpace&, VectorIn<T>, SpaceWorkspace<T>&,    \
                                         VectorOut<T>, ExternalForces<T>);                         \
  template void CalcPassivityInverseDynamics<T>(const VelocitySpace&, const Factorization&,        \
                                                VectorIn<T>, VectorIn<T>, SpaceWorkspace<T>&,      \
                                                VectorOut<T>);                                     \
  template void CalcCoriolisProduct<T>(const VelocitySpace&, const Factorization&, VectorIn<T>,    \
                                       SpaceWorkspace<T>&, VectorOut<T>);                          \
  template void CalcCoriolisTransposeProduct<T>(const VelocitySpace&, const Factorization&,        \
                                                VectorIn<T>, SpaceWorkspace<T>&, VectorOut<T>);    \
  template void CalcRegressor<T>(const VelocitySpace&, const Factorization&,                       \
                                 std::span<const Model::NamedFrame>, VectorIn<T>, VectorIn<T>,     \
                                 SpaceWorkspace<T>&, MatrixOut<T>, MatrixOut<T>, VectorOut<T>);    \
  template void CalcRegressorProducts<T>(                                                          \
      const VelocitySpace&, const Factorization&, std::span<const Model::NamedFrame>, VectorIn<T>, \
      VectorIn<T>, VectorIn<T>, VectorIn<T>, SpaceWorkspace<T>&, VectorOut<T>, VectorOut<T>);      \
  template Status CalcForwardDynamicsParameterDerivatives<T>(                                      \
      const VelocitySpace&, std::span<const Model::NamedFrame>, VectorIn<T>, SpaceWorkspace<T>&,   \
      MatrixOut<T>, MatrixOut<T>);
CIVITA_FOR_DOUBLE(CIVITA_INSTANTIATE)
#undef CIVITA_INSTANTIATE

}  // namespace civita
