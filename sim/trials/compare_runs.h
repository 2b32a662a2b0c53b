#pragma once

#include <Eigen/Core>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "civita/scenes/scene.h"
#include "civita/sim/metric_table.h"

namespace civita {

/// A variant once, from one start with one seed.
struct ComparedRun {
  int seed = 0;
  int start = 0;  ///< index of the initial state; 0 is the scene's own
  bool passed = true;
  std::string verdict;         ///< "done", "interrupted at t = …", "failed: …"
  std::vector<double> values;  ///< by metric; NaN where it has none
};

/// Curves of a variant's first run, one value a control step.
struct RunCurves {
  std::vector<double> t, error, V, s, torque, torque_rate, twist, energy_balance;
  std::vector<Eigen::Vector3d> ee, ee_reference;  ///< m, world axes
};

/// A random state around a scene's start: every coordinate of q and v off by up to kSpread_q and
/// kSpread_v. Start 0 is the scene's own; the same seed and number give the same offsets.
void MoveStart(int seed, int start, Scene* scene);
inline constexpr double kSpread_q = 0.1;  // rad or m
inline constexpr double kSpread_v = 0.5;  // rad/s or m/s

/// The metrics of a scene's run: all, but for marks that it does not reach.
std::vector<MetricInfo> CompareMetrics(const Scene& scene);

/// Runs the scenes to their ends in step, on all cores: every so often all wait for the slowest.
/// `go_on(t)` is asked then, and stops all at the same time by saying no. A scene that fails stops
/// alone. With `traces`, as many as scenes, their curves are kept.
/// @returns one run a scene, `values` in the order of CompareMetrics of the scenes, merged.
std::vector<ComparedRun> RunInStep(std::vector<std::unique_ptr<Scene>> scenes,
                                   const std::function<bool(double t)>& go_on,
                                   std::vector<RunCurves>* traces);

}  // namespace civita
