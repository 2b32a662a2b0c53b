#include "scenes/schema/config.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <system_error>

#include "civita/build_info.h"
#include "core/error.h"
#include "core/suggest.h"
#include "scenes/motion/reference_types.h"
#include "scenes/registry.h"
#include "scenes/schema/config_file.h"
#include "scenes/schema/config_keys.h"
#include "scenes/schema/yaml_value.h"

namespace civita {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kOverridePrefix = "--set ";
constexpr const char* kBandwidth = "bandwidth_hz";
constexpr const char* kDampingRatio = "damping_ratio";

std::string Join(const std::vector<std::string>& names) {
  std::string joined;
  for (const std::string& name : names) joined += (joined.empty() ? "" : ", ") + name;
  return joined;
}

std::string Child(const std::string& prefix, const std::string& key) {
  return prefix.empty() ? key : prefix + "." + key;
}

[[noreturn]] void RefuseKey(const YamlValue::Entry& entry, const std::vector<std::string>& valid) {
  throw UserError(entry.where + ": " + UnknownName("key", entry.key, valid));
}

void CheckIsMap(const YamlValue& value, const std::string& key,
                const std::vector<std::string>& valid) {
  if (value.kind == YamlValue::Kind::kMap || value.kind == YamlValue::Kind::kNull) return;
  throw UserError(value.where + ": " + key + " must be a map of keys (" + Join(valid) + "), not " +
                  value.Describe());
}

// A path of the config as an absolute one. @throws UserError unless it is a file.
void ResolvePath(std::string_view key, const SceneConfig& config, fs::path* path) {
  const std::string place = config.Where(key);
  const fs::path base =
      place.starts_with(kOverridePrefix) ? fs::current_path() : config.DirectoryOf(key);
  *path = (base / *path).lexically_normal();
  std::error_code ignored;
  if (fs::is_regular_file(*path, ignored)) return;
  const bool fetched = path->string().starts_with((DataDirectory() / ".deps/").string());
  throw UserError(place + ": " + std::string(key) + ": no such file: " + path->string() +
                  (fetched ? "; scripts/fetch_robots gets it" : ""));
}

class Reader {
 public:
  explicit Reader(SceneConfig* config) : config_(*config) {}

  void ReadMap(const YamlValue& map, const std::string& prefix) {
    for (const YamlValue::Entry& entry : map.entries) ReadEntry(entry, prefix);
  }

  // Before the map, for the law may be a plug-in's.
  void ReadPlugins(const YamlValue& root) {
    constexpr std::string_view kKey = "plugins";
    const YamlValue* list = root.Find(kKey);
    if (!list) return;
    Record(std::string(kKey), *list);
    for (const internal::KeyRow<SceneConfig>& row : internal::SceneKeys()) {
      if (row.info.key == kKey) internal::ReadMember(row, *list, std::string(kKey), &config_);
    }
    for (std::string& file : config_.plugins) {
      fs::path path = file;
      ResolvePath(kKey, config_, &path);
      file = path.string();
      try {
        LoadPlugin(path);
      } catch (const UserError& error) {
        throw UserError(list->where + ": plugins: " + error.what());
      }
    }
  }

  // After the map, for the law says which options there are.
  void ReadLawOptions(const YamlValue* controller, const std::string& law_of_file) {
    const LawInfo& law = FindLaw(config_.controller);
    const std::vector<YamlValue::Entry> none;
    for (const YamlValue::Entry& entry : controller ? controller->entries : none) {
      if (internal::IsOfEveryLaw(entry.key)) continue;
      const auto option = std::find_if(law.options.begin(), law.options.end(),
                                       [&](const auto& row) { return row.key == entry.key; });
      if (option != law.options.end()) {
        const std::string key = Child("controller", entry.key);
        config_.law_options.Set(entry.key, internal::ReadOption(*option, entry.value, key));
        Record(key, entry.value);
      } else if (config_.controller == law_of_file || entry.where.starts_with(kOverridePrefix)) {
        RefuseOption(entry, law);
      } else {
        config_.notices.push_back(config_.source + ": its controller." + entry.key + " is for " +
                                  law_of_file + "; " + config_.controller + " has no such option");
      }
    }
    config_.law_options.Complete(law.options);
  }

