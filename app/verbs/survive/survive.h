#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/verbs/survive/survival.h"

namespace CLI {
class App;
}

namespace civita {

struct Registry;

/// `civita survive`.
struct SurviveOptions {
  std::vector<std::string> scenes;
  std::vector<double> shares;    ///< of the ceiling
  std::vector<double> impulses;  ///< N·s
  int trials = 200;
  std::optional<int> seed;  ///< the first; else the scene's
  int jobs = 0;             ///< threads; 0: one a core
  bool without_steps = false;
  bool all_errors = false;
  std::vector<std::string> variations;  ///< "key=a,b"
  std::vector<std::string> overrides;   ///< "key=value"
  std::string out;                      ///< folder of the files; empty: none
};

/// What --all-errors sets, as "key=value": sensors' noise, late drives, and masses that the law
/// does not know.
const std::vector<std::string>& AllErrors();

/// The verb's options and help, see Verb::add.
std::function<int()> AddSurvive(CLI::App* command, const Registry& registry);

/// Runs the trials, prints the table, writes the files. @returns an ExitCode. @throws UserError.
int RunSurvive(const SurviveOptions& options);

}  // namespace civita
