#include "civita/scenes/schema/config_reader.h"

#include <algorithm>
#include <vector>

#include "civita/error.h"
#include "civita/scenes/schema/config_keys.h"
#include "civita/scenes/schema/config_values.h"

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

class Reader {
 public:
  explicit Reader(SceneConfig* config) : config_(config), keys_(BindKeys(config)) {}

  void ReadMap(const YamlValue& map, const std::string& prefix) {
    for (const YamlValue::Entry& entry : map.entries) ReadEntry(entry, prefix);
  }

 private:
  void ReadEntry(const YamlValue::Entry& entry, const std::string& prefix) {
    const std::string key = prefix.empty() ? entry.key : prefix + "." + entry.key;
    const bool is_law = prefix == "controller" && !IsOfEveryLaw(entry.key);
    if (key == "gains" || key == "plugins" || key == "reference.type" || is_law) return;
    if (key == "base") throw UserError(entry.where + ": base can stand in a config file only");
    const auto row = std::ranges::find(keys_, key, &BoundKey::key);
    if (row != keys_.end()) {
      ReadValue(*row, entry.value, &config_->places);
      Record(key, entry.value, config_);
      if (key == "pushes") CheckPushes(entry.value, *config_);
      return;
    }
    // Listing the names takes the options of all laws, longer than the rest of reading a config.
    if (!IsSection(key)) RefuseKey(entry, ConfigKeyNames(prefix));
    if (entry.value.kind != YamlValue::Kind::kMap) {
      CheckIsMap(entry.value, key, ConfigKeyNames(key));
    }
    ReadMap(entry.value, key);
  }

  bool IsSection(const std::string& key) const {
    return std::ranges::any_of(
        keys_, [start = key + "."](const BoundKey& row) { return row.key.starts_with(start); });
  }

  SceneConfig* config_;
  std::vector<BoundKey> keys_;
};

}  // namespace

void Record(const std::string& key, const YamlValue& value, SceneConfig* config) {
  config->places[key] = value.where;
  if (value.where.starts_with(kOverridePrefix)) {
    config->directories[key] = std::filesystem::current_path();
    return;
  }
  if (value.file.empty() || value.file == config->source) return;
  config->directories[key] = std::filesystem::absolute(value.file).parent_path().lexically_normal();
}

void ReadKey(const std::string& key, const YamlValue& value, SceneConfig* config) {
  for (const BoundKey& row : BindKeys(config)) {
    if (row.key == key) ReadValue(row, value, &config->places);
  }
  Record(key, value, config);
}

void ReadSections(const YamlValue& root, SceneConfig* config) { Reader(config).ReadMap(root, ""); }

}  // namespace civita::internal
