#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "civita/scenes/schema/config.h"
#include "civita/scenes/schema/key_row.h"

// All keys of a config, section by section; used by the reader, the writer and ConfigKeys().

namespace civita::internal {

/// The keys of all sections bound to the members of `config`, in the order in which they are
/// written. Lists, maps and the law's options are one key each.
std::vector<BoundKey> BindKeys(SceneConfig* config);

/// As above, but with the keys of these references instead of the config's one.
std::vector<BoundKey> BindKeys(SceneConfig* config, std::span<ReferenceConfig> references);

/// Every key that a config can have, with its default: those of each type of reference, of lists
/// as `pushes.*.body`, and of maps as `gains.*`.
class DefaultKeys {
 public:
  DefaultKeys();
  DefaultKeys(const DefaultKeys&) = delete;
  DefaultKeys& operator=(const DefaultKeys&) = delete;

  const std::vector<BoundKey>& rows() const { return rows_; }

 private:
  SceneConfig config_;
  std::vector<ReferenceConfig> references_;  // one of each type
  std::vector<BoundKey> rows_;
};

/// Whether `controller.<key>` exists for every law, not as an option of some laws.
bool IsOfEveryLaw(std::string_view key);

}  // namespace civita::internal
