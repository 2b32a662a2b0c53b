#pragma once

#include <string>

#include "civita/scenes/schema/config.h"
#include "civita/scenes/schema/yaml_value.h"

namespace civita::internal {

/// Prefix of the place of a value given by --set.
inline constexpr std::string_view kOverridePrefix = "--set ";

/// Reads all keys of the table except those that determine the others, `plugins` and
/// `reference.type`, which must have been read, and the law's own, see below. @throws UserError
/// with the key's place.
void ReadSections(const YamlValue& root, SceneConfig* config);

/// Reads one key. @throws UserError with its place.
void ReadKey(const std::string& key, const YamlValue& value, SceneConfig* config);

/// Reads the law's own keys: its options from `root`'s map `controller`, and its gains, or
/// bandwidth_hz and damping_ratio instead. When an override replaced `law_of_file`, that law's
/// options and gains in the file are dropped with a notice. @throws UserError with the key's place.
void ReadLawKeys(const std::string& law_of_file, const YamlValue& root, SceneConfig* config);

}  // namespace civita::internal
