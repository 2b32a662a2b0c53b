#include "civita/scenes/schema/law_reader.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>

#include "base/text.h"
#include "civita/error.h"
#include "civita/scenes/schema/config_file.h"
#include "civita/scenes/schema/config_keys.h"
#include "civita/scenes/schema/config_reader.h"
#include "civita/scenes/schema/config_values.h"
#include "civita/scenes/schema/gain_value.h"

namespace civita::internal {
namespace {

constexpr const char* kBandwidth = "bandwidth_hz";
constexpr const char* kDampingRatio = "damping_ratio";

std::string ListAll(const std::vector<std::string>& names) { return List(names, names.size()); }

[[noreturn]] void RefuseOption(const YamlValue::Entry& entry, const LawInfo& law) {
  std::vector<std::string> others;
  for (const LawInfo* other : Laws()) {
    const bool has = std::any_of(other->options.begin(), other->options.end(),
                                 [&](const auto& row) { return row.key == entry.key; });
    if (has) others.emplace_back(other->type);
  }
  std::vector<std::string> valid;
  for (const std::string& name : ConfigKeyNames("controller")) {
    const bool own = std::any_of(law.options.begin(), law.options.end(),
                                 [&](const auto& row) { return row.key == name; });
    if (own || IsOfEveryLaw(name)) valid.push_back(name);
  }
  if (others.empty()) RefuseKey(entry, valid);
  throw UserError(entry.where + ": controller." + entry.key + " is an option of " +
                  ListAll(others) + ", not of controller.type " + std::string(law.type) +
                  "; valid: " + ListAll(valid));
}

// Converts ω = 2π bandwidth and ζ to gains. For ë + (Λ + K_D) ė + ΛK_D e = 0 the slower root is Λ,
// the faster one K_D (and K_v, its counterpart in reference dynamics); laws of second order get
// K_P = ω² and K_D = 2ζω.
// @returns whether the gains `first` and K_D are set this way.
bool DesignGains(const YamlValue& gains, const std::string& first, LawConfig* law) {
  const YamlValue* bandwidth = gains.Find(kBandwidth);
  const YamlValue* damping = gains.Find(kDampingRatio);
  if (!bandwidth && !damping) return false;
  if (!bandwidth) {
    throw UserError(damping->where + ": gains.damping_ratio needs gains.bandwidth_hz");
  }
  for (const YamlValue::Entry& entry : gains.entries) {
    const bool given = entry.key == first || entry.key == "K_D";
    if (!given || bandwidth->where.starts_with(kOverridePrefix)) continue;
    throw UserError(entry.where + ": gains." + entry.key +
                    " and gains.bandwidth_hz are both given; give one of them");
  }
  if (law->gain_form != GainForm::kMass) {
    throw UserError(bandwidth->where +
                    ": gains.bandwidth_hz needs controller.gain_form mass, where a gain is a rate");
  }
  const double zeta =
      damping ? ReadNumber(*damping, "gains.damping_ratio", NumberRange::kPositive) : 1;
  const bool roots = first == "Lambda";
  if (roots && zeta < 1) {
    throw UserError(damping->where + ": gains.damping_ratio is " + ToYamlText(zeta) +
                    "; Λ and K_D are real from 1 on");
  }
  std::vector<double>& slow = law->gains[first];
  std::vector<double>& fast = law->gains["K_D"];
  slow = ReadNumbers(*bandwidth, "gains.bandwidth_hz", NumberRange::kPositive, true);
  fast = slow;
  const double spread = roots ? std::sqrt(zeta * zeta - 1) : 0;
  for (size_t i = 0; i < slow.size(); ++i) {
    const double omega = 2 * std::numbers::pi * slow[i];
    slow[i] = roots ? omega * (zeta - spread) : omega * omega;
    fast[i] = roots ? omega * (zeta + spread) : 2 * zeta * omega;
  }
  if (law->gains.contains("K_v")) law->gains["K_v"] = fast;
  return true;
}

}  // namespace

void ReadLawOptions(const YamlValue* controller, const std::string& law_of_file,
                    SceneConfig* config) {
  const LawInfo& law = FindLaw(config->controller);
  const std::vector<YamlValue::Entry> none;
  for (const YamlValue::Entry& entry : controller ? controller->entries : none) {
    if (IsOfEveryLaw(entry.key)) continue;
    const auto option = std::find_if(law.options.begin(), law.options.end(),
                                     [&](const auto& row) { return row.key == entry.key; });
    if (option != law.options.end()) {
      const std::string key = "controller." + entry.key;
      config->law_options.Set(entry.key, ReadOption(*option, entry.value, key));
      Record(key, entry.value, config);
    } else if (config->controller == law_of_file || entry.where.starts_with(kOverridePrefix)) {
      RefuseOption(entry, law);
    } else {
      config->notices.push_back(config->source + ": its controller." + entry.key + " is for " +
                                law_of_file + "; " + config->controller + " has no such option");
    }
  }
  config->law_options.Complete(law.options);
}

const YamlValue* SelectGains(const std::string& law_of_file, YamlValue* root, SceneConfig* config) {
  const auto gains = std::find_if(root->entries.begin(), root->entries.end(),
                                  [](const auto& entry) { return entry.key == "gains"; });
  if (gains == root->entries.end()) return nullptr;
  if (config->controller != law_of_file) {
    const size_t before = gains->value.entries.size();
    std::erase_if(gains->value.entries, [](const YamlValue::Entry& entry) {
      return !entry.where.starts_with(kOverridePrefix);
    });
    if (gains->value.entries.size() != before) {
      config->notices.push_back(config->source + ": its gains are for " + law_of_file + "; " +
                                config->controller + " runs with its own defaults");
    }
  }
  return &gains->value;
}

void ReadGains(const YamlValue* gains, SceneConfig* config) {
  std::vector<std::string> valid;
  for (const ParameterInfo& parameter : FindLaw(config->controller).parameters) {
    valid.emplace_back(parameter.key);
    config->gains[valid.back()] = {parameter.default_value};
  }
  if (!gains) return;
  const bool designed = !valid.empty() && (valid.front() == "Lambda" || valid.front() == "K_P") &&
                        config->gains.contains("K_D");
  if (designed) valid.insert(valid.end(), {kBandwidth, kDampingRatio});
  CheckIsMap(*gains, "gains", valid);
  const bool is_set = designed && DesignGains(*gains, valid.front(), config);
  for (const YamlValue::Entry& entry : gains->entries) {
    if (std::find(valid.begin(), valid.end(), entry.key) == valid.end()) RefuseKey(entry, valid);
    if (entry.key == kBandwidth || entry.key == kDampingRatio) continue;
    if (is_set && (entry.key == valid.front() || entry.key == "K_D")) continue;
    config->places["gains." + entry.key] = entry.value.where;
    const ParameterInfo& gain =
        *std::ranges::find(FindLaw(config->controller).parameters, entry.key, &ParameterInfo::key);
    GivenGain given = ReadGain(gain, entry.value);
    if (!given.is_whole) config->gains_by_entries.insert(entry.key);
    config->gains[entry.key] = std::move(given.numbers);
  }
}

}  // namespace civita::internal
