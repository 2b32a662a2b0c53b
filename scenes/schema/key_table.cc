#include "civita/scenes/schema/key_table.h"

#include <algorithm>
#include <utility>

#include "civita/scenes/schema/config_keys.h"
#include "civita/scenes/schema/config_values.h"

namespace civita {
namespace {

constexpr std::string_view kGains = "gains.*";

KeyInfo OfRow(const internal::BoundKey& row) {
  KeyInfo info = {.key = row.key,
                  .type = internal::TypeOf(row.value),
                  .unit = std::string(row.unit),
                  .default_value = internal::WriteValue(row.value).value_or(""),
                  .doc = std::string(row.doc)};
  if (info.default_value == "[]") info.default_value.clear();
  const bool is_number = info.type != ConfigType::kText && info.type != ConfigType::kTexts &&
                         info.type != ConfigType::kChoice && info.type != ConfigType::kBoolean;
  if (is_number) info.range = ToText(row.range);
  if (const auto* named = std::get_if<internal::NamedRef>(&row.value)) {
    info.choices = named->names();
  }
  return info;
}

// Types of references that document a key identically share its row.
void AddRow(const internal::BoundKey& row, std::vector<KeyInfo>* keys) {
  KeyInfo info = OfRow(row);
  if (row.owner.empty()) return keys->push_back(std::move(info));
  const auto is_same = [&info](KeyInfo other) {
    other.owners.clear();
    return other == info;
  };
  const auto found = std::ranges::find_if(*keys, is_same);
  KeyInfo& shared = found == keys->end() ? keys->emplace_back(std::move(info)) : *found;
  shared.owners.emplace_back(row.owner);
}

KeyInfo OfOption(const OptionInfo& option) {
  KeyInfo info = {.key = "controller." + std::string(option.key),
                  .type = internal::TypeOf(option),
                  .unit = std::string(option.unit),
                  .default_value = internal::WriteOption(DefaultOf(option)).value_or(""),
                  .choices = {option.choices.begin(), option.choices.end()},
                  .doc = std::string(option.doc)};
  if (info.default_value == "[]") info.default_value.clear();
  if (info.type == ConfigType::kNumber || info.type == ConfigType::kNumbers) {
    info.range = ToText(option.range);
  }
  return info;
}

KeyInfo OfGain(const ParameterInfo& gain) {
  return {.key = "gains." + std::string(gain.key),
          .type = gain.shape == GainShape::kSkew     ? ConfigType::kSkewMatrix
                  : gain.shape == GainShape::kScalar ? ConfigType::kNumber
                                                     : ConfigType::kNumberOrNumbers,
          .unit = std::string(gain.unit),
          .default_value = ToYamlText(gain.default_value),
          .range = ToText(gain.range),
          .doc = std::string(gain.description)};
}

// Adds the options of all laws; the first law that has an option documents it.
void AddOptions(std::vector<KeyInfo>* keys) {
  for (const LawInfo* law : Laws()) {
    for (const OptionInfo& option : law->options) {
      KeyInfo own = OfOption(option);
      const auto found = std::ranges::find(*keys, own.key, &KeyInfo::key);
      KeyInfo& info = found == keys->end() ? keys->emplace_back(std::move(own)) : *found;
      info.owners.emplace_back(law->type);
    }
  }
}

// Adds the gains of all laws; the first law that has a gain with this default documents it.
void AddGains(std::vector<KeyInfo>* keys) {
  for (const LawInfo* law : Laws()) {
    for (const ParameterInfo& gain : law->parameters) {
      KeyInfo own = OfGain(gain);
      const auto found = std::ranges::find_if(*keys, [&own](const KeyInfo& info) {
        return info.key == own.key && info.default_value == own.default_value;
      });
      KeyInfo& info = found == keys->end() ? keys->emplace_back(std::move(own)) : *found;
      info.owners.emplace_back(law->type);
    }
  }
}

void AddDesign(std::vector<KeyInfo>* keys) {
  keys->push_back({.key = "gains.bandwidth_hz",
                   .type = ConfigType::kNumberOrNumbers,
                   .unit = "Hz",
                   .range = "> 0",
                   .doc = "in place of Lambda or K_P and K_D"});
  keys->push_back({.key = "gains.damping_ratio",
                   .type = ConfigType::kNumber,
                   .unit = "",
                   .range = "> 0",
                   .doc = "with bandwidth_hz; default: 1"});
}

}  // namespace

std::vector<KeyInfo> DescribeKeys() {
  const ConfigKey base = ConfigKeys().front();
  std::vector<KeyInfo> keys = {
      {.key = base.key, .type = base.type, .unit = "", .doc = std::string(base.doc)}};
  const internal::DefaultKeys defaults;
  for (const internal::BoundKey& row : defaults.rows()) {
    if (std::holds_alternative<LawOptions*>(row.value)) {
      AddOptions(&keys);
    } else if (row.key == kGains) {
      AddGains(&keys);
      AddDesign(&keys);
    } else {
      AddRow(row, &keys);
    }
  }
  return keys;
}

std::vector<KeyInfo> DescribeKeys(const LawInfo& law) {
  std::vector<KeyInfo> keys;
  for (const OptionInfo& option : law.options) keys.push_back(OfOption(option));
  for (const ParameterInfo& gain : law.parameters) keys.push_back(OfGain(gain));
  return keys;
}

}  // namespace civita
