#include <CLI/CLI.hpp>
#include <memory>

#include "app/verbs/keys/keys.h"

namespace civita {

std::function<int()> AddKeys(CLI::App* command, const Registry& /*registry*/) {
  const auto options = std::make_shared<KeysOptions>();
  command->description("Prints the keys of a config: type, range, unit, default and meaning.");
  command
      ->add_option("prefix", options->prefix,
                   "a section or a key, a law or a type of reference; default: all")
      ->type_name("NAME");
  command->add_flag("--markdown", options->markdown, "as docs/configuration.md");
  return [options] { return RunKeys(*options); };
}

std::function<int()> AddSchema(CLI::App* command, const Registry& /*registry*/) {
  command->description("Prints a JSON schema of configs, for editors.");
  return RunSchema;
}

}  // namespace civita
