#include "civita/scenes/schema/config.h"

#include <algorithm>
#include <system_error>

#include "base/text.h"
#include "base/utf8.h"
#include "civita/error.h"
#include "civita/scenes/control/law_loader.h"
#include "civita/scenes/motion/reference_types.h"
#include "civita/scenes/registry.h"
#include "civita/scenes/schema/config_file.h"
#include "civita/scenes/schema/config_keys.h"
#include "civita/scenes/schema/config_reader.h"
#include "civita/scenes/schema/config_values.h"
#include "civita/scenes/schema/trust.h"
#include "civita/scenes/schema/yaml_value.h"

namespace civita {
namespace {

namespace fs = std::filesystem;

using internal::kOverridePrefix;

// Makes a path of the config absolute. @throws UserError unless it is a file.
void ResolvePath(std::string_view key, const SceneConfig& config, fs::path* path) {
  const std::string place = config.Where(key);
  *path = (config.DirectoryOf(key) / *path).lexically_normal();
  std::error_code ignored;
  if (fs::is_regular_file(*path, ignored)) return;
  const bool fetched = path->string().starts_with((DataDirectory() / ".deps/").string());
  throw UserError(place + ": " + std::string(key) + ": no such file: " + path->string() +
                  (fetched ? "; scripts/fetch_robots gets it" : ""));
}

// Read before the other keys, since the law may be defined by a plug-in.
void ReadPlugins(const YamlValue& root, SceneConfig* config) {
  constexpr std::string_view kKey = "plugins";
  const YamlValue* list = root.Find(kKey);
  if (!list) return;
  internal::ReadKey(std::string(kKey), *list, config);
  for (std::string& file : config->plugins) {
    fs::path path = file;
    ResolvePath(kKey, *config, &path);
    file = path.string();
    if (IsLoadedPlugin(path)) continue;
    internal::CheckTrust(kKey, *list, file);
    try {
      LoadPlugin(path);
    } catch (const UserError& error) {
      throw UserError(list->where + ": plugins: " + error.what());
    }
  }
}

// Puts the type of a law that is named by a file or module in the place of that name.
void LoadNamedLaw(YamlValue* root) {
  YamlValue* const section = root->Find("controller");
  YamlValue* const type = section ? section->Find("type") : nullptr;
  if (type == nullptr) return;
  const std::string& name = type->text;
  const auto is_it = [&name](const LawInfo* law) { return law->type == name; };
  if (!NamesCode(name) || std::ranges::any_of(Laws(), is_it)) return;
  const fs::path file = type->file;
  internal::CheckTrust("controller.type", *type, name);
  try {
    type->text = LoadLaw(name, file.empty() ? fs::current_path() : file.parent_path());
  } catch (const UserError& error) {
    throw UserError(type->where + ": controller.type: " + error.what());
  }
}

// The keys that are lists of sections.
std::vector<std::string> NamesOfLists() {
  SceneConfig defaults;
  std::vector<std::string> names;
  for (const internal::BoundKey& row : internal::BindKeys(&defaults)) {
    if (std::holds_alternative<internal::ListRef>(row.value)) names.push_back(row.key);
  }
  return names;
}

void ApplyOverride(const std::string& text, YamlValue* root) {
  const size_t equals = text.find('=');
  const std::string key = text.substr(0, equals);
  const std::string where = std::string(kOverridePrefix) + key;
  if (equals == std::string::npos || key.empty()) {
    throw UserError("--set " + text + ": write key=value, as in --set gains.K_D=5");
  }
  static const std::vector<std::string> lists = NamesOfLists();
  for (const std::string& list : lists) {
    // The first item of a list that the file does not have.
    if (!key.starts_with(list + ".") || root->Find(list) != nullptr) continue;
    SetYamlValue(*root, list, ParseYamlArgument("[]", where));
  }
  SetYamlValue(*root, key, ParseYamlArgument(text.substr(equals + 1), where));
}

// Reads the reference's type and refuses keys of other types; a file's keys are dropped when an
// override chose another type than the file's.
void SelectReference(const std::string& type_of_file, YamlValue* root, SceneConfig* config) {
  YamlValue* const section = root->Find("reference");
  if (section == nullptr) return;
  if (const YamlValue* type = section->Find("type")) {
    internal::ReadKey("reference.type", *type, config);
  }
  const auto names_of = [](const ReferenceType& type) {
    std::vector<std::string> names = KeyNames(type);
    names.insert(names.begin(), "type");
    return names;
  };
  const auto contains = [](const std::vector<std::string>& names, const std::string& name) {
    return std::ranges::find(names, name) != names.end();
  };
  const ReferenceType& type = config->reference.type();
  const std::vector<std::string> valid = names_of(type);
  if (const ReferenceType* before = FindReferenceType(type_of_file); before != &type && before) {
    std::erase_if(section->entries, [&, old = names_of(*before)](const YamlValue::Entry& entry) {
      return !contains(valid, entry.key) && contains(old, entry.key) &&
             !entry.value.where.starts_with(kOverridePrefix);
    });
  }
  for (const YamlValue::Entry& entry : section->entries) {
    if (contains(valid, entry.key)) continue;
    if (!contains(ConfigKeyNames("reference"), entry.key)) internal::RefuseKey(entry, valid);
    throw UserError(entry.where + ": reference." + entry.key + " is no key of reference.type " +
                    std::string(type.name) + "; valid: " + internal::Join(valid, ", "));
  }
}

void ResolvePaths(SceneConfig* config) {
  if (config->model.empty()) {
    throw UserError(config->source + ": lacks the key 'model', the MJCF or URDF file");
  }
  for (const internal::BoundKey& row : internal::BindKeys(config)) {
    const auto* path = std::get_if<fs::path*>(&row.value);
    if (path && !(*path)->empty()) ResolvePath(row.key, *config, *path);
  }
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

// Which of a prior of velocity errors and another start holds where a file has one and another file
// on its base, or --set, the other: the latter. Both in one place are refused by LoadScene.
void SettleStart(SceneConfig* config) {
  InitialConfig& initial = config->initial;
  const auto level = [config](const std::string& key) {
    const std::string place = config->Where(key);
    return place.starts_with(kOverridePrefix) ? 2 : place.starts_with(config->source) ? 1 : 0;
  };
  const std::string prior = "initial.v_error_prior";
  const auto settle = [&](const std::string& key, std::optional<std::vector<double>>* start) {
    if (initial.v_error_prior == VelocityErrorPrior::kNone || !*start) return;
    const int later = level(prior) - level(key);
    if (later == 0) return;
    config->notices.push_back(later > 0 ? key + " is not used: " + prior + " has a start of its own"
                                        : prior + " is not used: " + key + " is given");
    if (later > 0) start->reset();
    if (later < 0) initial.v_error_prior = VelocityErrorPrior::kNone;
  };
  settle("initial.q", &initial.q);
  settle("initial.v", &initial.v);
  settle("initial.v_error", &initial.v_error);
}

// Says of what the config gives and its runs do not use. Who makes a run shorter at the command
// line knows that its end is missing.
void TellUnused(SceneConfig* config) {
  if (config->initial.q && !config->initial.joints.empty()) {
    config->notices.emplace_back(
        "initial.q is the start; of initial.joints only the reference's center is made");
  }
  if (config->initial.v_error_prior == VelocityErrorPrior::kNone) {
    for (const char* key : {"initial.v_error_seed", "initial.v_error_size"}) {
      if (!config->places.contains(key)) continue;
      config->notices.push_back(std::string(key) + " is of no use without initial.v_error_prior");
    }
  }
  if (config->Where("duration_s").starts_with(kOverridePrefix)) return;
  for (size_t i = 0; i < config->pushes.size(); ++i) {
    const double start_s = config->pushes[i].start_s;
    if (start_s < config->duration_s) continue;
    config->notices.push_back("pushes." + std::to_string(i) + " begins at " + ToYamlText(start_s) +
                              " s, and the run ends at " + ToYamlText(config->duration_s) + " s");
  }
}

}  // namespace

std::string SceneConfig::Where(std::string_view key) const {
  const auto found = places.find(key);
  return found == places.end() ? source : found->second;
}

fs::path SceneConfig::DirectoryOf(std::string_view key) const {
  const auto found = directories.find(key);
  return found == directories.end() ? directory : found->second;
}

SceneConfig ReadConfig(const std::string& scene, const std::vector<std::string>& overrides) {
  return internal::ReadConfig(internal::ReadConfigFile(scene), overrides);
}

SceneConfig internal::ReadConfig(ConfigFile file, const std::vector<std::string>& overrides) {
  YamlValue& root = file.root;
  SceneConfig config;
  config.source = file.path.string();
  config.directory = fs::absolute(file.path).parent_path().lexically_normal();
  // The config that a run writes names the files of this one.
  if (internal::FindNoUtf8(config.directory.string()) != std::string::npos) {
    throw UserError(config.source + ": the path of its folder is no UTF-8 text");
  }
  config.name = file.path.stem().string();
  LoadNamedLaw(&root);
  const std::string law_of_file = internal::TypeOf(root, "controller");
  const std::string reference_of_file = internal::TypeOf(root, "reference");
  for (const std::string& text : overrides) ApplyOverride(text, &root);
  LoadNamedLaw(&root);
  ReadPlugins(root, &config);
  SelectReference(reference_of_file, &root, &config);
  internal::ReadSections(root, &config);
  internal::ReadLawKeys(law_of_file, root, &config);
  ResolvePaths(&config);
  CheckPayload(root, config);
  SettleStart(&config);
  TellUnused(&config);
  if (config.title.empty()) config.title = config.name;
  return config;
}

}  // namespace civita