  // Last, for the law says which gains there are.
  void ReadGains(const YamlValue* gains) {
    std::vector<std::string> valid;
    for (const ParameterInfo& parameter : FindLaw(config_.controller).parameters) {
      valid.emplace_back(parameter.key);
      config_.gains[valid.back()] = {parameter.default_value};
    }
    if (!gains) return;
    const bool designed = !valid.empty() && (valid.front() == "Lambda" || valid.front() == "K_P") &&
                          config_.gains.contains("K_D");
    if (designed) valid.insert(valid.end(), {kBandwidth, kDampingRatio});
    CheckIsMap(*gains, "gains", valid);
    if (designed) DesignGains(*gains, valid.front());
    for (const YamlValue::Entry& entry : gains->entries) {
      if (std::find(valid.begin(), valid.end(), entry.key) == valid.end()) RefuseKey(entry, valid);
      if (entry.key == kBandwidth || entry.key == kDampingRatio) continue;
      if (!designed_first_.empty() && (entry.key == designed_first_ || entry.key == "K_D"))
        continue;
      const std::string key = "gains." + entry.key;
      config_.gains[entry.key] =
          internal::ReadNumbers(entry.value, key, internal::Range::kNotNegative, true);
      config_.places[key] = entry.value.where;
    }
  }

