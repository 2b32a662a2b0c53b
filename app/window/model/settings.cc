#include "app/window/model/settings.h"

#include <cstdlib>
#include <exception>
#include <utility>

#include "base/read_file.h"
#include "civita/error.h"
#include "civita/sim/output_file.h"
#include "civita/study/compare/compare_variants.h"

namespace civita {
namespace {

constexpr char kFile[] = "window.yaml";

}  // namespace

std::filesystem::path ConfigFolder() {
  const auto variable = [](const char* name) -> std::filesystem::path {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing sets it
    return value != nullptr ? value : "";
  };
  // The standard says that relative paths are to be ignored.
  if (const std::filesystem::path given = variable("XDG_CONFIG_HOME"); given.is_absolute()) {
    return given / "civita";
  }
  const std::filesystem::path home = variable("HOME");
  return home.is_absolute() ? home / ".config" / "civita" : std::filesystem::path();
}

Settings::Settings(std::filesystem::path folder) : folder_(std::move(folder)) {
  const std::filesystem::path file = folder_ / kFile;
  std::error_code ignored;
  if (folder_.empty() || !std::filesystem::exists(file, ignored)) return;
  try {
    const YAML::Node read = YAML::Load(internal::ReadText(file.string(), internal::kMostYamlBytes));
    if (!read.IsMap()) throw UserError("is not a map");
    root_ = read;
    saved_ = YAML::Dump(root_);
  } catch (const std::exception& error) {
    const std::string what = error.what();
    const bool has_place = what.starts_with(file.string());
    notice_ = (has_place ? what : file.string() + ": " + what) + "; ignored";
  }
}

// Through constant nodes, since others would add the key.
YAML::Node Settings::Find(const std::string& key) const {
  YAML::Node node = root_;
  for (const std::string& part : SplitOutsideBrackets(key, '.')) {
    node.reset(std::as_const(node)[part]);
  }
  return node;
}

void Settings::SetNode(const std::string& key, const YAML::Node& value) {
  std::vector<std::string> parts = SplitOutsideBrackets(key, '.');
  const std::string name = std::move(parts.back());
  parts.pop_back();
  YAML::Node map = root_;
  for (const std::string& part : parts) {
    const YAML::Node next = std::as_const(map)[part];
    if (!next.IsDefined() || !next.IsMap()) map[part] = YAML::Node(YAML::NodeType::Map);
    map.reset(map[part]);
  }
  map[name] = value;
}

void Settings::Save() {
  if (folder_.empty()) return;
  std::string text = YAML::Dump(root_);
  if (text == saved_) return;
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error) throw UserError(folder_.string() + ": cannot be created: " + error.message());
  // The user's own folder, where some keep links.
  WriteWhole(folder_ / kFile, text + "\n", OutputFile::Kind::kNamed);
  saved_ = std::move(text);
}

}  // namespace civita
