#include "civita/scenes/schema/config_reader.h"

#include <algorithm>
#include <vector>

#include "civita/error.h"
#include "civita/scenes/schema/config_keys.h"
#include "civita/scenes/schema/config_values.h"

namespace civita::internal {
namespace {

void CheckPushes(const YamlValue& list, const SceneConfig& config) {
  for (size_t i = 0; i < list.items.size(); ++i) {
    const PushConfig& push = config.pushes[i];
    const std::string prefix = "pushes." + std::to_string(i);
    const YamlValue* force = list.items[i].Find("force_N");
    const YamlValue* impulse = list.items[i].Find("impulse_Ns");
    if ((force == nullptr) == (impulse == nullptr)) {
      throw UserError(config.Where(prefix) + ": " + prefix +
                      (force ? " has both force_N and impulse_Ns; give one of them"
                             : " lacks the key 'force_N' or 'impulse_Ns'"));
    }
    const std::string key = prefix + (force ? ".force_N" : ".impulse_Ns");
    if ((force ? push.force : push.impulse).size() == 3) continue;
    throw UserError(config.Where(key) + ": " + key + " must be 3 numbers");
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
