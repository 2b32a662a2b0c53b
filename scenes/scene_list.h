#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "civita/scenes/schema/key_row_fwd.h"

namespace civita {

/// The folder that contains config/ and scenes/: the one set, else that of an installed program,
/// else the source tree.
std::filesystem::path DataDirectory();
/// Sets it for a program that is part of another one; not while other threads read it.
void SetDataDirectory(std::filesystem::path directory);

/// Title and position of a config in lists of scenes.
struct ListConfig {
  std::string group, line, tab;
  std::optional<double> order;
};
std::span<const KeyRow<ListConfig>> ListKeys();

/// A scene of config/ as shown in lists.
struct SceneInfo {
  std::string name;     ///< "arm7": config/arm7.yaml
  std::string title;    ///< "7-joint arm"
  std::string line;     ///< one line of description
  std::string group;    ///< "Arms", "Papers"
  bool is_here = true;  ///< false: its model has not been downloaded, as `line` says
};

/// The configs in config/ in the order of their key list.order, read once. Unreadable files are
/// left out.
std::span<const SceneInfo> Scenes();

}  // namespace civita
