#include "app/window/model/matrix_view.h"

#include <cstddef>

#include "civita/kinematics.h"
#include "civita/scenes/plant/coordinates_text.h"

namespace civita {

MatrixView::MatrixView(const SceneData& scene)
    : model_(scene.control_model),
      geometry_(scene.control_model, scene.closed.get()),
      C_(Eigen::MatrixXd::Zero(geometry_.size(), geometry_.size())),
      H_(C_),
      shown_(C_),
      values_(static_cast<std::size_t>(C_.size())),
      names_(scene.closed ? scene.closed->Names() : scene.velocity_names) {
  if (!scene.config.has_own_coordinates()) return;
  // Its own, since coordinates have scratch memory and the law's thread uses those of the law.
  change_.emplace(Change{ReadCoordinates(scene.config.coordinates, model_, scene.q_start),
                         Workspace<double>(model_), VelocityMap<double>(model_.nv(), model_.nv()),
                         Eigen::MatrixXd(model_.nv(), model_.nv())});
  names_ = change_->coordinates.names;
}

bool MatrixView::Update(const Measured& measured, const Factorization& factorization,
                        MatrixChoice choice) {
  if (!geometry_.Update(measured.q, measured.v)) return false;
  geometry_.CalcCoriolisMatrix(factorization, {.C = C_, .H = H_});
  switch (choice) {
    case MatrixChoice::kH:
      shown_ = H_;
      break;
    case MatrixChoice::kC:
      shown_ = C_;
      break;
    case MatrixChoice::kSkew:
      geometry_.CalcMassMatrixDerivative(shown_);
      shown_ -= C_ + C_.transpose();
      break;
    case MatrixChoice::kTorsion:
      geometry_.CalcCoriolisMatrix(Factorization(), {.C = shown_, .H = H_});
      shown_ = C_ - shown_;
      break;
  }
  if (change_ && !ChangeCoordinates(measured, choice == MatrixChoice::kC)) return false;
  for (Eigen::Index i = 0; i < shown_.rows(); ++i) {
    for (Eigen::Index j = 0; j < shown_.cols(); ++j) {
      values_[static_cast<std::size_t>(i * shown_.cols() + j)] = shown_(i, j);
    }
  }
  return true;
}

// To the law's coordinates: AᵀXA, and of C AᵀCA + AᵀHȦ.
bool MatrixView::ChangeCoordinates(const Measured& measured, bool is_C) {
  UpdateKinematics<double>(model_, measured.q, measured.v, change_->workspace);
  if (!change_->coordinates.update(change_->workspace, change_->map)) return false;
  const Eigen::MatrixXd X = shown_;
  if (is_C) {
    ChangeCoriolisMatrix<double>(change_->map, {.C = X, .H = H_}, change_->products, shown_);
  } else {
    ChangeMassMatrix<double>(change_->map, X, change_->products, shown_);
  }
  return true;
}

}  // namespace civita
