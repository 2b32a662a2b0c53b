#pragma once

#include <optional>
#include <string>
#include <vector>

#include "civita/scenes/schema/config.h"

namespace civita {

/// A key of a config with its value as YAML in one line, as --set takes them.
struct SetKey {
  std::string key, value;
};

/// All keys of a resolved config, in its order.
std::vector<SetKey> KeysOf(const SceneConfig& config);

/// The keys by which a resolved config differs from another one. `missing`: those that it does not
/// have, which no --set can take away; without what the choice of another law takes away.
std::vector<SetKey> FindDifferingKeys(const SceneConfig& from, const SceneConfig& config,
                                      std::vector<std::string>* missing);

/// All that is set of the runs that are shown: runs from t = 0 with it have the bits that the
/// window's have after a restart.
struct TakenRuns {
  std::string scene;                            ///< name, or path of a file
  std::vector<SetKey> keys;                     ///< of run A
  std::optional<std::vector<SetKey>> compared;  ///< of run B, those that differ from A's
  /// What these runs do not have: keys that cannot be taken away, and changes while they ran.
  std::vector<std::string> notes;
};

/// Of "key=value" texts as of --set, then of `keys`, the last ones of each key.
std::vector<SetKey> MergeKeys(const std::vector<std::string>& overrides, std::vector<SetKey> keys);

/// `civita run …` with the notes as comments.
std::string FormatCommand(const TakenRuns& runs);
/// A script with civita.run.
std::string FormatPython(const TakenRuns& runs);
/// A config file.
std::string FormatConfig(const SceneConfig& config, const std::vector<std::string>& notes);

}  // namespace civita
