#include "app/window/panels/told_difference.h"

#include <algorithm>
#include <string>

#include "app/window/actions/forecasts.h"
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

struct ComparedRuns {
  std::vector<MetricInfo> metrics;
  ComparedSide a, b;
};

ComparedSide DescribeSide(const WindowState& state, Slot slot,
                          const std::vector<MetricInfo>& metrics, double predicted) {
  const ActiveScene& scene = *state.scene;
  const Snapshot& snapshot = *scene.snapshot;
  const bool is_a = slot == Slot::kA;
  ComparedSide side{.name = (is_a ? "A (" : "B (") + RunName(scene, slot) + ")", .values = {}};
  const Figures& figures = is_a ? snapshot.figures : snapshot.other.figures;
  for (const MetricInfo& info : metrics) {
    side.values.push_back(ValueOf(info, scene.session.metrics(slot), figures));
  }
  const double since = snapshot.figures.since_t, end = EndOfFigures(snapshot);
  side.turned_by = CausesOfTurning(scene, slot, since, end);
  const PredictedError& forecast = state.forecast.result()[is_a ? 0 : 1];
  side.predicted_error = predicted;
  side.left_out = forecast.left_out;
  side.is_one_of_mean = forecast.is_mean;
  side.law = scene.session.scene(slot).law->type;
  side.damps_by_inertia = DampsByInertia(scene.session.scene(slot));
  const bool is_pushed = std::ranges::any_of(scene.pushes, [&](const PushEvent& event) {
    return !event.is_planned && event.push.start_s >= since && event.push.start_s < end;
  });
  if (is_pushed) side.left_out.emplace_back("pushes by hand");
  side.is_whole = IsWhole(snapshot, slot);
  const Failure& failure = is_a ? snapshot.failure : snapshot.other.failure;
  const Fall& fall = is_a ? snapshot.fall : snapshot.other.fall;
  if (fall.fallen) side.fate = Describe(fall);
  if (failure.failed) side.fate = "stopped at " + Fixed(failure.t, 3) + " s";
  return side;
}

ComparedRuns CompareRuns(const WindowState& state) {
  const ActiveScene& scene = *state.scene;
  const Snapshot& snapshot = *scene.snapshot;
  const auto [predicted_a, predicted_b] = PredictedErrors(state);
  ComparedRuns runs{
      MergeMetrics(scene.session.metrics(Slot::kA), scene.session.metrics(Slot::kB)), {}, {}};
  runs.a = DescribeSide(state, Slot::kA, runs.metrics, predicted_a);
  runs.b = DescribeSide(state, Slot::kB, runs.metrics, predicted_b);
  if (snapshot.figures.since_throw) {  // marks count from it, the sentence's times from the start
    for (MetricInfo& info : runs.metrics) {
      if (info.mark_s && *info.mark_s > 0) *info.mark_s += snapshot.figures.since_t;
    }
  }
  return runs;
}

// Of no time at all nothing can be concluded.
bool HasTime(const Snapshot& snapshot) { return EndOfFigures(snapshot) > snapshot.figures.since_t; }

/// Of a stretch that begins in a motion, by a change or a way back, whose errors are those of
/// before.
std::string Beginning(const Snapshot& snapshot) {
  const Figures& figures = snapshot.figures;
  if (figures.since_throw || figures.since_t == 0) return "";
  return "Measured from " + Fixed(figures.since_t, 2) + " s on, with the errors of before";
}

std::string Conclude(const Snapshot& snapshot, const ComparedRuns& runs) {
  if (!HasTime(snapshot)) {
    const double since = snapshot.figures.since_t;
    return (since > 0 ? "Measured anew from " + Fixed(since, 2) + " s on"
                      : "Nothing is measured yet") +
           ": let it run to see what differs";
  }
  const std::string words = CompareInWords(runs.metrics, runs.a, runs.b);
  const std::string beginning = Beginning(snapshot);
  return (beginning.empty() ? "" : beginning + ". ") +
         (words.empty() ? "Nothing differs so far" : words);
}

}  // namespace

std::string DescribeDifference(const WindowState& state) {
  return Conclude(*state.scene->snapshot, CompareRuns(state));
}

const ActiveScene::ToldDifference& TellDifference(WindowState* state) {
  constexpr double kPeriod = 0.15;  // s between updates, so that digits are readable
  ActiveScene::ToldDifference& told = state->scene->told;
  const Snapshot& snapshot = *state->scene->snapshot;
  const bool is_read = snapshot.state == RunState::kRunning && state->now - told.at <= kPeriod;
  const bool is_same = snapshot.serial == told.serial && !state->forecast.is_computing();
  if (told.at >= 0 && state->now >= told.at && (is_read || is_same)) return told;
  const ComparedRuns runs = CompareRuns(*state);
  told.text = Conclude(snapshot, runs);
  told.lines.clear();
  if (const std::string beginning = Beginning(snapshot); !beginning.empty()) {
    told.lines = {beginning + ": what a change does is seen after a throw or a reset"};
  } else if (HasTime(snapshot)) {
    told.lines = CompareInShort(runs.metrics, runs.a, runs.b);
  }
  told.serial = state->forecast.is_computing() ? -1 : snapshot.serial;  // a prediction follows
  told.at = state->now;
  return told;
}

}  // namespace civita
