#include <CLI/CLI.hpp>

#include "app/verbs/keys/keys.h"

namespace civita {

CLI::App* AddKeysCommand(CLI::App* program, KeysOptions* options) {
  CLI::App* keys = program->add_subcommand(
      "keys", "Prints the keys of a config: type, range, unit, default and meaning.");
  keys->add_option("prefix", options->prefix, "a section or a key; else all")->type_name("PREFIX");
  keys->add_flag("--markdown", options->markdown, "as docs/configuration.md");
  return keys;
}

CLI::App* AddSchemaCommand(CLI::App* program) {
  return program->add_subcommand("schema", "Prints a JSON schema of configs, for editors.");
}

}  // namespace civita
