#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace civita {

struct Registry;

/// Options of `civita eval`.
struct EvalOptions {
  std::string model;  ///< a scene's name, a config, an MJCF or URDF file
  /// file, "-" for standard input; empty: one state, the model's own configuration at rest
  std::string states;
  std::vector<std::string> quantities;
  std::string factorization = "christoffel";
  std::string base = "fixed";
  bool reduced = false;                  ///< closed chains, in independent velocities
  std::string coordinates = "v";         ///< or of ReadCoordinates
  std::vector<std::string> independent;  ///< names of some that must be independent
  std::string out;                       ///< empty: standard output
  std::string format = "json";
};

/// Adds the verb's options and help, see Verb::add.
std::function<int()> AddEval(CLI::App* command, const Registry& registry);

/// Computes and writes; notices and progress go to standard error. @returns an ExitCode.
/// @throws UserError.
int RunEval(const EvalOptions& options);

}  // namespace civita
