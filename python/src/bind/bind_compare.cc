#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <vector>

#include "app/verbs/compare/compare.h"
#include "app/verbs/run/run.h"
#include "civita/error.h"
#include "civita/sim/metrics.h"
#include "civita/study/survive/survive.h"
#include "python/src/bind/bind.h"
#include "python/src/bind/bind_study.h"
#include "python/src/bind/long_work.h"
#include "python/src/support/quiet_mujoco.h"
#ifdef CIVITA_WITH_WINDOW
#include "app/window/run_in_window.h"
#endif

namespace nb = nanobind;

namespace civita::python {
namespace {

/// What calc(watch) returns without the GIL as `describe` says; the notices that it told, and what
/// Ctrl-C or `progress` raised.
template <typename Calc, typename Describe>
nb::tuple WithoutGil(nb::handle progress, const Calc& calc, const Describe& describe) {
  LongWork work(progress);
  const auto result = [&] {
    const nb::gil_scoped_release release;
    const QuietMujoco quiet;
    return calc(work.watch());
  }();
  return nb::make_tuple(describe(result), work.notices, work.error());
}

/// A run's row: its variant, how it went, and its metrics; NaN where it failed or fell.
nb::dict DescribeRun(const VariantComparison& comparison, const ComparedVariant& variant,
                     const ComparedRun& run) {
  nb::dict row;
  row["variant"] = variant.name;
  row["seed"] = run.seed;
  row["start"] = run.start;
  row["passed"] = run.passed;
  row["verdict"] = run.verdict;
  row["status"] = run.status_word();
  row["t_end_s"] = run.end_s;
  for (std::size_t i = 0; i < comparison.metrics.size(); ++i) {
    row[ColumnOf(comparison.metrics[i]).c_str()] = run.is_whole() ? run.values[i] : kNaN;
  }
  return row;
}

nb::dict Describe(const VariantComparison& comparison) {
  nb::dict units, verdicts;
  for (const MetricInfo& info : comparison.metrics) units[ColumnOf(info).c_str()] = info.unit;
  nb::list variants, runs;
  for (const ComparedVariant& variant : comparison.variants) {
    nb::list estimates;  // mean, low, high of each metric in turn
    for (std::size_t i = 0; i < comparison.metrics.size(); ++i) {
      const Estimate estimate = EstimateMetric(variant, i);
      estimates.append(estimate.mean);
      estimates.append(estimate.mean - estimate.half);
      estimates.append(estimate.mean + estimate.half);
    }
    variants.append(nb::make_tuple(variant.name, estimates));
    verdicts[variant.name.c_str()] = variant.verdict();
    for (const ComparedRun& run : variant.runs) runs.append(DescribeRun(comparison, variant, run));
  }
  nb::dict result;
  result["variants"] = variants;
  result["units"] = units;
  result["runs"] = runs;
  result["verdicts"] = verdicts;
  result["sentence"] = Summarize(comparison);
  result["text"] = DescribeRuns(comparison);
  result["table"] = FormatTable(comparison);
  result["command"] = comparison.command;
  result["interrupted"] = comparison.interrupted;
  result["write_error"] = comparison.write_error;
  return result;
}

nb::tuple Compare(const std::string& scene, const std::vector<std::string>& variations,
                  const std::vector<std::string>& overrides, std::optional<double> duration,
                  std::optional<int> seed, int seeds, int initial_states, const std::string& states,
                  const std::string& out, nb::handle progress) {
  CompareOptions options;
  options.scene = scene;
  options.variations = variations;
  options.overrides = overrides;
  options.duration_s = duration;
  options.seed = seed;
  options.seeds = seeds;
  options.initial_states = initial_states;
  options.states = states;
  return WithoutGil(
      progress, [&](const Watch& watch) { return CompareInto(out, options, watch); }, Describe);
}

nb::list Describe(const SurvivalTable& table) {
  nb::list rows;
  for (const SurvivalRow& each : table.rows) {
    nb::dict row;
    row["scene"] = each.scene;
    row["variant"] = each.variant;
    row[each.push.absolute ? "impulse_Ns" : "share_of_ceiling"] = each.push.amount;
    const double n = static_cast<double>(each.trials.size());
    const Interval interval = each.interval();
    row["n"] = each.trials.size();
    row["survived"] = each.num_survived();
    row["share"] = static_cast<double>(each.num_survived()) / n;  // NaN if none
    row["low"] = interval.low;
    row["high"] = interval.high;
    row["fell"] = each.num_fallen();
    nb::list trials;
    for (const SurvivalTrial& trial : each.trials) trials.append(DescribeTrial(trial, each.gait));
    rows.append(nb::make_tuple(row, trials));
  }
  return rows;
}

nb::tuple Survive(const std::vector<std::string>& scenes, const std::vector<double>& shares,
                  const std::vector<double>& impulses, int trials, std::optional<int> seed,
                  bool without_steps, bool all_errors, const std::vector<std::string>& variations,
                  const std::vector<std::string>& overrides, nb::handle progress) {
  const SurviveOptions options = {.scenes = scenes,
                                  .shares = shares,
                                  .impulses = impulses,
                                  .trials = trials,
                                  .seed = seed,
                                  .without_steps = without_steps,
                                  .all_errors = all_errors,
                                  .variations = variations,
                                  .overrides = overrides};
  return WithoutGil(
      progress, [&](const Watch& watch) { return RunTrials(options, watch); },
      [](const SurvivalTable& table) {
        return nb::make_tuple(Describe(table), FormatSurvival(table));
      });
}

int View(const std::string& scene, const std::vector<std::string>& overrides,
         std::optional<int> seed, const std::string& out, bool paused, std::optional<double> at,
         const std::string& tab, bool light, bool serve, const std::string& screenshot,
         double after) {
  RunOptions options;
  options.scene = scene;
  options.overrides = overrides;
  options.seed = seed;
  options.called = {};
  options.out = out;
  options.paused = paused;
  options.at_s = at;
  options.tab = tab;
  options.light_theme = light;
  options.serves = serve;
  options.screenshot = screenshot;
  options.screenshot_after_s = after;
#ifdef CIVITA_WITH_WINDOW
  const nb::gil_scoped_release release;
  const QuietMujoco quiet;
  return RunInWindow(options);
#else
  throw UserError("this civita was built without its window");
#endif
}

}  // namespace

void BindCompare(nb::module_& module) {
  module.def(
      "compare", Compare, nb::arg("scene"), nb::arg("variations"), nb::arg("overrides"),
      nb::arg("duration").none(), nb::arg("seed").none(), nb::arg("seeds"),
      nb::arg("initial_states"), nb::arg("states"), nb::arg("out"), nb::arg("progress").none(),
      nb::sig(
          "def compare(scene: str, variations: list[str], overrides: list[str], "
          "duration: float | None, seed: int | None, seeds: int, initial_states: int, "
          "states: str, out: str, progress: typing.Any) -> tuple[dict[str, typing.Any], list[str], "
          "BaseException | None]"));
  module.def("survive", Survive, nb::arg("scenes"), nb::arg("shares"), nb::arg("impulses"),
             nb::arg("trials"), nb::arg("seed").none(), nb::arg("without_steps"),
             nb::arg("all_errors"), nb::arg("variations"), nb::arg("overrides"),
             nb::arg("progress").none(),
             nb::sig("def survive(scenes: list[str], shares: list[float], impulses: list[float], "
                     "trials: int, seed: int | None, without_steps: bool, all_errors: bool, "
                     "variations: list[str], overrides: list[str], progress: typing.Any) -> "
                     "tuple[tuple[list[tuple[dict[str, typing.Any], list[dict[str, typing.Any]]]], "
                     "str], list[str], BaseException | None]"));
  module.def("view", View, nb::arg("scene"), nb::arg("overrides"), nb::arg("seed").none(),
             nb::arg("out"), nb::arg("paused"), nb::arg("at").none(), nb::arg("tab"),
             nb::arg("light"), nb::arg("serve"), nb::arg("screenshot"), nb::arg("after"),
             nb::sig("def view(scene: str, overrides: list[str], seed: int | None, out: str, "
                     "paused: bool, at: float | None, tab: str, light: bool, serve: bool, "
                     "screenshot: str, after: float) -> int"));
}

}  // namespace civita::python
