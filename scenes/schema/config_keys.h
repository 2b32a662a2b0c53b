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

/// Whether `controller.<key>` exists for every law, not as an option of some laws.
bool IsOfEveryLaw(std::string_view key);

}  // namespace civita::internal
