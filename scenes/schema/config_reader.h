#pragma once

#include <string>

#include "civita/scenes/schema/config.h"
#include "civita/scenes/schema/yaml_value.h"

namespace civita::internal {

/// Prefix of the place of a value given by --set.
inline constexpr std::string_view kOverridePrefix = "--set ";

/// Reads all keys of the table except those that determine the others, `plugins` and
/// `reference.type`, which must have been read, and the law's own, see law_reader.h. @throws
/// UserError with the key's place.
void ReadSections(const YamlValue& root, SceneConfig* config);

/// Reads one key. @throws UserError with its place.
void ReadKey(const std::string& key, const YamlValue& value, SceneConfig* config);

/// Records where the key is given.
void Record(const std::string& key, const YamlValue& value, SceneConfig* config);

}  // namespace civita::internal
