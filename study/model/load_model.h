#pragma once

#include <filesystem>
#include <string>

#include "civita/json/model_json.h"
#include "civita/study/option_names.h"

namespace civita {

struct LoadOptions {
  /// The one body that carries all others, which must be fixed to the world, gets a free joint
  /// `root_joint`.
  bool free_base = false;
  bool loops = true;  ///< otherwise it is a tree, also where an equality is of no known kind
  OptionNames called = {};
};

/// The model of a scene, a config, a product of exponentials (see ReadPoeFile), a JSON file
/// (ReadModelJson), an MJCF or a URDF file, the last two read as a simulation reads them
/// (CompileModel), but with a URDF's inertias as they stand where a simulation would need others,
/// and without MuJoCo where LoadUrdfModel does without.
/// @throws UserError.
LoadedModel LoadModel(const std::string& file, const LoadOptions& options = {});

/// Writes WriteModelJson's text in a file, whose name must end with .json. @throws UserError,
/// WriteError.
void SaveModelJson(const std::filesystem::path& file, const Model& model, const Constraints& loops);

}  // namespace civita
