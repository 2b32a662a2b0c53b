#include "civita/scenes/schema/config_file.h"

#include <algorithm>
#include <optional>
#include <system_error>
#include <vector>

#include "base/text.h"
#include "civita/error.h"
#include "civita/scenes/motion/reference_types.h"
#include "civita/scenes/plant/poe_file.h"
#include "civita/scenes/schema/config.h"
#include "civita/scenes/schema/config_keys.h"
#include "civita/scenes/schema/yaml_value.h"
#include "civita/suggest.h"

namespace civita::internal {
namespace {

namespace fs = std::filesystem;

YamlValue ParseConfig(const fs::path& path) {
  YamlValue root = ReadYaml(path.string());
  if (root.kind == YamlValue::Kind::kNull) {
    throw UserError(path.string() + ": holds nothing; a config needs the key 'model'");
  }
  if (root.kind != YamlValue::Kind::kMap) {
    throw UserError(root.where + ": a config is a map of keys (" + Join(ConfigKeyNames(""), ", ") +
                    "), not " + root.Describe());
  }
  return root;
}

bool Erase(std::string_view key, YamlValue* map) {
  return std::erase_if(map->entries, [key](const auto& entry) { return entry.key == key; }) > 0;
}

// Values of `over` override those of `root`.
void Merge(const YamlValue& over, YamlValue* root) {
  for (const YamlValue::Entry& entry : over.entries) {
    const auto found = std::ranges::find(root->entries, entry.key, &YamlValue::Entry::key);
    if (found == root->entries.end()) {
      root->entries.push_back(entry);
      continue;
    }
    const bool are_maps =
        entry.value.kind == YamlValue::Kind::kMap && found->value.kind == YamlValue::Kind::kMap;
    found->where = entry.where;
    if (are_maps) {
      Merge(entry.value, &found->value);
      found->value.where = entry.value.where;
    } else {
      found->value = entry.value;
    }
  }
}

bool GivesOtherType(const YamlValue& over, const YamlValue& root, std::string_view section) {
  const YamlValue* map = over.Find(section);
  return map != nullptr && map->Find("type") != nullptr &&
         TypeOf(over, section) != TypeOf(root, section);
}

// Removes gains and options that only apply to the law of `root`.
void EraseLaw(YamlValue* root) {
  Erase("gains", root);
  YamlValue* const controller = root->Find("controller");
  if (controller == nullptr) return;
  std::erase_if(controller->entries, [](const auto& entry) { return !IsOfEveryLaw(entry.key); });
}

// `above`: the files whose chain of bases led here.
YamlValue ReadLayers(const fs::path& path, std::vector<fs::path> above) {
  YamlValue over = ParseConfig(path);
  const YamlValue* found = over.Find("base");
  if (found == nullptr) return over;
  const YamlValue given = *found;
  if (given.kind != YamlValue::Kind::kScalar || given.text.empty()) {
    throw UserError(given.where + ": base must be the name of a config file, not " +
                    given.Describe());
  }
  fs::path base = (path.parent_path() / given.text).lexically_normal();
  std::error_code ignored;
  if (!fs::is_regular_file(base, ignored)) {
    const fs::path ours = DataDirectory() / "config" / (given.text + ".yaml");
    if (fs::path(given.text).has_parent_path() || !fs::is_regular_file(ours, ignored)) {
      throw UserError(given.where + ": base: no such file: " + base.string() +
                      ", nor a scene of this name");
    }
    base = ours;
  }
  above.push_back(path);
  for (const fs::path& file : above) {
    if (!fs::equivalent(file, base, ignored)) continue;
    throw UserError(given.where + ": base: " + base.string() + " is based on itself");
  }
  YamlValue root = ReadLayers(base, std::move(above));
  Erase("base", &over);
  if (GivesOtherType(over, root, "controller")) EraseLaw(&root);
  if (GivesOtherType(over, root, "reference")) Erase("reference", &root);
  Merge(over, &root);
  root.where = over.where;
  return root;
}

enum class FileKind { kConfig, kModel };

struct Source {
  fs::path path;
  FileKind kind = FileKind::kConfig;
};

Source FindSource(const std::string& scene) {
  const fs::path path(scene);
  std::error_code ignored;
  const fs::path ours = DataDirectory() / "config" / (scene + ".yaml");
  if (!path.has_parent_path() && fs::exists(ours, ignored)) return {ours};
  const std::string extension = path.extension().string();
  const bool is_config = IsConfigName(path);
  // That SDF is none is told where its text is read, as in any file.
  const bool is_model = IsModelName(path) || extension == ".sdf";
  if (!fs::exists(path, ignored)) {
    if (is_config || is_model || path.has_parent_path()) {
      throw UserError(scene + ": no such file");
    }
    std::vector<std::string> names;
    for (const SceneInfo& info : Scenes()) names.emplace_back(info.name);
    throw UserError(UnknownName("scene", scene, names) +
                    "; or a config (.yaml), MJCF (.xml) or URDF (.urdf) file");
  }
  if (fs::is_directory(path, ignored)) throw UserError(scene + ": is a folder, not a file");
  if (extension == ".json") {
    throw UserError(scene +
                    ": a model in JSON has no shapes to simulate; eval, formulas, geodesic, "
                    "transport and Python's Model.from_file take it");
  }
  if (!is_config && !is_model) {
    throw UserError(scene +
                    ": is neither a config (.yaml) nor an MJCF (.xml) or URDF (.urdf) file");
  }
  return {path, is_model || IsPoeFile(path) ? FileKind::kModel : FileKind::kConfig};
}

}  // namespace

std::string TypeOf(const YamlValue& root, std::string_view section) {
  const YamlValue* map = root.Find(section);
  const YamlValue* type = map ? map->Find("type") : nullptr;
  if (type) return type->text;
  const SceneConfig defaults;
  return section == "controller" ? defaults.controller
                                 : std::string(defaults.reference.type().name);
}

YamlValue ReadConfigYaml(const fs::path& path) { return ReadLayers(path, {}); }

ConfigFile ReadConfigFile(const std::string& scene) {
  const Source source = FindSource(scene);
  if (source.kind == FileKind::kConfig) return {source.path, ReadConfigYaml(source.path)};
  YamlValue root, model;
  model.kind = YamlValue::Kind::kScalar;
  model.where = source.path.string();
  model.text = source.path.filename().string();
  SetYamlValue(root, "model", model);
  return {source.path, root};
}

}  // namespace civita::internal

namespace civita {

bool IsConfigName(const std::filesystem::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".yaml" || extension == ".yml";
}

bool IsModelName(const std::filesystem::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".xml" || extension == ".urdf" || extension == ".mjcf";
}

}  // namespace civita
