#include "app/window/model/matrix_view.h"

#include <cstddef>

#include "civita/scenes/plant/coordinates_text.h"

namespace civita {

namespace {

// Coordinates of its own, since they have scratch memory and the law's thread uses those of the
// law.
PlantGeometry GeometryOf(const SceneData& scene) {
  const Model& model = scene.control_model;
  if (!scene.config.has_own_coordinates()) return {model, scene.closed.get()};
  return PlantGeometry({model, ReadCoordinates(scene.config.coordinates, model, scene.q_start)});
}

}  // namespace

MatrixView::MatrixView(const SceneData& scene)
    : geometry_(GeometryOf(scene)),
      C_(Eigen::MatrixXd::Zero(geometry_.size(), geometry_.size())),
      H_(C_),
      shown_(C_),
      values_(static_cast<std::size_t>(C_.size())),
      names_(geometry_.space().is_tree() ? scene.velocity_names : geometry_.space().Names()) {}

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
  for (Eigen::Index i = 0; i < shown_.rows(); ++i) {
    for (Eigen::Index j = 0; j < shown_.cols(); ++j) {
      values_[static_cast<std::size_t>(i * shown_.cols() + j)] = shown_(i, j);
    }
  }
  return true;
}

}  // namespace civita
