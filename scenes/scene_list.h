#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "civita/scenes/schema/key_row_fwd.h"

namespace civita {

/// The folder that holds config/ and scenes/: an installed program's, else the source tree.
std::filesystem::path DataDirectory();

/// Where and how lists of scenes show a config.
struct ListConfig {
  std::string group, line;
  std::optional<double> order;
};
std::span<const KeyRow<ListConfig>> ListKeys();

/// A scene of config/, as lists show it.
struct SceneInfo {
  std::string name;     ///< "arm7": config/arm7.yaml
  std::string title;    ///< "7-joint arm"
  std::string line;     ///< what one sees
  std::string group;    ///< "Arms", "Papers"
  bool is_here = true;  ///< false: its model has not been fetched, which `line` says
};

/// The configs in config/ in the order of their key list.order, read once. Files that cannot be
/// read are left out.
std::span<const SceneInfo> Scenes();

}  // namespace civita
