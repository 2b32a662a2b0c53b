#include "civita/mass_matrix.h"

#include "core/internal/inertia_rate.h"
#include "core/internal/path.h"
#include "core/internal/scalars.h"
#include "core/kernels/serve.h"

namespace civita {

namespace {

template <typename T>
void CheckSquare(const Model& model, const MatrixOut<T>& A, const char* name) {
  CIVITA_CHECK(
      A.rows() == model.nv() && A.cols() == model.nv(),
      name << " is " << A.rows() << "×" << A.cols() << ", the model has nv = " << model.nv());
}

}  // namespace

template <typename T>
void CalcMassMatrix(const Model& model, Workspace<T>& workspace, MatrixOut<T> H) {
  internal::CheckStage(workspace, Stage::kPosition, "CalcMassMatrix");
  CheckSquare<T>(model, H, "H");
  if constexpr (std::is_same_v<T, double>) {
    if (kernels::CalcMassMatrix(model, workspace, H)) return;
  }
  internal::UpdateBodies(model, workspace);
  using Body = typename Workspace<T>::Body;
  internal::SumInertias(model, workspace);
  H.setZero();
  internal::ForEachCoordinate(model, workspace, [&](int k, const Body& body, int depth) {
    T* row = workspace.path_products.data();
    internal::DotPath(workspace, depth, body.Ic * workspace.Phi[static_cast<size_t>(k)], row);
    for (int d = 0; d < depth; ++d) {
      const int i = workspace.path[static_cast<size_t>(d)];
      H(i, k) = H(k, i) = row[d];
    }
    H(k, k) += T(model.armature()[k]);
  });
}

template <typename T>
void CalcMassMatrixDerivative(const Model& model, Workspace<T>& workspace, MatrixOut<T> Hdot) {
  internal::RequireBodies(model, workspace, Stage::kVelocity, "CalcMassMatrixDerivative");
  CheckSquare<T>(model, Hdot, "Hdot");
  using Body = typename Workspace<T>::Body;
  for (Body& body : workspace.bodies) {
    body.Ic = body.I;
    body.Idot = internal::InertiaRate(body.I, body.V);
  }
  internal::SumOverSubtrees(model, workspace, [](Body& parent, const Body& body) {
    parent.Ic += body.Ic;
    parent.Idot += body.Idot;
  });
  Hdot.setZero();
  internal::ForEachCoordinate(model, workspace, [&](int k, const Body& body, int depth) {
    const Motion<T>& Phi = workspace.Phi[static_cast<size_t>(k)];
    const Motion<T>& Phidot = workspace.Phidot[static_cast<size_t>(k)];
    T* row = workspace.path_products.data();
    internal::DotPathRates<T, false>(workspace.path_columns, depth, body.Ic * Phi,
                                     body.Ic * Phidot + body.Idot * Phi, row);
    for (int d = 0; d < depth; ++d) {
      const int i = workspace.path[static_cast<size_t>(d)];
      Hdot(i, k) = Hdot(k, i) = row[d];
    }
  });
}

#define CIVITA_INSTANTIATE(T)                                                 \
  template void CalcMassMatrix<T>(const Model&, Workspace<T>&, MatrixOut<T>); \
  template void CalcMassMatrixDerivative<T>(const Model&, Workspace<T>&, MatrixOut<T>);
CIVITA_FOR_EACH_SCALAR(CIVITA_INSTANTIATE)
#undef CIVITA_INSTANTIATE

}  // namespace civita
