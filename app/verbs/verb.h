#pragma once

#include <functional>
#include <string_view>

namespace CLI {
class App;
}

namespace civita {

struct Registry;

/// A verb of the program, `civita <name>`: a row of the table in app/verbs/verbs.cc or of another
/// Registry.
struct Verb {
  std::string_view name;
  /// Gives the command its options and help. The function that it returns executes the verb once
  /// the options are parsed. @returns an ExitCode. @throws UserError.
  std::function<int()> (*add)(CLI::App* command, const Registry& registry);
};

}  // namespace civita
