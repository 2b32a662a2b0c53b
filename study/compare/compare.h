#pragma once

#include <functional>
#include <string>
#include <vector>

#include "civita/study/compare/comparison.h"
#include "civita/study/open_scene.h"
#include "civita/study/watch.h"

namespace civita {

/// What is compared. Keys of the overrides may be short, see ResolveConfigKey.
struct CompareOptions : SceneChoice {
  std::vector<std::string> variations;  ///< "key=a,b,c"; option "vary"
  int seeds = 1;                        ///< seed, seed + 1, …
  int jobs = 0;                         ///< threads; 0: one for each core
  int initial_states = 1;               ///< the scene's own, followed by random ones around it
  std::string states;  ///< a file of initial states instead, as of EvalStates; empty: none
};

/// Opens each variant, so that errors show before anything runs. @returns what makes the runs,
/// once.
/// @throws UserError.
std::function<VariantComparison()> PlanComparison(const CompareOptions& options,
                                                  const Watch& watch = {});

/// Runs the variants in step from the same starts with the same seeds, on all cores. @throws
/// UserError.
VariantComparison CompareVariants(const CompareOptions& options, const Watch& watch = {});

}  // namespace civita
