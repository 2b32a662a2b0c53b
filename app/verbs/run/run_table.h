#pragma once

#include <string>

#include "civita/sim/run_summary.h"
#include "civita/sim/simulation.h"

namespace civita {

/// The table of a headless run, for a terminal: one line for each metric; `files` is the run
/// folder or empty.
std::string FormatSummary(const Simulation& simulation, const RunSummary& summary,
                          const std::string& files);

/// Says, once, what a slow run will take, as soon as its first steps show that.
class RunCost {
 public:
  explicit RunCost(double duration_s) : duration_s_(duration_s) {}

  /// `t`: simulated so far, in `elapsed_s` of real time. @returns the sentence, or an empty text.
  std::string Follow(double t, double elapsed_s);

 private:
  double duration_s_;
  bool is_done_ = false;
};

/// "40 s", "12 min", "3 h", "5 days": rounded.
std::string RoughDuration(double seconds);

}  // namespace civita
