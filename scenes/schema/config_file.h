#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "civita/scenes/schema/yaml_value.h"

namespace civita {
struct SceneConfig;
}

namespace civita::internal {

/// A config's keys and values, including those of its bases.
struct ConfigFile {
  std::filesystem::path path;
  YamlValue root;  ///< a map; each value records the file that gives it
};

/// Reads `scene`, see ReadConfig. A model file gives a config with the key 'model'. @throws
/// UserError.
ConfigFile ReadConfigFile(const std::string& scene);

/// The config of a file with overrides, see ReadConfig: many of one file read it once. From several
/// threads if what `file` names as code is loaded already. @throws UserError.
SceneConfig ReadConfig(ConfigFile file, const std::vector<std::string>& overrides);

/// Reads a config YAML and its bases. The file's values override those of its base: maps key by
/// key, everything else as a whole. If the file chooses another law or type of reference, the
/// base's gains and options, or its reference, are dropped. @throws UserError, also for a file
/// that is its own base.
YamlValue ReadConfigYaml(const std::filesystem::path& path);

/// The type in `section` ("controller", "reference"); the default if none is given.
std::string TypeOf(const YamlValue& root, std::string_view section);

}  // namespace civita::internal
