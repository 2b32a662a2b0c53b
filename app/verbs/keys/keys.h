#pragma once

#include <string>

namespace CLI {
class App;
}

namespace civita {

/// `civita keys`.
struct KeysOptions {
  std::string prefix;     ///< "control", "reference.amplitude"; empty: all
  bool markdown = false;  ///< docs/configuration.md in place of a table for terminals
};

/// Add the verbs with their options and help.
CLI::App* AddKeysCommand(CLI::App* program, KeysOptions* options);
CLI::App* AddSchemaCommand(CLI::App* program);

/// Prints what a config may say. @returns an ExitCode. @throws UserError: no key begins so.
int RunKeys(const KeysOptions& options);

/// The text of docs/configuration.md.
std::string KeysAsMarkdown();

/// A JSON schema (draft 2020-12) of configs, for editors. Bases may give required keys, so that
/// none is required.
std::string ConfigSchema();

/// Prints the schema. @returns an ExitCode.
int RunSchema();

}  // namespace civita
