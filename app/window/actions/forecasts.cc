#include "app/window/actions/forecasts.h"

#include <cmath>
#include <optional>
#include <utility>

#include "app/window/actions/actions.h"

namespace civita {
namespace {

constexpr double kLookEvery = 0.1;   // s: a drag changes the settings in each frame
constexpr double kFirstAfter = 0.5;  // s: the first picture of the window comes before a verdict

bool IsDue(const WindowState& state, double* looked_at) {
  if (state.now >= *looked_at && state.now < *looked_at + kLookEvery) return false;
  *looked_at = state.now;
  return true;
}

// The state of a run at a time from its traces; none if they do not have it.
std::optional<RunStart> FindStart(const ActiveScene& scene, Slot slot, double t) {
  const Traces& traces = scene.traces;
  const TraceBuffer& rows = traces.buffer();
  const double half = 0.5 * scene.session.control_dt();
  const int64_t row = rows.LowerBound(t - half);
  if (row >= rows.end_index() || rows.time(row) > t + half) return std::nullopt;
  return RunStart{t, traces.Read(row, slot, "/e", traces.nv()),
                  traces.Read(row, slot, "/v", traces.nv())};
}

// The stretch over which errors are predicted: twice as long where the run has gone beyond it.
double EndOfForecast(const ActiveScene& scene, double t) {
  const Figures& figures = scene.snapshot->figures;
  if (figures.since_throw) return figures.since_t + kThrowShown_s;
  double span = scene.session.scene().config.duration_s;
  while (figures.since_t + span < t) span *= 2;
  return figures.since_t + span;
}

}  // namespace

void UpdateVerdict(WindowState* state) {
  state->verdict.Poll();
  if (state->verdict_from == 0) state->verdict_from = state->now + kFirstAfter;
  if (state->now < state->verdict_from || !IsDue(*state, &state->verdict_looked_at)) return;
  const ActiveScene& scene = *state->scene;
  const auto slot = static_cast<std::size_t>(scene.edited);
  state->verdict.Update({static_cast<int>(slot), scene.tuning().current()}, [&](const JudgedRun&) {
    return [config = TunedConfigs(scene)[slot]] { return JudgeConfig(config); };
  });
}

void UpdateForecast(WindowState* state) {
  state->forecast.Poll();
  const ActiveScene& scene = *state->scene;
  const Figures& figures = scene.snapshot->figures;
  if (!scene.is_comparing() || scene.session.is_replay() || figures.values.empty()) return;
  if (!IsDue(*state, &state->forecast_looked_at)) return;
  std::array<std::optional<RunStart>, 2> starts;
  if (figures.since_t > 0) {
    starts = {FindStart(scene, Slot::kA, figures.since_t),
              FindStart(scene, Slot::kB, figures.since_t)};
    if (!starts[0] || !starts[1]) return;
  }
  const double to_s = EndOfForecast(scene, EndOfFigures(*scene.snapshot));
  state->forecast.Update(
      {{scene.slots.front().tuning.current(), scene.slots.back().tuning.current()},
       figures.since_t,
       to_s},
      [&](const ForecastRuns&) {
        return [configs = TunedConfigs(scene), starts = std::move(starts), to_s] {
          return Forecast{PredictConfig(configs.front(), starts[0], to_s),
                          PredictConfig(configs.back(), starts[1], to_s)};
        };
      });
}

double EndOfFigures(const Snapshot& snapshot) {
  const double until = snapshot.figures.until_t;
  return std::isnan(until) ? snapshot.t : std::min(until, snapshot.t);
}

std::array<double, 2> PredictedErrors(const WindowState& state, std::string_view part) {
  std::array<double, 2> errors = {kNaN, kNaN};
  const Snapshot& snapshot = *state.scene->snapshot;
  for (std::size_t run = 0; run < errors.size(); ++run) {
    const PredictedError& predicted = state.forecast.result()[run];
    if (predicted.from_s != snapshot.figures.since_t) continue;  // of figures before
    for (std::size_t i = 0; i < predicted.parts.size(); ++i) {
      if (predicted.parts[i].name == part) {
        errors[run] = predicted.RmsUntil(i, EndOfFigures(snapshot));
      }
    }
  }
  return errors;
}

}  // namespace civita