 private:
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
      if (own || internal::IsOfEveryLaw(name)) valid.push_back(name);
    }
    if (others.empty()) RefuseKey(entry, valid);
    throw UserError(entry.where + ": controller." + entry.key + " is an option of " + Join(others) +
                    ", not of controller.type " + config_.controller + "; valid: " + Join(valid));
  }

  void ReadEntry(const YamlValue::Entry& entry, const std::string& prefix) {
    const std::string key = Child(prefix, entry.key);
    if (key == "gains" || key == "plugins" ||
        (prefix == "controller" && !internal::IsOfEveryLaw(entry.key)))
      return;
    if (key == "base") throw UserError(entry.where + ": base can stand in a config file only");
    if (key == "pushes") {
      ReadList(entry.value, key, internal::PushKeys(), &config_.pushes);
      return CheckPushes(entry.value);
    }
    if (key == "reference.commands") {
      return ReadList(entry.value, key, internal::CommandKeys(), &config_.reference.commands);
    }
    if (key == "initial.joints") return ReadJoints(entry.value, key);
    for (const internal::KeyRow<SceneConfig>& row : internal::SceneKeys()) {
      if (row.info.key != key) continue;
      internal::ReadMember(row, entry.value, key, &config_);
      Record(key, entry.value);
      return;
    }
    const std::vector<std::string> below = ConfigKeyNames(key);
    if (below.empty()) RefuseKey(entry, ConfigKeyNames(prefix));
    CheckIsMap(entry.value, key, below);
    ReadMap(entry.value, key);
  }

  void Record(const std::string& key, const YamlValue& value) {
    config_.places[key] = value.where;
    if (value.file.empty() || value.file == config_.source) return;
    config_.directories[key] = fs::absolute(value.file).parent_path().lexically_normal();
  }

  // ω = 2π bandwidth and ζ as gains: of ë + (Λ + K_D) ė + ΛK_D e = 0 the slower root is Λ, the
  // faster one K_D (and K_v, which stands in for it in reference dynamics); K_P = ω² and K_D = 2ζω
  // of laws of the second order.
  void DesignGains(const YamlValue& gains, const std::string& first) {
    const YamlValue* bandwidth = gains.Find(kBandwidth);
    const YamlValue* damping = gains.Find(kDampingRatio);
    if (!bandwidth && !damping) return;
    if (!bandwidth) {
      throw UserError(damping->where + ": gains.damping_ratio needs gains.bandwidth_hz");
    }
    for (const YamlValue::Entry& entry : gains.entries) {
      const bool given = entry.key == first || entry.key == "K_D";
      if (!given || bandwidth->where.starts_with(kOverridePrefix)) continue;
      throw UserError(entry.where + ": gains." + entry.key +
                      " and gains.bandwidth_hz are both given; give one of them");
    }
    if (config_.gain_form != GainForm::kMass) {
      throw UserError(
          bandwidth->where +
          ": gains.bandwidth_hz needs controller.gain_form mass, where a gain is a rate");
    }
    const double zeta =
        damping ? internal::ReadNumber(*damping, "gains.damping_ratio", internal::Range::kPositive)
                : 1;
    const bool roots = first == "Lambda";
    if (roots && zeta < 1) {
      throw UserError(damping->where + ": gains.damping_ratio is " + ToYamlText(zeta) +
                      "; Λ and K_D are real from 1 on");
    }
    std::vector<double>& slow = config_.gains[first];
    std::vector<double>& fast = config_.gains["K_D"];
    slow =
        internal::ReadNumbers(*bandwidth, "gains.bandwidth_hz", internal::Range::kPositive, true);
    fast = slow;
    const double spread = roots ? std::sqrt(zeta * zeta - 1) : 0;
    for (size_t i = 0; i < slow.size(); ++i) {
      const double omega = 2 * std::numbers::pi * slow[i];
      slow[i] = roots ? omega * (zeta - spread) : omega * omega;
      fast[i] = roots ? omega * (zeta + spread) : 2 * zeta * omega;
    }
    if (config_.gains.contains("K_v")) config_.gains["K_v"] = fast;
    designed_first_ = first;
  }

  void ReadJoints(const YamlValue& map, const std::string& key) {
    CheckIsMap(map, key, {"the joints' names"});
    for (const YamlValue::Entry& entry : map.entries) {
      const std::string joint = Child(key, entry.key);
      config_.initial_joints[entry.key] =
          internal::ReadNumber(entry.value, joint, internal::Range::kAny);
      config_.places[joint] = entry.value.where;
    }
  }

  template <typename Item>
  void ReadList(const YamlValue& list, const std::string& key,
                std::span<const internal::KeyRow<Item>> rows, std::vector<Item>* items) {
    if (list.kind == YamlValue::Kind::kNull) return;
    if (list.kind != YamlValue::Kind::kList) {
      throw UserError(list.where + ": " + key + " must be a list, not " + list.Describe());
    }
    for (size_t i = 0; i < list.items.size(); ++i) {
      const std::string prefix = Child(key, std::to_string(i));
      ReadItem(list.items[i], key, prefix, rows, &items->emplace_back());
      config_.places[prefix] = list.items[i].where;
    }
  }

  template <typename Item>
  void ReadItem(const YamlValue& map, const std::string& list, const std::string& prefix,
                std::span<const internal::KeyRow<Item>> rows, Item* item) {
    const std::vector<std::string> valid = ConfigKeyNames(list + ".*");
    CheckIsMap(map, prefix, valid);
    for (const YamlValue::Entry& entry : map.entries) {
      const auto row = std::find_if(rows.begin(), rows.end(), [&](const auto& candidate) {
        return candidate.info.key == list + ".*." + entry.key;
      });
      if (row == rows.end()) RefuseKey(entry, valid);
      const std::string key = Child(prefix, entry.key);
      internal::ReadMember(*row, entry.value, key, item);
      config_.places[key] = entry.value.where;
    }
  }

  void CheckPushes(const YamlValue& list) {
    for (size_t i = 0; i < list.items.size(); ++i) {
      const SceneConfig::PushConfig& push = config_.pushes[i];
      const std::string prefix = Child("pushes", std::to_string(i));
      const YamlValue* force = list.items[i].Find("force_N");
      const YamlValue* impulse = list.items[i].Find("impulse_Ns");
      if ((force == nullptr) == (impulse == nullptr)) {
        throw UserError(config_.Where(prefix) + ": " + prefix +
                        (force ? " has both force_N and impulse_Ns; give one of them"
                               : " lacks the key 'force_N' or 'impulse_Ns'"));
      }
      const std::string key = prefix + (force ? ".force_N" : ".impulse_Ns");
      if ((force ? push.force : push.impulse).size() == 3) continue;
      throw UserError(config_.Where(key) + ": " + key + " must be 3 numbers");
    }
  }

  SceneConfig& config_;
  std::string designed_first_;  ///< the gain that a bandwidth gave beside K_D; empty: none did
};

