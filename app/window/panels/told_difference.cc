#include <string>

#include "app/window/actions/forecasts.h"
#include "app/window/panels/panels.h"
#include "civita/sim/metrics.h"
#include "civita/sim/trials/compare_runs.h"
#include "civita/study/compare/comparison_sentence.h"

namespace civita {

double ValueOf(const MetricInfo& info, const std::vector<MetricInfo>& metrics,
               const Figures& figures) {
  const std::size_t metric = FindMetric(metrics, info);
  return metric < figures.values.size() ? figures.values[metric] : kNaN;
}

bool IsWhole(const Snapshot& snapshot, Slot slot) {
  const bool is_a = slot == Slot::kA;
  const Failure& failure = is_a ? snapshot.failure : snapshot.other.failure;
  const Fall& fall = is_a ? snapshot.fall : snapshot.other.fall;
  return !failure.failed && !fall.fallen;
}

namespace {

ComparedSide DescribeSide(const WindowState& state, Slot slot,
                          const std::vector<MetricInfo>& metrics, double predicted) {
  const ActiveScene& scene = *state.scene;
  const Snapshot& snapshot = *scene.snapshot;
  const bool is_a = slot == Slot::kA;
  ComparedSide side{.name = is_a ? "A" : "B", .values = {}};
  const Figures& figures = is_a ? snapshot.figures : snapshot.other.figures;
  for (const MetricInfo& info : metrics) {
    side.values.push_back(ValueOf(info, scene.session.metrics(slot), figures));
  }
  side.predicted_error = predicted;
  side.law = scene.session.scene(slot).law->type;
  side.damps_by_inertia = DampsByInertia(scene.session.scene(slot));
  side.is_whole = IsWhole(snapshot, slot);
  const Failure& failure = is_a ? snapshot.failure : snapshot.other.failure;
  const Fall& fall = is_a ? snapshot.fall : snapshot.other.fall;
  if (fall.fallen) side.fate = Describe(fall);
  if (failure.failed) side.fate = "stopped at " + Fixed(failure.t, 3) + " s";
  return side;
}

std::vector<std::string> Tell(const WindowState& state) {
  const ActiveScene& scene = *state.scene;
  const Figures& figures = scene.snapshot->figures;
  // Of a stretch that begins in a motion, by a change or a way back, the errors are those of
  // before.
  if (!figures.since_throw && figures.since_t > 0) {
    return {"The errors are still those of before: what a change does is seen after a throw."};
  }
  if (EndOfFigures(*scene.snapshot) <= figures.since_t) return {};  // of no time at all
  const auto [predicted_a, predicted_b] = PredictedErrors(state);
  const std::vector<MetricInfo> metrics =
      MergeMetrics(scene.session.metrics(Slot::kA), scene.session.metrics(Slot::kB));
  return CompareInShort(metrics, DescribeSide(state, Slot::kA, metrics, predicted_a),
                        DescribeSide(state, Slot::kB, metrics, predicted_b));
}

}  // namespace

const std::vector<std::string>& TellDifference(WindowState* state) {
  constexpr double kToldPeriod = 0.15;  // s between updates, so that digits are readable
  ActiveScene::ToldDifference& told = state->scene->told;
  const Snapshot& snapshot = *state->scene->snapshot;
  const bool is_read = snapshot.state == RunState::kRunning && state->now - told.at <= kToldPeriod;
  const bool is_same = snapshot.serial == told.serial && !state->forecast.is_computing();
  if (told.at >= 0 && state->now >= told.at && (is_read || is_same)) return told.lines;
  told.lines = Tell(*state);
  told.serial = state->forecast.is_computing() ? -1 : snapshot.serial;  // a prediction follows
  told.at = state->now;
  return told.lines;
}

}  // namespace civita
