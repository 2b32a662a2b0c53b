#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "civita/factorization.h"
#include "civita/geometry/torsion.h"
#include "civita/scenes/scene.h"
#include "civita/sim/plant_geometry.h"
#include "civita/tensor3.h"

namespace civita {

/// The connection of a factorization at one configuration: its torsion, and which properties of the
/// Riemannian connection it shares ([WES], figure 1). Components are those of the velocities of a
/// PlantGeometry: v of open trees, the independent ones of closed chains.
class ConnectionView {
 public:
  /// Of the controller's model of a scene, which must outlive this object.
  explicit ConnectionView(const SceneData& scene);

  /// Computes all at q (nq numbers) from one evaluation of C and Ḣ for each velocity. @returns
  /// false, and keeps what there was, where loops are singular.
  bool Update(const Eigen::Ref<const Eigen::VectorXd>& q, const Factorization& factorization);

  int size() const { return torsion_.n(); }
  const std::vector<std::string>& names() const { return names_; }  ///< of the velocities

  /// T_ijk = −T_ikj; exactly zero where it is zero but for rounding.
  const Tensor3& torsion() const { return torsion_; }
  const ConnectionResiduals& residuals() const { return residuals_; }
  /// Whether a residual is zero but for rounding.
  bool IsZero(double residual) const { return residual <= floor_; }

 private:
  PlantGeometry geometry_;
  std::vector<std::string> names_;
  Tensor3 torsion_;
  ConnectionResiduals residuals_;
  double floor_ = 0;
};

/// Indices (i, j, k) of the largest |T_ijk|, the first of several.
struct TensorIndex {
  int i = 0, j = 0, k = 0;
};
TensorIndex FindLargest(const Tensor3& T);

}  // namespace civita
