#pragma once

#include <string>

namespace civita {

/// The text of docs/configuration.md.
std::string KeysAsMarkdown();

/// A JSON schema (draft 2020-12) of configs, for editors. No key is required, since bases may give
/// them.
std::string ConfigSchema();

}  // namespace civita
