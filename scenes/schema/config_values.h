#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "civita/scenes/schema/config.h"
#include "civita/scenes/schema/key_row.h"
#include "civita/scenes/schema/yaml_value.h"

// Reads and writes values of a config as the rows of their keys prescribe. @throws UserError that
// names the key as file:line:column: key must be …

namespace civita::internal {

/// Where each key was given, see SceneConfig::places.
using Places = std::map<std::string, std::string, std::less<>>;

double ReadNumber(const YamlValue& value, const std::string& key, NumberRange range);
std::vector<double> ReadNumbers(const YamlValue& value, const std::string& key, NumberRange range,
                                bool one_number_too);

/// Reads the value of a law's option.
OptionValue ReadOption(const OptionInfo& option, const YamlValue& value, const std::string& key);

/// The option as YAML; nullopt for an empty string or list.
std::optional<std::string> WriteOption(const OptionValue& value);

/// Sets the member of a key that is not the law's. Keys of lists and maps record their own places.
void ReadValue(const BoundKey& row, const YamlValue& value, Places* places);

/// The member as YAML; nullopt when it is unset, and for lists of sections, gains and options.
std::optional<std::string> WriteValue(const ValueRef& value);

ConfigType TypeOf(const ValueRef& value);
ConfigType TypeOf(const OptionInfo& option);

/// Whether it is a map, whose keys are free names.
bool IsMap(const ValueRef& value);

/// @throws UserError that lists the `valid` keys.
[[noreturn]] void RefuseKey(const YamlValue::Entry& entry, const std::vector<std::string>& valid);

/// @throws UserError, which lists the `valid` keys, for the first other key of a map.
void CheckKeys(const YamlValue& map, const std::vector<std::string>& valid);

/// @throws UserError, which lists the `valid` keys, unless the value is a map or empty.
void CheckIsMap(const YamlValue& value, const std::string& key,
                const std::vector<std::string>& valid);

}  // namespace civita::internal
