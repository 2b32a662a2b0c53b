#pragma once

#include <mujoco/mujoco.h>

#include <string>
#include <vector>

namespace civita::internal {

/// Pictures of moving bodies that have no shapes: boxes of the bodies' masses and principal
/// moments, which weigh nothing and touch nothing.
class InertiaBoxes {
 public:
  /// Before shapes are left out.
  explicit InertiaBoxes(mjSpec* spec);

  /// After compiling. Adds a box to each moving body that lost its shapes, or to all of them if
  /// none has a shape, with a notice. @returns whether there is something to compile.
  bool AddTo(const mjModel& m, mjSpec* spec, std::vector<std::string>* notices) const;

 private:
  std::vector<std::string> drawn_;  ///< names of the bodies that had shapes
};

}  // namespace civita::internal
