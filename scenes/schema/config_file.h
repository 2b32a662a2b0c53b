#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "civita/scenes/schema/yaml_value.h"

namespace civita::internal {

/// A config's keys and values, those of its bases among them.
struct ConfigFile {
  std::filesystem::path path;
  YamlValue root;  ///< a map; each value knows the file that gives it
};

/// Reads what `scene` names: see ReadConfig. A model file gives a config with the key 'model'.
/// @throws UserError.
ConfigFile ReadConfigFile(const std::string& scene);

/// Reads a config YAML and what it is based on. The file's values replace those of its base: maps
/// key by key, everything else whole. Gains and options of a base for another law and keys of a
/// reference of another type are left out. @throws UserError, also for a file that is based on
/// itself.
YamlValue ReadConfigYaml(const std::filesystem::path& path);

/// The type that `section` ("controller", "reference") has, the default type where none is given.
std::string TypeOf(const YamlValue& root, std::string_view section);

}  // namespace civita::internal
