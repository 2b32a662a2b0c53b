#pragma once

#include <string>
#include <vector>

#include "civita/loop_closures.h"
#include "civita/model.h"
#include "civita/study/option_names.h"

namespace civita {

/// A model to evaluate.
struct EvalModel {
  Model model;
  std::vector<std::string> notices;  ///< for the user, one line each
  LoopClosures closures;             ///< if requested
};

/// The model of a scene, a config, a product of exponentials (see ReadPoeFile), an MJCF or a URDF
/// file, read as a simulation reads it (CompileModel), but with a URDF's inertias as they stand
/// where a simulation would need others. With `free_base` the one body that carries all others,
/// which must be fixed to the world, gets a free joint `root_joint`; `closures` requests its closed
/// loops. @throws UserError.
EvalModel LoadEvalModel(const std::string& scene, bool free_base, bool closures,
                        const OptionNames& called = {});

}  // namespace civita
