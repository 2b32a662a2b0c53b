#pragma once

#include <string>
#include <vector>

#include "civita/loop_closures.h"
#include "civita/model.h"

namespace civita {

/// What `civita eval` computes with.
struct EvalModel {
  Model model;
  std::vector<std::string> notices;  ///< what the user should know of it, a line each
  LoopClosures closures;             ///< if they were asked for
};

/// The model of a scene, a config, a product of exponentials (see ReadPoeFile), an MJCF or a URDF
/// file. Of a URDF only links and joints are
/// read: the inertias as they stand, impossible ones with a notice, none from geometry, and every
/// link keeps its name, fixed ones too. With `free_base` the one body that carries all others,
/// which must be fixed in the world, gets a free joint `root_joint`; `closures` asks for its closed
/// loops. @throws UserError.
EvalModel LoadEvalModel(const std::string& scene, bool free_base, bool closures);

}  // namespace civita
