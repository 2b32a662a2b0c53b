#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "civita/model.h"
#include "civita/velocity_space.h"

namespace civita {

/// Some coordinates of the tracking error e, of which a mean square is meant: a floating base is
/// told apart from the joints, and angles from distances, as a sum of rad² and m² depends on the
/// unit of length.
struct ErrorPart {
  std::string name;              ///< "all", "joints", "base", "joints, rad", "base, m"
  std::string unit;              ///< "rad", "m" or, of a sum of both, "rad, m"
  std::vector<int> coordinates;  ///< indices in e, ascending
  Eigen::VectorXd mask;          ///< 1 at these coordinates, 0 elsewhere; n numbers
};

/// The parts of the error of a model in its velocities v or, with `closed`, in the independent
/// velocities of its loops: first "all", as the metric error_rms has it; then, where they differ
/// from all, "joints" and "base" (the free joints' coordinates), and of each the rad and the m; of
/// a model with several trees each one by its name (FindKinematicTrees).
std::vector<ErrorPart> FindErrorParts(const Model& model, const VelocitySpace* closed);

/// How ∫‖P e‖²dt of each part grows from a start on.
struct ErrorCourse {
  std::vector<double> t;                     ///< s, ascends
  std::vector<std::vector<double>> squares;  ///< by part, as many as t; rad²·s or m²·s

  /// The integral until a time, linear between those known; after the last one it stays.
  double Until(std::size_t part, double t_s) const;
};

}  // namespace civita
