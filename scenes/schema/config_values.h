#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "civita/scenes/schema/config.h"
#include "civita/scenes/schema/key_row.h"
#include "civita/scenes/schema/yaml_value.h"

// Values of a config: what a key's row says of them is read, and written. @throws UserError that
// names the key as file:line:column: key must be …

namespace civita::internal {

/// Where each key was given, see SceneConfig::places.
using Places = std::map<std::string, std::string, std::less<>>;

double ReadNumber(const YamlValue& value, const std::string& key, NumberRange range);
std::vector<double> ReadNumbers(const YamlValue& value, const std::string& key, NumberRange range,
                                bool one_number_too);

/// The value of a law's option.
OptionValue ReadOption(const OptionInfo& option, const YamlValue& value, const std::string& key);

/// The option as YAML; nothing for an empty text or list.
std::optional<std::string> WriteOption(const OptionValue& value);

/// Sets the member of a key that is no law's. Keys of lists and maps leave their own places.
void ReadValue(const BoundKey& row, const YamlValue& value, Places* places);

/// The member as YAML; nothing when it is not set, and for lists of sections, gains and options.
std::optional<std::string> WriteValue(const ValueRef& value);

ConfigType TypeOf(const ValueRef& value);
ConfigType TypeOf(const OptionInfo& option);

/// Whether it stands for keys with names of their own.
bool IsMap(const ValueRef& value);

/// @throws UserError that says which keys are `valid`.
[[noreturn]] void RefuseKey(const YamlValue::Entry& entry, const std::vector<std::string>& valid);

/// A map of these keys, or nothing.
void CheckIsMap(const YamlValue& value, const std::string& key,
                const std::vector<std::string>& valid);

}  // namespace civita::internal
