#include "civita/change_of_coordinates.h"

#include "civita/christoffel.h"
#include "core/dynamics/internal/scratch.h"
#include "core/model/internal/checks.h"
#include "core/spatial/internal/eigen.h"
#include "core/spatial/internal/products.h"
#include "core/spatial/internal/scalars.h"

namespace civita {

namespace {

using internal::CheckApart;
using internal::CheckShape;

/// A result lies apart from what it is computed of.
template <typename T, typename Result>
void CheckApartFrom(const CoordinateChange<T>& change, const Result& result, const char* name) {
  CheckApart(result, name, change.A, "A");
  CheckApart(result, name, change.Adot, "Adot");
}

/// out += AᵀX, column by column: no scratch from the heap.
template <typename T, typename Out>
void AddTransposedProduct(const MatrixX<T>& A, const MatrixX<T>& X, Out&& out) {
  for (Eigen::Index c = 0; c < X.cols(); ++c) out.col(c).noalias() += A.transpose() * X.col(c);
}

}  // namespace

template <typename T>
void ChangeMassMatrix(CoordinateChange<T>& change, MatrixIn<T> H, MatrixOut<T> H_w) {
  const Eigen::Index nv = change.A.rows(), nw = change.A.cols();
  CheckShape(H, nv, nv, "H");
  CheckShape(H_w, nw, nw, "H_w");
  CheckApartFrom(change, H_w, "H_w");
  CheckApart(H_w, "H_w", H, "H");
  change.products.setZero();
  internal::AddProduct<T>(H, change.A, change.products);
  H_w.setZero();
  AddTransposedProduct<T>(change.A, change.products, H_w);
}

template <typename T>
void ChangeCoriolisMatrix(CoordinateChange<T>& change, MatrixIn<T> C, MatrixIn<T> H,
                          MatrixOut<T> C_w) {
  const Eigen::Index nv = change.A.rows(), nw = change.A.cols();
  CheckShape(C, nv, nv, "C");
  CheckShape(H, nv, nv, "H");
  CheckShape(change.Adot, nv, nw, "Adot");
  CheckShape(C_w, nw, nw, "C_w");
  CheckApartFrom(change, C_w, "C_w");
  CheckApart(C_w, "C_w", C, "C");
  CheckApart(C_w, "C_w", H, "H");
  change.products.setZero();
  internal::AddProduct<T>(C, change.A, change.products);
  internal::AddProduct<T>(H, change.Adot, change.products);
  C_w.setZero();
  AddTransposedProduct<T>(change.A, change.products, C_w);
}

template <typename T>
void ChangeForces(const CoordinateChange<T>& change, VectorIn<T> tau, VectorOut<T> tau_w) {
  CheckShape(tau, change.A.rows(), 1, "tau");
  CheckShape(tau_w, change.A.cols(), 1, "tau_w");
  CheckApart(tau_w, "tau_w", tau, "tau");
  tau_w.noalias() = change.A.transpose() * tau;
}

template <typename T>
void ChangeChristoffelSymbols(CoordinateChange<T>& change, MatrixIn<T> dA, MatrixIn<T> H,
                              std::span<const std::type_identity_t<T>> Gamma,
                              std::span<std::type_identity_t<T>> Gamma_w) {
  const Eigen::Index nv = change.A.rows(), nw = change.A.cols();
  CheckShape(dA, nv, nw * nw, "dA");
  CheckShape(H, nv, nv, "H");
  CIVITA_CHECK(static_cast<Eigen::Index>(Gamma.size()) == nv * nv * nv &&
                   static_cast<Eigen::Index>(Gamma_w.size()) == nw * nw * nw,
               "Gamma has " << Gamma.size() << " and Gamma_w " << Gamma_w.size()
                            << " numbers, wanted " << nv << "³ and " << nw << "³");
  using Slice = Eigen::Map<const MatrixX<T>>;
  for (Eigen::Index b = 0; b < nw; ++b) {
    for (Eigen::Index k = 0; k < nv; ++k) {  // Σ_j Γ_ijk A_jb over i, k
      change.slice.col(k).noalias() =
          Slice(&Gamma[static_cast<size_t>(k * nv * nv)], nv, nv) * change.A.col(b);
    }
    change.products.setZero();
    internal::AddProduct<T>(change.slice, change.A, change.products);
    internal::AddProduct<T>(H, dA.middleCols(b * nw, nw), change.products);
    for (Eigen::Index c = 0; c < nw; ++c) {
      Eigen::Map<VectorX<T>> column(&Gamma_w[static_cast<size_t>((c * nw + b) * nw)], nw);
      column.noalias() = change.A.transpose() * change.products.col(c);
    }
  }
}

template <typename T>
void CalcDerivativesAlongNewFrame(const CoordinateChange<T>& change, MatrixIn<T> dA_old,
                                  MatrixOut<T> dA) {
  const Eigen::Index nv = change.A.rows(), nw = change.A.cols();
  CheckShape(dA_old, nv, nv * nw, "dA_old");
  CheckShape(dA, nv, nw * nw, "dA");
  dA.setZero();
  for (Eigen::Index b = 0; b < nw; ++b) {
    for (Eigen::Index j = 0; j < nv; ++j) {
      dA.middleCols(b * nw, nw) += change.A(j, b) * dA_old.middleCols(j * nw, nw);
    }
  }
}

namespace {

/// The identity, but for what `set` writes for every free joint: its first coordinate, R and ω×.
template <typename T, typename Set>
void SetFreeJoints(const Model& model, Workspace<T>& workspace, CoordinateChange<T>* change,
                   Set set) {
  auto& s = internal::RequireBodies(model, workspace, Stage::kVelocity,
                                    "a change of free joints' velocities");
  CheckShape(change->A, model.nv(), model.nv(), "A");
  CheckShape(change->Adot, model.nv(), model.nv(), "Adot");
  change->A.setIdentity();
  change->Adot.setZero();
  for (int b = 0; b < model.num_bodies(); ++b) {
    const internal::Link& link = model.tree().links[b];
    if (link.joint != JointType::kFree) continue;
    const Vector3<T> w = s.v.template segment<3>(link.iv + 3);
    change->A.template block<6, 6>(link.iv, link.iv).setZero();
    set(link.iv, internal::ToMatrix(s.bodies[b].R_WB), Skew<T>(w));
  }
}

}  // namespace

template <typename T>
void SetFromBodyTwists(const Model& model, Workspace<T>& workspace, CoordinateChange<T>* change) {
  SetFreeJoints<T>(model, workspace, change,
                   [&](int iv, const Matrix3<T>& R, const Matrix3<T>& w_cross) {
                     change->A.template block<3, 3>(iv, iv + 3) = R;
                     change->A.template block<3, 3>(iv + 3, iv).setIdentity();
                     change->Adot.template block<3, 3>(iv, iv + 3) = R * w_cross;
                   });
}

template <typename T>
void SetToBodyTwists(const Model& model, Workspace<T>& workspace, CoordinateChange<T>* change) {
  SetFreeJoints<T>(model, workspace, change,
                   [&](int iv, const Matrix3<T>& R, const Matrix3<T>& w_cross) {
                     change->A.template block<3, 3>(iv, iv + 3).setIdentity();
                     change->A.template block<3, 3>(iv + 3, iv) = R.transpose();
                     change->Adot.template block<3, 3>(iv + 3, iv) = -w_cross * R.transpose();
                   });
}

#define CIVITA_INSTANTIATE(T)                                                               \
  template void ChangeMassMatrix<T>(CoordinateChange<T>&, MatrixIn<T>, MatrixOut<T>);       \
  template void ChangeCoriolisMatrix<T>(CoordinateChange<T>&, MatrixIn<T>, MatrixIn<T>,     \
                                        MatrixOut<T>);                                      \
  template void ChangeForces<T>(const CoordinateChange<T>&, VectorIn<T>, VectorOut<T>);     \
  template void ChangeChristoffelSymbols<T>(CoordinateChange<T>&, MatrixIn<T>, MatrixIn<T>, \
                                            std::span<const T>, std::span<T>);              \
  template void CalcDerivativesAlongNewFrame<T>(const CoordinateChange<T>&, MatrixIn<T>,    \
                                                MatrixOut<T>);                              \
  template void SetFromBodyTwists<T>(const Model&, Workspace<T>&, CoordinateChange<T>*);    \
  template void SetToBodyTwists<T>(const Model&, Workspace<T>&, CoordinateChange<T>*);
CIVITA_FOR_EACH_SCALAR(CIVITA_INSTANTIATE)
#undef CIVITA_INSTANTIATE

}  // namespace civita
