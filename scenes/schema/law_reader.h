#pragma once

#include <string>

#include "civita/scenes/schema/config.h"
#include "civita/scenes/schema/yaml_value.h"

// Reads the law's own keys: options and gains. @throws UserError with the key's place.

namespace civita::internal {

/// Reads the options of the config's law from the map `controller` (null: none given). When an
/// override replaced `law_of_file`, that law's options in the file are dropped with a notice.
void ReadLawOptions(const YamlValue* controller, const std::string& law_of_file,
                    SceneConfig* config);

/// The gains that apply to the law, or null. When an override replaced the file's law, the file's
/// gains are removed from `root`, with a notice.
const YamlValue* SelectGains(const std::string& law_of_file, YamlValue* root, SceneConfig* config);

/// Reads the gains of the law, or bandwidth_hz and damping_ratio instead.
void ReadGains(const YamlValue* gains, SceneConfig* config);

}  // namespace civita::internal
