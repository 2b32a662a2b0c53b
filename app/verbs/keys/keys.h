#pragma once

#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace civita {

struct Registry;

/// Options of `civita keys`.
struct KeysOptions {
  /// "control", "reference.amplitude", or what has keys of its own: a law, "adaptive" or
  /// "laws.py:Law", or a type of reference, "sinusoid"; empty: all
  std::string prefix;
  bool markdown = false;  ///< docs/configuration.md instead of a table for terminals
};

/// Adds the verbs' options and help, see Verb::add.
std::function<int()> AddKeys(CLI::App* command, const Registry& registry);
std::function<int()> AddSchema(CLI::App* command, const Registry& registry);

/// Prints the keys of a config. @returns an ExitCode. @throws UserError: nothing has this name.
int RunKeys(const KeysOptions& options);

/// The text of docs/configuration.md.
std::string KeysAsMarkdown();

/// A JSON schema (draft 2020-12) of configs, for editors. No key is required, since bases may give
/// them.
std::string ConfigSchema();

/// Prints the JSON schema. @returns an ExitCode.
int RunSchema();

}  // namespace civita