void ApplyOverride(const std::string& text, YamlValue* root) {
  const size_t equals = text.find('=');
  const std::string key = text.substr(0, equals);
  const std::string where = std::string(kOverridePrefix) + key;
  if (equals == std::string::npos || key.empty()) {
    throw UserError("--set " + text + ": write key=value, as in --set gains.K_D=5");
  }
  SetYamlValue(*root, key, ParseYamlArgument(text.substr(equals + 1), where));
}

// The gains that hold for the law: not a file's when an override chose another law than the file's.
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

// Keys that the reference's type does not have are refused; those of a file are left out when an
// override chose another type than the file's.
void CheckReferenceKeys(const std::string& type_of_file, YamlValue* root) {
  const auto reference =
      std::ranges::find(root->entries, std::string("reference"), &YamlValue::Entry::key);
  if (reference == root->entries.end()) return;
  const std::string name = internal::TypeOf(*root, "reference");
  const ReferenceType* type = FindReferenceType(name);
  const ReferenceType* before = FindReferenceType(type_of_file);
  if (type == nullptr) return;  // the reader refuses the type itself
  std::vector<std::string> valid = {"type"};
  valid.insert(valid.end(), type->keys.begin(), type->keys.end());
  std::erase_if(reference->value.entries, [&](const YamlValue::Entry& entry) {
    return name != type_of_file && !type->Has(entry.key) && before != nullptr &&
           before->Has(entry.key) && !entry.value.where.starts_with(kOverridePrefix);
  });
  const std::vector<std::string> all = ConfigKeyNames("reference");
  for (const YamlValue::Entry& entry : reference->value.entries) {
    if (entry.key == "type" || type->Has(entry.key)) continue;
    if (std::ranges::find(all, entry.key) == all.end()) RefuseKey(entry, valid);
    throw UserError(entry.where + ": reference." + entry.key + " is no key of reference.type " +
                    name + "; valid: " + Join(valid));
  }
}

void ResolvePaths(SceneConfig* config) {
  if (config->model.empty()) {
    throw UserError(config->source + ": lacks the key 'model', the MJCF or URDF file");
  }
  ResolvePath("model", *config, &config->model);
  if (!config->estimate.empty()) ResolvePath("controller.estimate", *config, &config->estimate);
}

void CheckPayload(const YamlValue& root, const SceneConfig& config) {
  const YamlValue* map = root.Find("payload");
  if (map == nullptr || map->kind == YamlValue::Kind::kNull) return;
  for (const char* key : {"body", "mass_kg"}) {
    if (!map->Find(key)) throw UserError(map->where + ": payload lacks the key '" + key + "'");
  }
  if (config.payload.position.size() != 3 && map->Find("position_m")) {
    throw UserError(config.Where("payload.position_m") + ": payload.position_m must be 3 numbers");
  }
}

// Whether a key says nothing because what it is about is not there.
bool IsUnused(std::string_view key, const SceneConfig& config) {
  if (key.starts_with("payload.")) return config.payload.body.empty();
  if (key.starts_with("robot.")) return !config.robot.floating_base;
  if (key.starts_with("reference.") && key != "reference.type" &&
      !FindReferenceType(config.reference.type)->Has(key.substr(key.find('.') + 1))) {
    return true;
  }
  if (!config.reference.commands.empty() &&
      (key == "reference.start_s" || key == "reference.for_s" || key == "reference.velocity" ||
       key == "reference.yaw_rate")) {
    return true;  // each command has its own
  }
  return (key.starts_with("legs.") || key.starts_with("gait.")) && config.legs.feet.empty();
}

std::string JointsToYaml(const std::map<std::string, double>& joints) {
  std::string text;
  for (const auto& [name, value] : joints) {
    text +=
        (text.empty() ? "" : ", ") + ToYamlText(std::string_view(name)) + ": " + ToYamlText(value);
  }
  return "{" + text + "}";
}

}  // namespace

