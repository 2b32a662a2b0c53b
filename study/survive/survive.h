#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "civita/study/option_names.h"
#include "civita/study/survive/survival.h"
#include "civita/study/watch.h"

namespace civita {

/// Which robots are pushed, and how. Keys may be short, see ResolveConfigKey.
struct SurviveOptions {
  std::vector<std::string> scenes = {};
  std::vector<double> shares = {};    ///< of the ceiling; option "push"
  std::vector<double> impulses = {};  ///< N·s; option "impulse"
  int trials = 200;
  std::optional<int> seed = {};  ///< the first; default: the scene's
  int jobs = 0;                  ///< threads; 0: one for each core
  bool without_steps = false;
  bool all_errors = false;
  std::vector<std::string> variations = {};  ///< "key=a,b"; option "vary"
  std::vector<std::string> overrides = {};   ///< "key=value"; option "set"
  OptionNames called = {};                   ///< in errors
  /// Trials of an earlier run, which are not run again: those of rows with the same scene, variant,
  /// push and config.
  SurvivalTable known = {};
  /// Called every ten seconds with what is done.
  std::function<void(const SurvivalTable&)> keep = {};
};

/// The overrides of `all_errors`, as "key=value": sensor noise, actuation delay, and masses unknown
/// to the law.
const std::vector<std::string>& AllErrors();

/// Opens each scene, then runs the trials on all cores. @throws UserError.
SurvivalTable RunTrials(const SurviveOptions& options, const Watch& watch = {});

}  // namespace civita
