#pragma once

#include <string_view>
#include <vector>

#include "civita/scenes/schema/config.h"
#include "civita/scenes/schema/key_row.h"

// All keys of a config, section by section; the reader, the writer and ConfigKeys() all go by them.

namespace civita::internal {

/// The keys of all sections with the members of `config` that they set, in the order in which they
/// are written. Lists, maps and the law's options are one key each.
std::vector<BoundKey> BindKeys(SceneConfig* config);

/// As BindKeys, but with the keys of lists (`pushes.*.body`), each of which gets an item for them
/// to stand for, and maps as `gains.*`.
std::vector<BoundKey> BindAllKeys(SceneConfig* config);

/// Whether `controller.<key>` is a key whatever the law, and no option of some laws.
bool IsOfEveryLaw(std::string_view key);

}  // namespace civita::internal
