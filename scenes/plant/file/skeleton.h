#pragma once

#include <mujoco/mujoco.h>

#include <string>
#include <vector>

namespace civita::internal {

/// Pictures of moving bodies that have no shapes: bones from a body's joint to the joints of those
/// that it carries, also through bodies without mass and fixed ones, at the end of a chain through
/// its centre of mass; and of a body whose bones would have no length, such as a floating one
/// alone, the box of its mass and principal moments. They weigh nothing and touch nothing.
class Skeleton {
 public:
  /// Before shapes are left out.
  explicit Skeleton(mjSpec* spec);

  /// After compiling. Adds bones to each moving body that lost its shapes, or to all of them if
  /// none has a shape, with a notice. @returns whether there is something to compile.
  bool AddTo(const mjModel& m, mjSpec* spec, std::vector<std::string>* notices) const;

 private:
  std::vector<std::string> drawn_;  ///< names of the bodies that had shapes
};

}  // namespace civita::internal
