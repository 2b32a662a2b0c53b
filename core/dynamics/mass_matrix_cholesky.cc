#include "civita/mass_matrix_cholesky.h"

#include "core/internal/path.h"
#include "core/internal/scalars.h"

namespace civita {

template <typename T>
MassMatrixCholesky<T>::MassMatrixCholesky(const Model& model)
    : model_(&model),
      parent_(static_cast<size_t>(model.nv())),
      depth_(static_cast<size_t>(model.nv())),
      rows_(MatrixX<T>::Zero(model.max_depth(), model.nv())),
      diagonal_(VectorX<T>::Zero(model.nv())) {
  order_.reserve(static_cast<size_t>(model.nv()));
  for (const Model::Body& body : model.bodies()) {
    int before = -1;
    if (body.parent >= 0) {
      const Model::Body& parent = model.bodies()[static_cast<size_t>(body.parent)];
      before = parent.iv + parent.nv - 1;
    }
    for (int c = 0; c < body.nv; ++c) {
      const int k = body.iv + c;
      order_.push_back(k);
      parent_[static_cast<size_t>(k)] = before;
      depth_[static_cast<size_t>(k)] = body.depth + c;
      before = k;
    }
  }
}

template <typename T>
bool MassMatrixCholesky<T>::Compute(Workspace<T>& workspace) {
  internal::RequireBodies(*model_, workspace, Stage::kPosition, "MassMatrixCholesky::Compute");
  CIVITA_CHECK(workspace.v.size() == model_->nv(), "the workspace was made for another model");
  using Body = typename Workspace<T>::Body;
  internal::SumInertias(*model_, workspace);
  internal::ForEachCoordinate(*model_, workspace, [&](int k, const Body& body, int depth) {
    internal::DotPath(workspace, depth, body.Ic * workspace.Phi[static_cast<size_t>(k)],
                      &rows_(0, k));
    rows_(depth - 1, k) += T(model_->armature()[k]);
  });
  return Factor();
}

template <typename T>
bool MassMatrixCholesky<T>::Compute(const Eigen::Ref<const MatrixX<std::type_identity_t<T>>>& H) {
  CIVITA_CHECK(H.rows() == model_->nv() && H.cols() == model_->nv(),
               "H is " << H.rows() << "×" << H.cols() << ", the model has nv = " << model_->nv());
  for (int k = 0; k < model_->nv(); ++k) {
    for (int i = k; i >= 0; i = parent_[static_cast<size_t>(i)]) {
      rows_(depth_[static_cast<size_t>(i)], k) = H(i, k);
    }
  }
  return Factor();
}

/// From the leaves on, L_ki = H_ki / D_k and H_ij −= L_ki H_kj for i, j on the path to
/// k. What is left for a pivot must stand clear of rounding.
template <typename T>
bool MassMatrixCholesky<T>::Factor() {
  const T rounding = T(model_->max_depth()) * T(Eigen::NumTraits<T>::epsilon());
  for (const int k : order_) diagonal_[k] = pivot(k);
  for (size_t n = order_.size(); n-- > 0;) {
    const int k = order_[n];
    if (!(pivot(k) > rounding * diagonal_[k])) return false;
    int i = parent_[static_cast<size_t>(k)];
    for (int d = depth_[static_cast<size_t>(k)] - 1; d >= 0; --d) {
      const T factor = rows_(d, k) / pivot(k);
      rows_.col(i).head(d + 1) -= factor * rows_.col(k).head(d + 1);
      rows_(d, k) = factor;
      i = parent_[static_cast<size_t>(i)];
    }
  }
  return true;
}

template <typename T>
void MassMatrixCholesky<T>::SolveTransposedFactorInPlace(MatrixOut<T> x) const {
  CIVITA_CHECK(x.rows() == model_->nv(),
               "x has " << x.rows() << " rows, the model has nv = " << model_->nv());
  for (Eigen::Index c = 0; c < x.cols(); ++c) {
    for (size_t n = order_.size(); n-- > 0;) {
      const int k = order_[n];
      int i = parent_[static_cast<size_t>(k)];
      for (int d = depth_[static_cast<size_t>(k)] - 1; d >= 0; --d) {
        x(i, c) -= rows_(d, k) * x(k, c);
        i = parent_[static_cast<size_t>(i)];
      }
    }
  }
}

template <typename T>
void MassMatrixCholesky<T>::SolveInPlace(MatrixOut<T> x) const {
  SolveTransposedFactorInPlace(x);
  for (Eigen::Index c = 0; c < x.cols(); ++c) {
    for (const int k : order_) {
      T sum = x(k, c) / pivot(k);
      int i = parent_[static_cast<size_t>(k)];
      for (int d = depth_[static_cast<size_t>(k)] - 1; d >= 0; --d) {
        sum -= rows_(d, k) * x(i, c);
        i = parent_[static_cast<size_t>(i)];
      }
      x(k, c) = sum;
    }
  }
}

#define CIVITA_INSTANTIATE(T) template class MassMatrixCholesky<T>;
CIVITA_FOR_EACH_SCALAR(CIVITA_INSTANTIATE)
#undef CIVITA_INSTANTIATE

}  // namespace civita
