#pragma once

#include <string>
#include <string_view>

namespace civita {

/// How texts of this library call its options: by their names, "initial_states", or as the flags of
/// the program, "--initial-states".
struct OptionNames {
  bool as_flags = false;

  std::string operator()(std::string_view name) const;
};

/// A word of a command line, in quotes if a shell would read it otherwise.
std::string ShellQuoted(const std::string& text);

}  // namespace civita
