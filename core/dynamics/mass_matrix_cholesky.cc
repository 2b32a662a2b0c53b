#include "civita/mass_matrix_cholesky.h"

#include <cstdint>
#include <type_traits>

#include "core/dynamics/internal/scratch.h"
#include "core/dynamics/internal/serve.h"
#include "core/kernels/find_kernels.h"
#include "core/kernels/kernels.h"
#include "core/kernels/plan.h"
#include "core/model/internal/checks.h"
#include "core/spatial/internal/scalars.h"

namespace civita {

namespace {

int WholeBlocks(int count) {
  return (count + kernels::kLanes - 1) / kernels::kLanes * kernels::kLanes;
}

constexpr int kAlignment = 8;  ///< of doubles

template <typename Matrix>
kernels::ConstMatrixView ViewOf(const Matrix& M) {
  return {M.data(), M.outerStride()};
}

}  // namespace

template <typename T>
MassMatrixCholesky<T>::MassMatrixCholesky(const Model& model)
    : model_(model),
      rows_(MatrixX<T>::Zero(WholeBlocks(model.max_depth()), model.nv())),
      diagonal_(VectorX<T>::Zero(model.nv())) {
  if constexpr (std::is_same_v<T, double>) {
    kernels_ = kernels::FindKernels({});
    H_.setZero(model.nv(), model.nv());
    memory_.setZero(kernels::kFactorNumbers * (model.nv() + kernels::kLanes) + kAlignment);
    kernels::PlanOf(model);  // so that nothing else allocates
  }
}

/// Whether kernels know the model: those of a factor want its coordinates depth-first.
template <typename T>
bool MassMatrixCholesky<T>::is_served() const {
  return kernels_ != nullptr && kernels::PlanOf(model_).identity_order();
}

template <typename T>
T* MassMatrixCholesky<T>::memory() const {
  const auto address = reinterpret_cast<std::uintptr_t>(memory_.data()) / sizeof(T);
  return memory_.data() + (kAlignment - address % kAlignment) % kAlignment;
}

template <typename T>
T MassMatrixCholesky<T>::pivot(int k) const {
  CIVITA_CHECK(k >= 0 && k < model_.nv(), "velocity coordinate " << k << " of " << model_.nv());
  return D(k);
}

template <typename T>
const T& MassMatrixCholesky<T>::D(int k) const {
  return rows_(internal::TreeOf(model_).depth[k], k);
}

template <typename T>
Status MassMatrixCholesky<T>::Compute(Workspace<T>& workspace) {
  auto& s =
      internal::RequireState(model_, workspace, Stage::kPosition, "MassMatrixCholesky::Compute");
  const internal::Tree& tree = internal::TreeOf(model_);
  if constexpr (std::is_same_v<T, double>) {
    kernels_ = s.kernels.kernels();
    MatrixOut<double> H(H_);
    if (kernels::CalcMassMatrix(s, H)) return Compute(H_);
  }
  internal::UpdateBodies(tree, s);
  internal::CalcCompositeInertias(tree, s);
  for (int k = 0; k < tree.nv; ++k) {
    const Force<T> F = s.Ic[tree.body[k]] * s.Phi[k];
    for (int i = k; i >= 0; i = tree.parent[i]) rows_(tree.depth[i], k) = Dot(s.Phi[i], F);
    rows_(tree.depth[k], k) += T(tree.armature[k]);
  }
  return Factor();
}

template <typename T>
Status MassMatrixCholesky<T>::Compute(MatrixIn<T> H) {
  internal::CheckShape(H, model_.nv(), model_.nv(), "H");
  if constexpr (std::is_same_v<T, double>) {
    if (is_served()) {
      const bool is_regular =
          kernels_->factor(kernels::PlanOf(model_).view(), memory(), ViewOf(H),
                           {rows_.data(), rows_.outerStride()}, diagonal_.data());
      return is_regular ? Status::kOk : Status::kSingularMassMatrix;
    }
  }
  const internal::Tree& tree = internal::TreeOf(model_);
  for (int k = 0; k < tree.nv; ++k) {
    for (int i = k; i >= 0; i = tree.parent[i]) rows_(tree.depth[i], k) = H(i, k);
  }
  return Factor();
}

/// From the leaves on, L_ki = H_ki / D_k and H_ij −= L_ki H_kj for i, j on the path to
/// k. What is left for a pivot must stand clear of rounding.
template <typename T>
Status MassMatrixCholesky<T>::Factor() {
  const internal::Tree& tree = internal::TreeOf(model_);
  const T rounding = T(model_.max_depth()) * T(Eigen::NumTraits<T>::epsilon());
  for (int k = 0; k < tree.nv; ++k) diagonal_[k] = D(k);
  for (int n = tree.nv - 1; n >= 0; --n) {
    const int k = tree.order[n];
    if (!(D(k) > rounding * diagonal_[k])) return Status::kSingularMassMatrix;
    for (int i = tree.parent[k]; i >= 0; i = tree.parent[i]) {
      const int d = tree.depth[i];
      const T factor = rows_(d, k) / D(k);
      rows_.col(i).head(d + 1) -= factor * rows_.col(k).head(d + 1);
      rows_(d, k) = factor;
    }
  }
  return Status::kOk;
}

template <typename T>
void MassMatrixCholesky<T>::SolveTransposedFactorInPlace(MatrixOut<T> x) const {
  internal::CheckShape(x, model_.nv(), x.cols(), "x");
  const internal::Tree& tree = internal::TreeOf(model_);
  for (Eigen::Index c = 0; c < x.cols(); ++c) {
    T* const column = x.data() + c * x.outerStride();
    for (int n = tree.nv - 1; n >= 0; --n) {
      const int k = tree.order[n];
      const T* L = &D(k);
      const T x_k = column[k];
      if constexpr (std::is_floating_point_v<T>) {  // of those with derivatives 0 is not nothing
        if (x_k == 0) continue;
      }
      for (int i = tree.parent[k]; i >= 0; i = tree.parent[i]) column[i] -= *--L * x_k;
    }
  }
}

template <typename T>
void MassMatrixCholesky<T>::SolveInPlace(MatrixOut<T> x) const {
  internal::CheckShape(x, model_.nv(), x.cols(), "x");
  if constexpr (std::is_same_v<T, double>) {
    if (is_served()) {
      return kernels_->solve(kernels::PlanOf(model_).view(), memory(), ViewOf(rows_),
                             diagonal_.data(), {x.data(), x.outerStride()}, x.cols());
    }
  }
  SolveTransposedFactorInPlace(x);
  const internal::Tree& tree = internal::TreeOf(model_);
  for (Eigen::Index c = 0; c < x.cols(); ++c) {
    T* const column = x.data() + c * x.outerStride();
    for (int n = 0; n < tree.nv; ++n) {
      const int k = tree.order[n];
      const T* L = &D(k);
      T sum = column[k] / *L;
      for (int i = tree.parent[k]; i >= 0; i = tree.parent[i]) sum -= *--L * column[i];
      column[k] = sum;
    }
  }
}

template <typename T>
void MassMatrixCholesky<T>::SolveRowsInPlace(MatrixOut<T> X) const {
  internal::CheckShape(X, X.rows(), model_.nv(), "X");
  const internal::Tree& tree = internal::TreeOf(model_);
  for (int n = tree.nv - 1; n >= 0; --n) {
    const int k = tree.order[n];
    for (int i = tree.parent[k]; i >= 0; i = tree.parent[i]) {
      X.col(i) -= rows_(tree.depth[i], k) * X.col(k);
    }
  }
  for (int n = 0; n < tree.nv; ++n) {
    const int k = tree.order[n];
    X.col(k) /= D(k);
    for (int i = tree.parent[k]; i >= 0; i = tree.parent[i]) {
      X.col(k) -= rows_(tree.depth[i], k) * X.col(i);
    }
  }
}

template <typename T>
void MassMatrixCholesky<T>::CalcInverse(MatrixOut<T> H_inverse) const {
  internal::CheckShape(H_inverse, model_.nv(), model_.nv(), "H_inverse");
  if constexpr (std::is_same_v<T, double>) {
    if (is_served()) {
      return kernels_->invert(kernels::PlanOf(model_).view(), memory(), ViewOf(rows_),
                              diagonal_.data(), {H_inverse.data(), H_inverse.outerStride()});
    }
  }
  H_inverse.setIdentity();
  SolveRowsInPlace(H_inverse);
}

#define CIVITA_INSTANTIATE(T) template class MassMatrixCholesky<T>;
CIVITA_FOR_DOUBLE(CIVITA_INSTANTIATE)
#undef CIVITA_INSTANTIATE

}  // namespace civita
