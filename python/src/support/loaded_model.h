#pragma once

#include <string>
#include <vector>

#include "civita/constraint.h"
#include "civita/model.h"
#include "civita/regressor.h"

namespace civita::python {

/// The Python class Model: a model and where it comes from. Immutable; what is made for it keeps it
/// alive.
struct LoadedModel {
  Model model;
  std::string source;                ///< a file, a scene's name, "mujoco", "builder", "json"
  std::vector<std::string> notices;  ///< on what was read, one line each
  Constraints loops;                 ///< closed loops and coupled joints
  std::string loops_error;           ///< why those were not read; empty if they were
  std::vector<Model::NamedFrame> body_frames = BodyFrames(model);
};

}  // namespace civita::python
