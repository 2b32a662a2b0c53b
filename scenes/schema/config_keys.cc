#include "civita/scenes/schema/config_keys.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "civita/scenes/motion/reference_types.h"
#include "civita/scenes/schema/config_values.h"
#include "civita/scenes/schema/gain_value.h"

namespace civita {
namespace internal {
namespace {

std::string DefaultText(const std::optional<std::string>& value) {
  return value && *value != "[]" ? *value : "";
}

ConfigKey OfRow(const BoundKey& row) {
  const auto* named = std::get_if<NamedRef>(&row.value);
  return {.key = row.key,
          .type = TypeOf(row.value),
          .unit = std::string(row.unit),
          .default_value = DefaultText(WriteValue(row.value)),
          .range = ToText(row.range),
          .choices = named != nullptr ? named->names() : std::vector<std::string>(),
          .doc = std::string(row.doc)};
}

ConfigKey OfOption(const OptionInfo& option) {
  return {.key = "controller." + std::string(option.key),
          .type = TypeOf(option),
          .unit = std::string(option.unit),
          .default_value = DefaultText(WriteOption(DefaultOf(option))),
          .range = ToText(option.range),
          .choices = {option.choices.begin(), option.choices.end()},
          .doc = std::string(option.doc)};
}

ConfigKey OfGain(const ParameterInfo& gain) {
  return {.key = KeyOf(gain),
          .type = TypeOf(gain.shape),
          .unit = std::string(gain.unit),
          .default_value = ToYamlText(gain.default_value),
          .range = ToText(gain.range),
          .doc = std::string(gain.description)};
}

// Adds a key of a law or a type of reference; `is_same`: whether an earlier row documents it, too.
template <typename Same>
void AddOwned(ConfigKey own, std::string_view owner, std::vector<ConfigKey>* keys,
              const Same& is_same) {
  const auto found = std::ranges::find_if(
      *keys, [&](const ConfigKey& other) { return other.key == own.key && is_same(other, own); });
  ConfigKey& row = found == keys->end() ? keys->emplace_back(std::move(own)) : *found;
  row.owners.emplace_back(owner);
}

// Types of references that document a key identically share its row.
void AddRow(const BoundKey& row, std::vector<ConfigKey>* keys) {
  if (row.owner.empty()) return keys->push_back(OfRow(row));
  AddOwned(OfRow(row), row.owner, keys, [](ConfigKey other, const ConfigKey& own) {
    other.owners.clear();
    return other == own;
  });
}

// Adds the options of all laws; the first law that has an option documents it.
void AddOptions(std::vector<ConfigKey>* keys) {
  const auto is_same = [](const ConfigKey&, const ConfigKey&) { return true; };
  for (const LawInfo* law : Laws()) {
    for (const OptionInfo& option : law->options) {
      AddOwned(OfOption(option), law->type, keys, is_same);
    }
  }
}

// Adds the gains of all laws; the first law that has a gain with this default documents it.
void AddGains(std::vector<ConfigKey>* keys) {
  const auto is_same = [](const ConfigKey& other, const ConfigKey& own) {
    return other.default_value == own.default_value;
  };
  for (const LawInfo* law : Laws()) {
    for (const ParameterInfo& gain : law->parameters) {
      AddOwned(OfGain(gain), law->type, keys, is_same);
    }
  }
  keys->push_back({.key = "gains.bandwidth_hz",
                   .type = ConfigType::kNumberOrNumbers,
                   .unit = "Hz",
                   .range = "> 0",
                   .doc = "in place of Lambda or K_P and K_D"});
  keys->push_back({.key = "gains.damping_ratio",
                   .type = ConfigType::kNumber,
                   .range = "> 0",
                   .doc = "with bandwidth_hz; default: 1"});
}

// Every key that a config can have, with its default: those of each type of reference, of lists as
// `pushes.*.body`, and of maps as `gains.*`, or of gains each by name.
std::vector<ConfigKey> AllKeys(bool gains_by_name) {
  std::vector<ConfigKey> keys = {{.key = "base",
                                  .doc = "baseline config, relative to this file, or a scene's "
                                         "name; this file's values override its values"}};
  SceneConfig config;
  std::vector<ReferenceConfig> references;  // one of each type
  for (const ReferenceType* type : ReferenceTypes()) references.emplace_back(*type);
  for (BoundKey& row : BindKeys(&config, references)) {
    if (const auto* list = std::get_if<ListRef>(&row.value)) {
      for (BoundKey& below : list->add()) {
        below.key = row.key + ".*." + below.key;
        below.owner = row.owner;
        AddRow(below, &keys);
      }
    } else if (std::holds_alternative<LawOptions*>(row.value)) {
      AddOptions(&keys);
    } else if (row.key == "gains" && gains_by_name) {
      AddGains(&keys);
    } else {
      if (IsMap(row.value)) row.key += ".*";
      AddRow(row, &keys);
    }
  }
  return keys;
}

}  // namespace

bool IsOfEveryLaw(std::string_view key) {
  LawConfig law;
  std::vector<BoundKey> keys;
  Bind("", LawKeys(), &law, &keys);
  return std::ranges::any_of(keys, [key](const BoundKey& row) {
    return row.key == key && !std::holds_alternative<LawOptions*>(row.value);
  });
}

}  // namespace internal

const char* ToString(ConfigType type) {
  // In the order of ConfigType.
  constexpr const char* kTexts[] = {"text",
                                    "texts",
                                    "choice",
                                    "number",
                                    "whole number",
                                    "true or false",
                                    "numbers",
                                    "number or numbers",
                                    "lists of numbers",
                                    "number or map",
                                    "lists of numbers or map",
                                    "skew matrix"};
  return kTexts[static_cast<size_t>(type)];
}

std::vector<ConfigKey> ConfigKeys() {
  std::vector<ConfigKey> all;
  for (ConfigKey& key : internal::AllKeys(false)) {
    // Of several laws or types of references that share a key the first one documents it.
    if (std::ranges::find(all, key.key, &ConfigKey::key) != all.end()) continue;
    key.owners.clear();
    all.push_back(std::move(key));
  }
  return all;
}

std::vector<ConfigKey> DescribeKeys() { return internal::AllKeys(true); }

std::vector<ConfigKey> DescribeKeys(const LawInfo& law) {
  std::vector<ConfigKey> keys;
  for (const OptionInfo& option : law.options) keys.push_back(internal::OfOption(option));
  for (const ParameterInfo& gain : law.parameters) keys.push_back(internal::OfGain(gain));
  return keys;
}

std::vector<std::string> ConfigKeyNames(const std::string& prefix) {
  std::vector<std::string> names;
  const std::string start = prefix.empty() ? "" : prefix + ".";
  for (const ConfigKey& row : ConfigKeys()) {
    if (!row.key.starts_with(start)) continue;
    const std::string rest = row.key.substr(start.size());
    const std::string name = rest.substr(0, rest.find('.'));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

}  // namespace civita
