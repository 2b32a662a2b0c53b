#pragma once

#include <string_view>

#include "civita/scenes/schema/yaml_value.h"

namespace civita {

/// Whether configs may name code: plug-ins, and laws in Python. Code runs with all rights of the
/// user, so a config, which may come from anywhere, gets none unless the user says so. Set before
/// any config is read.
void TrustConfigs(bool trusts);
bool TrustsConfigs();

namespace internal {

/// Checks a value that names code. Overrides are the user's own words.
/// @throws UserError if the value is a config's and configs are not trusted.
void CheckTrust(std::string_view key, const YamlValue& value, std::string_view code);

}  // namespace internal
}  // namespace civita
