// Options shared by several verbs.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace civita {

/// --out DIR; an empty DIR is refused.
inline void AddOutDirectory(CLI::App* command, const std::string& doc, std::string* out) {
  command->add_option("--out", *out, doc)
      ->type_name("DIR")
      ->check([](const std::string& directory) {
        return directory.empty() ? "needs the name of a directory" : "";
      });
}

/// An option with one value that may be given repeatedly.
inline CLI::Option* AddRepeatable(CLI::App* command, const std::string& name,
                                  const std::string& value_name, const std::string& doc,
                                  std::vector<std::string>* values) {
  return command->add_option(name, *values, doc + "; repeatable")
      ->type_name(value_name)
      ->expected(1)
      ->take_all();
}

}  // namespace civita
