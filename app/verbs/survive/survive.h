#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "civita/study/survive/survival.h"

namespace CLI {
class App;
}

namespace civita {

struct Registry;

/// Options of `civita survive`.
struct SurviveOptions {
  std::vector<std::string> scenes;
  std::vector<double> shares;    ///< of the ceiling
  std::vector<double> impulses;  ///< N·s
  int trials = 200;
  std::optional<int> seed;  ///< the first; default: the scene's
  int jobs = 0;             ///< threads; 0: one for each core
  bool without_steps = false;
  bool all_errors = false;
  std::vector<std::string> variations;  ///< "key=a,b"
  std::vector<std::string> overrides;   ///< "key=value"
  std::string out;                      ///< output folder; empty: none
};

/// The overrides of --all-errors, as "key=value": sensor noise, actuation delay, and masses
/// unknown to the law.
const std::vector<std::string>& AllErrors();

/// Adds the verb's options and help, see Verb::add.
std::function<int()> AddSurvive(CLI::App* command, const Registry& registry);

/// Runs the trials, with progress on standard error, until `interrupted`, which is called often, is
/// true. `note` gets what was adapted, a line each. @throws UserError.
SurvivalTable RunTrials(const SurviveOptions& options, const std::function<bool()>& interrupted,
                        const std::function<void(const std::string&)>& note);

/// Runs the trials, prints the table, writes the files. @returns an ExitCode. @throws UserError.
int RunSurvive(const SurviveOptions& options);

}  // namespace civita
