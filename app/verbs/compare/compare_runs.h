#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/verbs/compare/comparison.h"
#include "scenes/scene.h"

namespace civita {

/// A random state around a scene's start: every coordinate of q and v off by up to kSpread_q and
/// kSpread_v. Start 0 is the scene's own; the same seed and number give the same offsets.
void MoveStart(int seed, int start, Scene* scene);
inline constexpr double kSpread_q = 0.1;  // rad or m
inline constexpr double kSpread_v = 0.5;  // rad/s or m/s

/// The table's rows for a scene.
std::vector<MetricInfo> CompareMetrics(const Scene& scene);

/// Runs the scenes to their ends in step, on all cores: every so often all wait for the slowest.
/// `go_on(t)` is asked then, and stops all at the same time by saying no. A scene that fails stops
/// alone. With `traces`, as many as scenes, their curves are kept.
/// @returns one run a scene, `values` in the order of CompareMetrics of the first.
std::vector<ComparedRun> RunInStep(std::vector<std::unique_ptr<Scene>> scenes,
                                   const std::function<bool(double t)>& go_on,
                                   std::vector<RunCurves>* traces);

}  // namespace civita
