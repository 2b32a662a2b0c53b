#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "base/max_abs.h"
#include "civita/sim/plant_geometry.h"
#include "civita/sim/session.h"

namespace civita {

enum class MatrixChoice { kH, kC, kSkew, kTorsion };

/// What is measured of a run.
inline const Measured& MeasuredOf(const Snapshot& snapshot, Slot slot) {
  return slot == Slot::kA ? snapshot.measured : snapshot.other.measured;
}

/// Matrices that only the Matrix tab shows, computed on the window's side: of the controller's
/// model of a run in its PlantGeometry, or in the law's own coordinates if it has some.
class MatrixView {
 public:
  explicit MatrixView(const SceneData& scene);

  /// Computes the matrix at one measured state. @returns false, and keeps the last one, where loops
  /// are singular or the law's coordinates do not exist.
  bool Update(const Measured& measured, const Factorization& factorization, MatrixChoice choice);

  const Eigen::MatrixXd& shown() const { return shown_; }
  /// Of C at the last update, max |C_ij|.
  double coriolis() const { return internal::MaxAbs(C_); }
  const std::vector<double>& values() const { return values_; }     ///< row by row
  const std::vector<std::string>& names() const { return names_; }  ///< of the rows
  /// Whether the matrices are of the law's own coordinates.
  bool is_changed() const { return geometry_.space().coordinates() != nullptr; }

 private:
  PlantGeometry geometry_;
  Eigen::MatrixXd C_, H_, shown_;
  std::vector<double> values_;
  std::vector<std::string> names_;
};

}  // namespace civita
