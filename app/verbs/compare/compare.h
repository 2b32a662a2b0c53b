#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace civita {

struct Registry;
struct VariantComparison;  // study/compare/comparison.h

/// Options of `civita compare`.
struct CompareOptions {
  std::string scene;
  std::vector<std::string> variations;  ///< "key=a,b,c"
  std::vector<std::string> overrides;   ///< "key=value"
  std::optional<double> duration_s;
  std::optional<int> seed;
  int seeds = 1;           ///< seed, seed + 1, …
  int initial_states = 1;  ///< the scene's own, followed by random ones around it
  std::string states;      ///< a file of initial states instead, as of EvalStates; empty: none
  std::string out;         ///< output folder; empty: none
  const std::atomic<bool>* stop = nullptr;  ///< as of Simulation::set_stop
};

/// Adds the verb's options and help, see Verb::add.
std::function<int()> AddCompare(CLI::App* command, const Registry& registry);

/// Runs the variants, with progress on standard error, until `interrupted`, which is called often,
/// is true; writes the files. `note` gets what was adapted, a line each. @throws UserError.
VariantComparison CompareVariants(const CompareOptions& options,
                                  const std::function<bool()>& interrupted,
                                  const std::function<void(const std::string&)>& note);

/// Runs the variants, prints the table, writes the files. @returns an ExitCode: kExitFailed when a
/// variant did not reach the end. @throws UserError.
int RunCompare(const CompareOptions& options);

}  // namespace civita
