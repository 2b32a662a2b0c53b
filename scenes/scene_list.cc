#include "civita/scenes/scene_list.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <system_error>
#include <tuple>
#include <utility>

#include "civita/build_info.h"
#include "civita/error.h"
#include "civita/scenes/schema/config.h"
#include "civita/scenes/schema/config_file.h"
#include "civita/scenes/schema/config_values.h"
#include "civita/scenes/schema/key_row.h"

namespace civita {
namespace {

namespace fs = std::filesystem;

/// Empty unless set.
fs::path& SetDirectory() {
  static fs::path directory;
  return directory;
}

struct Listed {
  SceneInfo info;
  double order = std::numeric_limits<double>::infinity();
};

std::string TextOf(const YamlValue* map, std::string_view key) {
  const YamlValue* value = map != nullptr ? map->Find(key) : nullptr;
  return value != nullptr ? value->text : "";
}

Listed ReadListed(const fs::path& path) {
  const YamlValue root = internal::ReadConfigYaml(path);
  const YamlValue* list = root.Find("list");
  const std::string name = path.stem().string();
  const std::string title = TextOf(&root, "title");
  Listed listed;
  listed.info = {.name = name,
                 .title = title.empty() ? name : title,
                 .line = TextOf(list, "line"),
                 .group = TextOf(list, "group")};
  if (listed.info.group.empty()) listed.info.group = "Own";
  if (const YamlValue* order = list != nullptr ? list->Find("order") : nullptr) {
    listed.order = internal::ReadNumber(*order, "list.order", NumberRange::kAny);
  }
  const YamlValue* model = root.Find("model");
  std::error_code ignored;
  listed.info.is_here =
      model != nullptr &&
      fs::is_regular_file(fs::path(model->file).parent_path() / model->text, ignored);
  if (!listed.info.is_here) listed.info.line = "Not fetched yet: scripts/fetch_robots gets it";
  return listed;
}

std::vector<SceneInfo> ReadScenes() {
  std::vector<Listed> all;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(DataDirectory() / "config", ignored)) {
    if (entry.path().extension() != ".yaml") continue;
    try {
      all.push_back(ReadListed(entry.path()));
    } catch (const UserError&) {
      // Opening the scene will report the error in its file.
    }
  }
  std::ranges::sort(all, [](const Listed& a, const Listed& b) {
    return std::tie(a.order, a.info.name) < std::tie(b.order, b.info.name);
  });
  std::vector<SceneInfo> scenes;
  for (Listed& listed : all) scenes.push_back(std::move(listed.info));
  return scenes;
}

}  // namespace

void SetDataDirectory(fs::path directory) { SetDirectory() = std::move(directory); }

fs::path DataDirectory() {
  if (!SetDirectory().empty()) return SetDirectory();
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  const fs::path installed = (program.parent_path() / kInstalledDataDir).lexically_normal();
  if (fs::is_directory(installed / "config", ignored)) return installed;
  return fs::path(kSourceDir);
}

std::span<const KeyRow<ListConfig>> ListKeys() {
  using C = ListConfig;
  static constexpr KeyRow<C> kKeys[] = {
      {"group", &C::group, "", "lists of scenes: the heading under which it stands"},
      {"order", &C::order, "", "lists of scenes: smaller ones come first"},
      {"line", &C::line, "", "lists of scenes: what one sees, in a line"},
      {"tab", &C::tab, "", "the tab of the window's side panel that is open at first, as of --tab"},
  };
  return kKeys;
}

std::span<const SceneInfo> Scenes() {
  static const std::vector<SceneInfo> scenes = ReadScenes();
  return scenes;
}

}  // namespace civita
