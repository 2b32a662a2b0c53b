#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "civita/study/option_names.h"

namespace civita {

struct Scene;
struct SceneConfig;

/// A scene with what of its config differs.
struct SceneChoice {
  std::string scene = {};                   ///< its name, a config, an MJCF or URDF file
  std::vector<std::string> overrides = {};  ///< "key=value"
  std::optional<double> duration_s = {};
  std::optional<int> seed = {};
  OptionNames called = {};  ///< in errors
};

/// The config of the choice, whose duration and seed are those of a run. @throws UserError, which
/// names an override by its key, as flags by
/// "--set KEY", those of `varied` keys by "--vary KEY".
SceneConfig ReadConfig(const SceneChoice& choice, const std::vector<std::string>& varied = {});

/// The scene of a config. @throws UserError, as ReadConfig.
std::unique_ptr<Scene> LoadScene(const SceneConfig& config, const OptionNames& called,
                                 const std::vector<std::string>& varied = {});

/// The same, ready to run. @throws UserError also if its run is longer than 1e9 control steps.
std::unique_ptr<Scene> OpenScene(const SceneConfig& config, const OptionNames& called = {},
                                 const std::vector<std::string>& varied = {});
/// That of the choice.
std::unique_ptr<Scene> OpenScene(const SceneChoice& choice);

}  // namespace civita
