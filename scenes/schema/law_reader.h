#pragma once

#include <string>

#include "civita/scenes/schema/config.h"
#include "civita/scenes/schema/yaml_value.h"

// What the law says of its own keys: options and gains. @throws UserError with the key's place.

namespace civita::internal {

/// Reads the options of the law that the config names from the map `controller` (null: none given).
/// Those that a file gives for `law_of_file`, in whose place an override chose the config's law,
/// are left out with a notice.
void ReadLawOptions(const YamlValue* controller, const std::string& law_of_file,
                    SceneConfig* config);

/// The gains that hold for the law, or null: those of a file are taken out of `root`, with a
/// notice, where an override chose another law than the file's.
const YamlValue* SelectGains(const std::string& law_of_file, YamlValue* root, SceneConfig* config);

/// Reads the gains of the law, bandwidth_hz and damping_ratio in place of them too.
void ReadGains(const YamlValue* gains, SceneConfig* config);

}  // namespace civita::internal
