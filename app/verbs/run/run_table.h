#pragma once

#include <string>

#include "civita/sim/run_summary.h"
#include "civita/sim/simulation.h"

namespace civita {

/// The table of a headless run, for a terminal: one line for each metric; `files` is the run
/// folder or empty.
std::string FormatSummary(const Simulation& simulation, const RunSummary& summary,
                          const std::string& files);

}  // namespace civita
