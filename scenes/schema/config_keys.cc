#include "civita/scenes/schema/config_keys.h"

#include <algorithm>
#include <utility>

#include "civita/scenes/motion/reference_types.h"
#include "civita/scenes/schema/config_values.h"

namespace civita {
namespace internal {
namespace {

// If several laws or types of references share a key, the first one's row is kept.
void Add(ConfigKey key, std::vector<ConfigKey>* keys) {
  const bool has = std::ranges::find(*keys, key.key, &ConfigKey::key) != keys->end();
  if (!has) keys->push_back(std::move(key));
}

void AddOptionKeys(std::vector<ConfigKey>* keys) {
  for (const LawInfo* law : Laws()) {
    for (const OptionInfo& option : law->options) {
      Add({"controller." + std::string(option.key), TypeOf(option), option.unit, option.doc}, keys);
    }
  }
}

}  // namespace

DefaultKeys::DefaultKeys() {
  for (const ReferenceType* type : ReferenceTypes()) references_.emplace_back(*type);
  for (BoundKey& key : BindKeys(&config_, references_)) {
    if (const auto* list = std::get_if<ListRef>(&key.value)) {
      for (BoundKey& below : list->add()) {
        below.key = key.key + ".*." + below.key;
        below.owner = key.owner;
        rows_.push_back(std::move(below));
      }
      continue;
    }
    if (IsMap(key.value)) key.key += ".*";
    rows_.push_back(std::move(key));
  }
}

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
  switch (type) {
    case ConfigType::kText:
      return "text";
    case ConfigType::kTexts:
      return "texts";
    case ConfigType::kChoice:
      return "choice";
    case ConfigType::kNumber:
      return "number";
    case ConfigType::kInteger:
      return "whole number";
    case ConfigType::kBoolean:
      return "true or false";
    case ConfigType::kNumbers:
      return "numbers";
    case ConfigType::kRows:
      return "lists of numbers";
    case ConfigType::kNumberByName:
      return "number or map";
    case ConfigType::kSkewMatrix:
      return "skew matrix";
    case ConfigType::kRowsByName:
      return "lists of numbers or map";
    case ConfigType::kNumberOrNumbers:
      break;
  }
  return "number or numbers";
}

std::vector<ConfigKey> ConfigKeys() {
  std::vector<ConfigKey> all = {{"base", ConfigType::kText, "",
                                 "baseline config, relative to this file, or a scene's name; this "
                                 "file's values override its values"}};
  const internal::DefaultKeys defaults;
  for (const internal::BoundKey& key : defaults.rows()) {
    if (std::holds_alternative<LawOptions*>(key.value)) {
      internal::AddOptionKeys(&all);
    } else {
      internal::Add({key.key, internal::TypeOf(key.value), key.unit, key.doc}, &all);
    }
  }
  return all;
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
