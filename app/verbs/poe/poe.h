#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>

#include "civita/study/poe/poe_states.h"

namespace CLI {
class App;
}

namespace civita {

struct Registry;

/// Options of `civita poe`.
struct PoeOptions {
  std::string function;
  std::string file;    ///< product of exponentials; empty: none
  std::string states;  ///< file, "-" for standard input; empty: one state
  /// By PoeInput: numbers as text, which apply to every state.
  std::array<std::optional<std::string>, kNumPoeInputs> inputs;
  std::optional<double> dt_s;
  std::optional<int> resolution;
  std::string out;  ///< empty: standard output
  std::string format = "json";
};

/// Adds the verb's options and help, see Verb::add.
std::function<int()> AddPoe(CLI::App* command, const Registry& registry);

/// Computes and writes; progress goes to standard error. @returns an ExitCode. @throws UserError.
int RunPoe(const PoeOptions& options);

}  // namespace civita
