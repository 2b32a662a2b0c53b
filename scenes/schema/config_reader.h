#pragma once

#include <string>

#include "civita/scenes/schema/config.h"
#include "civita/scenes/schema/yaml_value.h"

namespace civita::internal {

/// How the place of a value begins that --set gives.
inline constexpr std::string_view kOverridePrefix = "--set ";

/// Reads all keys that the table has but those that say which others there are, `plugins` and
/// `reference.type`, which must have been read, and what the law says, see law_reader.h.
/// @throws UserError with the key's place.
void ReadSections(const YamlValue& root, SceneConfig* config);

/// Reads one key. @throws UserError with its place.
void ReadKey(const std::string& key, const YamlValue& value, SceneConfig* config);

/// Notes where the key is given.
void Record(const std::string& key, const YamlValue& value, SceneConfig* config);

}  // namespace civita::internal
