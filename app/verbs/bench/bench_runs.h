#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/verbs/bench/bench_report.h"

namespace civita {

struct Scene;
class Simulation;

/// The parts of a headless run that writes no files.
inline constexpr std::array<std::string_view, 11> kRunParts = {
    "physics", "dynamics", "law",     "QP",        "sensors", "reference",
    "plant",   "signals",  "metrics", "recording", "rest"};

/// What a run costs beside its physics alone; times are CPU times of one thread.
struct RunTimes {
  std::string scene = {};
  long steps = 0;                                    ///< control steps
  double step_s = 0;                                 ///< of a control step
  double physics_s = 0;                              ///< of the physics alone; NaN: see TimeRun
  std::array<double, kRunParts.size()> shares = {};  ///< of kRunParts, 1 together
  /// between the ends of the run and of its physics alone: the largest of positions and velocities
  double difference = 0;

  double factor() const { return step_s / physics_s; }
};

/// The scenes that are timed if none are named.
std::vector<std::string> RunScenes();

/// Times a scene's run to its end, and in turn the same mj_steps alone: from the same start, warm
/// start included, with the drives that the run recorded, and nothing else. Minima of turns in
/// `seconds`, three at least; fewer when an interrupt ends them. Without the physics alone where
/// MuJoCo's steps are not all that moves the plant: in every_stage, with exact loops, where a
/// payload is taken or a throw comes.
RunTimes TimeRun(std::unique_ptr<Scene> scene, double seconds);

/// The record of a report's machine and of runs.
BenchRecord MakeRunsRecord(const BenchReport& report, const std::vector<RunTimes>& runs);

}  // namespace civita
