#pragma once

#include <string_view>

#include "civita/scenes/schema/yaml_value.h"

namespace civita {

/// Whether configs may name code: plug-ins, and laws in Python. Code runs with all rights of the
/// user, so a config, which may come from anywhere, gets none unless the user says so. Set before
/// any config is read.
void TrustConfigs(bool trusts);
bool TrustsConfigs();

/// Whether overrides are the user's own words in this thread, as they are unless they come from a
/// file, such as a study's.
void TrustOverrides(bool trusts);

namespace internal {

/// Checks a value that names code. @throws UserError unless its source is trusted.
void CheckTrust(std::string_view key, const YamlValue& value, std::string_view code);

}  // namespace internal
}  // namespace civita
