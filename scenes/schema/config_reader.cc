#include "civita/scenes/schema/config_reader.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>
#include <vector>

#include "base/text.h"
#include "civita/error.h"
#include "civita/scenes/schema/config_keys.h"
#include "civita/scenes/schema/config_values.h"
#include "civita/scenes/schema/gain_value.h"

namespace civita::internal {
namespace {

// Keys of which a push has one.
constexpr const char* kForces[] = {"force_N", "impulse_Ns", "joint_force"};

void CheckPush(const YamlValue& item, const std::string& prefix, const SceneConfig& config,
               const PushConfig& push) {
  const auto refuse = [&](const std::string& key, const std::string& text) {
    throw UserError(config.Where(key) + ": " + text);
  };
  std::vector<std::string> given;
  for (const char* key : kForces) {
    if (item.Find(key) != nullptr) given.emplace_back(key);
  }
  const bool has_joint = !push.joint.empty();
  if (given.empty()) {
    refuse(prefix, prefix + " lacks the key " +
                       (has_joint ? "'joint_force'" : "'force_N' or 'impulse_Ns'"));
  }
  if (given.size() > 1) {
    refuse(prefix, prefix + " has both " + given[0] + " and " + given[1] + "; give one of them");
  }
  if (has_joint && !push.body.empty()) {
    refuse(prefix, prefix + " has both body and joint; give one of them");
  }
  const std::string key = prefix + "." + given.front();
  if (has_joint != (given.front() == kForces[2])) {
    refuse(key, key + (has_joint ? " acts on a body; on a joint joint_force does"
                                 : " needs the key 'joint'"));
  }
  if (!push.point.empty() && push.body.empty()) {
    refuse(prefix + ".point_m", prefix + ".point_m needs the key 'body'");
  }
  const std::vector<double>& force = push.impulse.empty() ? push.force : push.impulse;
  if (!has_joint && force.size() != 3) refuse(key, key + " must be 3 numbers");
  const bool is_sine = push.shape == PushShape::kSine;
  if (is_sine && !push.frequency_hz) refuse(prefix, prefix + " lacks the key 'frequency_hz'");
  if (is_sine && !push.impulse.empty()) refuse(key, key + " is not of a sine; give force_N");
  for (const char* own : {"frequency_hz", "phase_rad"}) {
    const std::string own_key = prefix + "." + own;
    if (!is_sine && item.Find(own) != nullptr) refuse(own_key, own_key + " is of shape sine alone");
  }
}

void CheckPushes(const YamlValue& list, const SceneConfig& config) {
  for (size_t i = 0; i < list.items.size(); ++i) {
    CheckPush(list.items[i], "pushes." + std::to_string(i), config, config.pushes[i]);
  }
}

// Records where the key is given.
void Record(const std::string& key, const YamlValue& value, SceneConfig* config) {
  config->places[key] = value.where;
  if (value.where.starts_with(kOverridePrefix)) {
    config->directories[key] = std::filesystem::current_path();
    return;
  }
  if (value.file.empty() || value.file == config->source) return;
  config->directories[key] = std::filesystem::absolute(value.file).parent_path().lexically_normal();
}

void ReadMap(const YamlValue& map, const std::string& prefix, const std::vector<BoundKey>& rows,
             SceneConfig* config) {
  for (const YamlValue::Entry& entry : map.entries) {
    const std::string key = prefix.empty() ? entry.key : prefix + "." + entry.key;
    const bool is_law = prefix == "controller" && !IsOfEveryLaw(entry.key);
    if (key == "gains" || key == "plugins" || key == "reference.type" || is_law) continue;
    if (key == "base") throw UserError(entry.where + ": base can stand in a config file only");
    const auto row = std::ranges::find(rows, key, &BoundKey::key);
    if (row != rows.end()) {
      ReadValue(*row, entry.value, &config->places);
      Record(key, entry.value, config);
      if (key == "pushes") CheckPushes(entry.value, *config);
      continue;
    }
    const bool is_section = std::ranges::any_of(
        rows, [&](const BoundKey& other) { return other.key.starts_with(key + "."); });
    // Listing the names takes the options of all laws, longer than the rest of reading a config.
    if (!is_section) RefuseKey(entry, ConfigKeyNames(prefix));
    if (key == "legs" && entry.value.text == "auto") continue;  // as without any of its keys
    if (entry.value.kind != YamlValue::Kind::kMap) {
      CheckIsMap(entry.value, key, ConfigKeyNames(key));
    }
    ReadMap(entry.value, key, rows, config);
  }
}

constexpr const char* kBandwidth = "bandwidth_hz";
constexpr const char* kDampingRatio = "damping_ratio";

const OptionInfo* FindOption(const LawInfo& law, std::string_view key) {
  const auto found = std::ranges::find(law.options, key, &OptionInfo::key);
  return found == law.options.end() ? nullptr : &*found;
}

[[noreturn]] void RefuseOption(const YamlValue::Entry& entry, const LawInfo& law) {
  std::vector<std::string> others, valid;
  for (const LawInfo* other : Laws()) {
    if (FindOption(*other, entry.key)) others.emplace_back(other->type);
  }
  for (const std::string& name : ConfigKeyNames("controller")) {
    if (FindOption(law, name) || IsOfEveryLaw(name)) valid.push_back(name);
  }
  if (others.empty()) RefuseKey(entry, valid);
  throw UserError(entry.where + ": controller." + entry.key + " is an option of " +
                  Join(others, ", ") + ", not of controller.type " + std::string(law.type) +
                  "; valid: " + Join(valid, ", "));
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

void ReadLawOptions(const YamlValue* controller, const std::string& law_of_file,
                    SceneConfig* config) {
  const LawInfo& law = FindLaw(config->controller);
  const std::vector<YamlValue::Entry> none;
  for (const YamlValue::Entry& entry : controller ? controller->entries : none) {
    if (IsOfEveryLaw(entry.key)) continue;
    if (const OptionInfo* option = FindOption(law, entry.key)) {
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

// The given gains that are of the config's law: of another one those of --set alone.
YamlValue SelectGains(YamlValue gains, const std::string& law_of_file, SceneConfig* config) {
  if (config->controller == law_of_file) return gains;
  const size_t dropped = std::erase_if(gains.entries, [](const YamlValue::Entry& entry) {
    return !entry.where.starts_with(kOverridePrefix);
  });
  if (dropped > 0) {
    config->notices.push_back(config->source + ": its gains are for " + law_of_file + "; " +
                              config->controller + " runs with its own defaults");
  }
  return gains;
}

void ReadGains(const YamlValue& gains, SceneConfig* config) {
  const LawInfo& law = FindLaw(config->controller);
  std::vector<std::string> valid;
  for (const ParameterInfo& parameter : law.parameters) {
    valid.emplace_back(parameter.key);
    config->gains[valid.back()] = {parameter.default_value};
  }
  const bool designed = !valid.empty() && (valid.front() == "Lambda" || valid.front() == "K_P") &&
                        config->gains.contains("K_D");
  if (designed) valid.insert(valid.end(), {kBandwidth, kDampingRatio});
  CheckIsMap(gains, "gains", valid);
  const bool is_set = designed && DesignGains(gains, valid.front(), config);
  for (const YamlValue::Entry& entry : gains.entries) {
    if (std::ranges::find(valid, entry.key) == valid.end()) RefuseKey(entry, valid);
    if (entry.key == kBandwidth || entry.key == kDampingRatio) continue;
    if (is_set && (entry.key == valid.front() || entry.key == "K_D")) continue;
    config->places["gains." + entry.key] = entry.value.where;
    GivenGain given =
        ReadGain(*std::ranges::find(law.parameters, entry.key, &ParameterInfo::key), entry.value);
    if (!given.is_whole) config->gains_by_entries.insert(entry.key);
    config->gains[entry.key] = std::move(given.numbers);
  }
}

}  // namespace

void ReadKey(const std::string& key, const YamlValue& value, SceneConfig* config) {
  for (const BoundKey& row : BindKeys(config)) {
    if (row.key == key) ReadValue(row, value, &config->places);
  }
  Record(key, value, config);
}

void ReadSections(const YamlValue& root, SceneConfig* config) {
  ReadMap(root, "", BindKeys(config), config);
}

void ReadLawKeys(const std::string& law_of_file, const YamlValue& root, SceneConfig* config) {
  ReadLawOptions(root.Find("controller"), law_of_file, config);
  const YamlValue* gains = root.Find("gains");
  ReadGains(gains ? SelectGains(*gains, law_of_file, config) : YamlValue(), config);
}

}  // namespace civita::internal
