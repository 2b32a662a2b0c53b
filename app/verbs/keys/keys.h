#pragma once

#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace civita {

struct Registry;

/// `civita keys`.
struct KeysOptions {
  std::string prefix;     ///< "control", "reference.amplitude"; empty: all
  bool markdown = false;  ///< docs/configuration.md in place of a table for terminals
};

/// The verbs' options and help, see Verb::add.
std::function<int()> AddKeys(CLI::App* command, const Registry& registry);
std::function<int()> AddSchema(CLI::App* command, const Registry& registry);

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
