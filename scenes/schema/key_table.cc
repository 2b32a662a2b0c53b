#include "civita/scenes/schema/key_table.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <tuple>

#include "civita/scenes/motion/reference_types.h"
#include "civita/scenes/schema/config_keys.h"
#include "civita/scenes/schema/config_values.h"

namespace civita {
namespace {

constexpr std::string_view kGains = "gains.*";

const char* ToText(NumberRange range) {
  switch (range) {
    case NumberRange::kPositive:
      return "> 0";
    case NumberRange::kNotNegative:
      return "≥ 0";
    case NumberRange::kAny:
      break;
  }
  return "";
}

KeyInfo OfRow(const ConfigKey& row) {
  return {.key = row.key,
          .type = row.type,
          .unit = std::string(row.unit),
          .default_value = "",
          .range = "",
          .choices = {},
          .doc = std::string(row.doc),
          .owners = {}};
}

// Adds what the table says of the key.
void Describe(const std::vector<internal::BoundKey>& rows, KeyInfo* info) {
  const auto row = std::ranges::find(rows, info->key, &internal::BoundKey::key);
  if (row == rows.end()) return;
  info->default_value = internal::WriteValue(row->value).value_or("");
  const bool is_number = info->type != ConfigType::kText && info->type != ConfigType::kTexts &&
                         info->type != ConfigType::kChoice && info->type != ConfigType::kBoolean;
  if (is_number) info->range = ToText(row->range);
  if (const auto* named = std::get_if<internal::NamedRef>(&row->value)) {
    info->choices = named->names();
  }
}

void DescribeOwners(KeyInfo* info) {
  constexpr std::string_view kPrefix = "reference.";
  if (!info->key.starts_with(kPrefix)) return;
  std::string name = info->key.substr(kPrefix.size());
  name = name.substr(0, name.find('.'));
  for (const ReferenceType* type : ReferenceTypes()) {
    if (type->Has(name)) info->owners.emplace_back(type->name);
  }
}

// What the first law that has this option says of it.
void DescribeOption(KeyInfo* info) {
  constexpr std::string_view kPrefix = "controller.";
  if (!info->key.starts_with(kPrefix)) return;
  const std::string_view name = std::string_view(info->key).substr(kPrefix.size());
  for (const LawInfo* law : Laws()) {
    const auto option = std::ranges::find(law->options, name, &OptionInfo::key);
    if (option == law->options.end()) continue;
    info->owners.emplace_back(law->type);
    if (info->owners.size() > 1) continue;
    info->default_value = internal::WriteOption(DefaultOf(*option)).value_or("");
    if (!option->choices.empty())
      info->choices.assign(option->choices.begin(), option->choices.end());
    if (info->type == ConfigType::kNumber || info->type == ConfigType::kNumbers) {
      info->range = ToText(option->range);
    }
  }
}

void AddGains(std::vector<KeyInfo>* keys) {
  const size_t first = keys->size();
  for (const LawInfo* law : Laws()) {
    for (const ParameterInfo& gain : law->parameters) {
      const std::string key = "gains." + std::string(gain.key);
      const std::string value = ToYamlText(gain.default_value);
      const auto found = std::find_if(
          keys->begin() + static_cast<std::ptrdiff_t>(first), keys->end(),
          [&](const KeyInfo& info) { return info.key == key && info.default_value == value; });
      if (found != keys->end()) {
        found->owners.emplace_back(law->type);
        continue;
      }
      keys->push_back({.key = key,
                       .type = gain.shape == GainShape::kScalar ? ConfigType::kNumber
                                                                : ConfigType::kNumberOrNumbers,
                       .unit = std::string(gain.unit),
                       .default_value = value,
                       .range = "≥ 0",
                       .choices = {},
                       .doc = std::string(gain.description),
                       .owners = {std::string(law->type)}});
    }
  }
}

}  // namespace

std::vector<KeyInfo> DescribeKeys() {
  std::vector<KeyInfo> keys;
  SceneConfig defaults;
  const std::vector<internal::BoundKey> rows = internal::BindAllKeys(&defaults);
  for (const ConfigKey& row : ConfigKeys()) {
    if (row.key == kGains) AddGains(&keys);
    KeyInfo info = OfRow(row);
    Describe(rows, &info);
    DescribeOwners(&info);
    DescribeOption(&info);
    if (row.key == kGains) {
      for (const auto& [key, unit, doc] :
           {std::tuple("gains.bandwidth_hz", "Hz", "in place of Lambda or K_P and K_D"),
            std::tuple("gains.damping_ratio", "", "with bandwidth_hz; else 1")}) {
        info.key = key;
        info.unit = unit;
        info.doc = doc;
        info.range = "> 0";
        if (info.key == "gains.damping_ratio") info.type = ConfigType::kNumber;
        keys.push_back(info);
      }
      continue;
    }
    if (info.default_value == "[]") info.default_value.clear();
    keys.push_back(std::move(info));
  }
  return keys;
}

}  // namespace civita