fs::path DataDirectory() {
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  const fs::path installed = (program.parent_path() / kInstalledDataDir).lexically_normal();
  if (fs::is_directory(installed / "config", ignored)) return installed;
  return fs::path(kSourceDir);
}

std::string SceneConfig::Where(std::string_view key) const {
  const auto found = places.find(key);
  return found == places.end() ? source : found->second;
}

fs::path SceneConfig::DirectoryOf(std::string_view key) const {
  const auto found = directories.find(key);
  return found == directories.end() ? directory : found->second;
}

SceneConfig ReadConfig(const std::string& scene, const std::vector<std::string>& overrides) {
  internal::ConfigFile file = internal::ReadConfigFile(scene);
  YamlValue& root = file.root;
  SceneConfig config;
  config.source = file.path.string();
  config.directory = fs::absolute(file.path).parent_path().lexically_normal();
  config.name = file.path.stem().string();
  const std::string law_of_file = internal::TypeOf(root, "controller");
  const std::string reference_of_file = internal::TypeOf(root, "reference");
  for (const std::string& text : overrides) ApplyOverride(text, &root);
  Reader reader(&config);
  reader.ReadPlugins(root);
  CheckReferenceKeys(reference_of_file, &root);
  reader.ReadMap(root, "");
  reader.ReadLawOptions(root.Find("controller"), law_of_file);
  reader.ReadGains(SelectGains(law_of_file, &root, &config));
  ResolvePaths(&config);
  CheckPayload(root, config);
  if (config.title.empty()) config.title = config.name;
  return config;
}

namespace {

// Items of a list, below a key that stands `indent` spaces in; what is empty is left out.
template <typename Item>
std::string WriteList(const std::vector<Item>& items, const std::string& key,
                      std::span<const internal::KeyRow<Item>> rows, const std::string& indent) {
  std::string text = items.empty() ? "" : indent + key + ":\n";
  for (const Item& item : items) {
    std::string lead = indent + "  - ";
    for (const auto& row : rows) {
      const std::optional<std::string> value = internal::WriteMember(row, item);
      if (!value || *value == "[]") continue;
      text += lead;
      text += row.info.key.substr(row.info.key.rfind('.') + 1);
      text += ": " + *value + "\n";
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

}  // namespace

std::string ToYaml(const SceneConfig& config) {
  std::string text, section;
  const SceneConfig defaults;
  for (const internal::KeyRow<SceneConfig>& row : internal::SceneKeys()) {
    const std::optional<std::string> value = internal::WriteMember(row, config);
    const bool empty = value == "[]" && internal::WriteMember(row, defaults) == "[]";
    if (row.info.key == "initial.q" && !config.initial_joints.empty()) {
      text += "initial:\n  joints: " + JointsToYaml(config.initial_joints) + "\n";
      section = "initial";
    }
    if (row.info.key == "observer.gain") text += WriteLawOptions(config);
    if (row.info.key == "reference.yaw_rate") {
      text += WriteList(config.reference.commands, "commands", internal::CommandKeys(), "  ");
    }
    if (!value || empty || IsUnused(row.info.key, config)) continue;
    const size_t dot = row.info.key.find('.');
    const std::string parent(row.info.key.substr(0, dot == std::string_view::npos ? 0 : dot));
    if (parent == "reference" && section != parent) {
      text += "gains:\n";
      for (const auto& [key, numbers] : config.gains) {
        text += "  " + key + ": " +
                (numbers.size() == 1 ? ToYamlText(numbers.front()) : ToYamlText(numbers)) + "\n";
      }
    }
    if (!parent.empty() && parent != section) text += parent + ":\n";
    section = parent;
    const std::string_view key =
        dot == std::string_view::npos ? row.info.key : row.info.key.substr(dot + 1);
    text += (parent.empty() ? "" : "  ") + std::string(key) + ": " + *value + "\n";
  }
  text += WriteList(config.pushes, "pushes", internal::PushKeys(), "");
  return text;
}

}  // namespace civita
