#include "civita/mass_matrix.h"

#include "core/dynamics/internal/inertia_rate.h"
#include "core/dynamics/internal/scratch.h"
#include "core/dynamics/internal/serve.h"
#include "core/model/internal/checks.h"
#include "core/spatial/internal/scalars.h"

namespace civita {

template <typename T>
void CalcMassMatrix(const Model& model, Workspace<T>& workspace, MatrixOut<T> H) {
  auto& s = internal::RequireState(model, workspace, Stage::kPosition, "CalcMassMatrix");
  internal::CheckShape(H, model.nv(), model.nv(), "H");
  if constexpr (std::is_same_v<T, double>) {
    if (kernels::CalcMassMatrix(s, H)) return;
  }
  const internal::Tree& tree = internal::TreeOf(model);
  internal::UpdateBodies(tree, s);
  internal::CalcCompositeInertias(tree, s);
  H.setZero();
  internal::CalcMassPairs(tree, s.Ic.data(), s.Phi.data(), H);
}

template <typename T>
void CalcMassMatrixDerivative(const Model& model, Workspace<T>& workspace, MatrixOut<T> Hdot) {
  auto& s = internal::RequireState(model, workspace, Stage::kVelocity, "CalcMassMatrixDerivative");
  internal::CheckShape(Hdot, model.nv(), model.nv(), "Hdot");
  if constexpr (std::is_same_v<T, double>) {
    if (kernels::CalcMassMatrixDerivative(s, Hdot)) return;
  }
  const internal::Tree& tree = internal::TreeOf(model);
  internal::UpdateBodies(tree, s);
  internal::CalcCompositeInertias(tree, s);
  internal::CalcCompositeInertiaRates(tree, s);
  Hdot.setZero();
  for (int k = 0; k < tree.nv; ++k) {
    const Inertia<T>& I = s.Ic[tree.body[k]];
    const Force<T> F = I * s.Phi[k], Fdot = I * s.Phidot[k] + s.Idot[tree.body[k]] * s.Phi[k];
    for (int i = k; i >= 0; i = tree.parent[i]) {
      Hdot(i, k) = Hdot(k, i) = Dot(s.Phidot[i], F) + Dot(s.Phi[i], Fdot);
    }
  }
}

#define CIVITA_INSTANTIATE(T)                                                 \
  template void CalcMassMatrix<T>(const Model&, Workspace<T>&, MatrixOut<T>); \
  template void CalcMassMatrixDerivative<T>(const Model&, Workspace<T>&, MatrixOut<T>);
CIVITA_FOR_EACH_SCALAR(CIVITA_INSTANTIATE)
#undef CIVITA_INSTANTIATE

}  // namespace civita
