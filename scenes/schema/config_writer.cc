#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "civita/scenes/schema/config_keys.h"
#include "civita/scenes/schema/config_values.h"
#include "civita/scenes/schema/gain_value.h"

namespace civita {
namespace {

using internal::BoundKey;

// Whether a key has no effect because its subject does not exist.
bool IsUnused(std::string_view key, const SceneConfig& config) {
  if (key.starts_with("payload.")) return config.payload.body.empty();
  if (key == "initial.v_error_seed" || key == "initial.v_error_size") {
    return config.initial.v_error_prior == VelocityErrorPrior::kNone;
  }
  if (key.starts_with("robot.")) return !config.robot.floating_base;
  return (key.starts_with("legs.") || key.starts_with("gait.")) && config.legs.feet.empty();
}

// The items of a list, below a key that is indented by `indent` spaces; empty values are left out.
std::string WriteList(const std::string& key, const internal::ListRef& list,
                      const std::string& indent) {
  std::string text = list.size() == 0 ? "" : indent + key + ":\n";
  for (size_t i = 0; i < list.size(); ++i) {
    std::string lead = indent + "  - ";
    for (const BoundKey& row : list.bind(i)) {
      const std::optional<std::string> value = internal::WriteValue(row.value);
      if (!value || *value == "[]") continue;
      text += lead;
      text += row.key + ": " + *value + "\n";
      lead = indent + "    ";
    }
  }
  return text;
}

std::string WriteLawOptions(const SceneConfig& config) {
  std::string text;
  for (const OptionInfo& option : FindLaw(config.controller).options) {
    const OptionValue* value = config.law_options.Find(option.key);
    const std::optional<std::string> written = value ? internal::WriteOption(*value) : std::nullopt;
    if (written) text += "  " + std::string(option.key) + ": " + *written + "\n";
  }
  return text;
}

std::string WriteGains(const SceneConfig& config) {
  std::string text = "gains:\n";
  const LawInfo& law = FindLaw(config.controller);
  for (const auto& [key, numbers] : config.gains) {
    const GainShape shape = internal::ShapeOf(law, key);
    const std::string value = internal::WriteGain(shape, numbers);
    if (shape == GainShape::kSkew && value == "0") continue;
    text.append("  ").append(key).append(": ").append(value).append("\n");
  }
  return text;
}

}  // namespace

std::string ToYaml(const SceneConfig& config) {
  std::string text, section;
  SceneConfig copy = config, defaults;
  defaults.reference = ReferenceConfig(config.reference.type());
  const std::vector<BoundKey> keys = internal::BindKeys(&copy);
  const std::vector<BoundKey> unset = internal::BindKeys(&defaults);
  for (size_t i = 0; i < keys.size(); ++i) {
    const std::string& whole = keys[i].key;
    const size_t dot = whole.find('.');
    const std::string parent = dot == std::string::npos ? "" : whole.substr(0, dot);
    const std::string key = dot == std::string::npos ? whole : whole.substr(dot + 1);
    if (whole == "gains") text += WriteGains(config);
    if (std::holds_alternative<LawOptions*>(keys[i].value)) text += WriteLawOptions(config);
    if (const auto* list = std::get_if<internal::ListRef>(&keys[i].value)) {
      text += WriteList(key, *list, parent.empty() ? "" : "  ");
    }
    const std::optional<std::string> value = internal::WriteValue(keys[i].value);
    const bool empty = value == "[]" && internal::WriteValue(unset[i].value) == "[]";
    if (!value || empty || IsUnused(whole, config)) continue;
    if (!parent.empty() && parent != section) text += parent + ":\n";
    section = parent;
    text += (parent.empty() ? "" : "  ") + key + ": " + *value + "\n";
  }
  return text;
}

}  // namespace civita
