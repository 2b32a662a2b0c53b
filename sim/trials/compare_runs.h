#pragma once

#include <Eigen/Core>
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "civita/scenes/scene.h"
#include "civita/sim/metric_table.h"

namespace civita {

/// How a run ended.
enum class RunEnd { kDone, kInterrupted, kFailed, kFell };

/// One run of a variant, from one start with one seed.
struct ComparedRun {
  int seed = 0;
  int start = 0;  ///< index of the initial state; 0 is the scene's own
  bool passed = true;
  std::string verdict;  ///< "done", "interrupted at t = …", "failed: …", "fell freely: …"
  std::vector<double> values;  ///< by metric; NaN if there is none
  RunEnd end = RunEnd::kDone;
  double end_s = 0;  ///< time of the end, the failure or the fall

  /// Whether its values count for means and conclusions: those of a run that failed or fell tell of
  /// another time than the others'.
  bool is_whole() const { return end == RunEnd::kDone || end == RunEnd::kInterrupted; }
  /// "done", "failed", "fell", "interrupted"
  std::string status_word() const;
  /// With its time: "done", "failed at 0.004 s"
  std::string status() const;
};

/// Curves of a variant's first run, one value for each control step.
struct RunCurves {
  std::vector<double> t, error, V, s, torque, torque_rate, twist, energy_balance;
  std::vector<Eigen::Vector3d> ee, ee_reference;  ///< m, world axes
};

/// Sets a random initial state around the scene's own: every coordinate of q and v changes by at
/// most kSpread_q and kSpread_v. Start 0 is the scene's own; the same seed and number give the
/// same state.
void MoveStart(int seed, int start, Scene* scene);
inline constexpr double kSpread_q = 0.1;  // rad or m
inline constexpr double kSpread_v = 0.5;  // rad/s or m/s

/// The metrics of a scene's run, without marks that it does not reach.
std::vector<MetricInfo> CompareMetrics(const Scene& scene);

/// What of a scene turns s beside the torsion of C: "joint damping", "pushes".
std::vector<std::string> TurningCauses(const SceneData& scene);

/// Whether damping, a multiple of H for each velocity alike, turns no s: only there is what turns s
/// told as of torsion. Not of other laws, gains by joint, and feet on the ground.
bool DampsByInertia(const SceneData& scene);

/// Runs the scenes to their ends in step, on `jobs` threads, 0: on all cores: at intervals all wait
/// for the slowest, and `go_on(t)` is called; returning false stops all at the same time. A scene
/// that fails stops alone. `stop` is a flag as of Simulation::set_stop. With `traces`, one for each
/// scene, their curves are recorded.
/// @returns one run for each scene, `values` in the order of the scenes' CompareMetrics, merged.
std::vector<ComparedRun> RunInStep(std::vector<std::unique_ptr<Scene>> scenes,
                                   const std::function<bool(double t)>& go_on,
                                   std::vector<RunCurves>* traces,
                                   const std::atomic<bool>* stop = nullptr, int jobs = 0);

}  // namespace civita
