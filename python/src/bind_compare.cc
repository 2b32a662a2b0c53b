#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <vector>

#include "app/verbs/compare/compare.h"
#include "app/verbs/compare/comparison_report.h"
#include "app/verbs/run/run.h"
#include "app/verbs/survive/survival_table.h"
#include "app/verbs/survive/survive.h"
#include "civita/error.h"
#include "python/src/bind.h"
#include "python/src/quiet_mujoco.h"
#include "python/src/signal_watch.h"
#ifdef CIVITA_WITH_WINDOW
#include "app/window/run_in_window.h"
#endif

namespace nb = nanobind;

namespace civita::python {
namespace {

/// The texts that calc(interrupted, note) returns without the GIL, the notices that it told, and
/// what Ctrl-C raised.
template <typename Calc>
nb::tuple WithoutGil(const Calc& calc) {
  SignalWatch watch;
  std::vector<std::string> texts, notices;
  {
    const nb::gil_scoped_release release;
    const QuietMujoco quiet;
    texts = calc([&watch] { return watch.raised(); },
                 [&notices](const std::string& text) { notices.push_back(text); });
  }
  return nb::make_tuple(texts, notices, watch.error());
}

/// The texts: compare.json, compare.csv, the table for a terminal, and what could not be written.
nb::tuple Compare(const CompareOptions& options) {
  return WithoutGil([&](const auto& interrupted, const auto& note) -> std::vector<std::string> {
    const VariantComparison comparison = CompareVariants(options, interrupted, note);
    return {FormatJson(comparison), FormatCsv(comparison), FormatTable(comparison),
            comparison.write_error};
  });
}

nb::tuple CompareScene(const std::string& scene, const std::vector<std::string>& variations,
                       const std::vector<std::string>& overrides, std::optional<double> duration,
                       std::optional<int> seed, int seeds, int initial_states,
                       const std::string& states, const std::string& out) {
  if (seeds < 1) throw UserError("seeds: at least 1");
  if (initial_states < 1) throw UserError("initial_states: at least 1");
  return Compare({.scene = scene,
                  .variations = variations,
                  .overrides = overrides,
                  .duration_s = duration,
                  .seed = seed,
                  .seeds = seeds,
                  .initial_states = initial_states,
                  .states = states,
                  .out = out});
}

/// The texts: survival.json and the table as Markdown.
nb::tuple Survive(const std::vector<std::string>& scenes, const std::vector<double>& shares,
                  const std::vector<double>& impulses, int trials, std::optional<int> seed,
                  bool without_steps, bool all_errors, const std::vector<std::string>& variations,
                  const std::vector<std::string>& overrides) {
  if (scenes.empty()) throw UserError("scenes: none is given");
  if (trials < 1) throw UserError("trials: at least 1");
  const SurviveOptions options = {.scenes = scenes,
                                  .shares = shares,
                                  .impulses = impulses,
                                  .trials = trials,
                                  .seed = seed,
                                  .without_steps = without_steps,
                                  .all_errors = all_errors,
                                  .variations = variations,
                                  .overrides = overrides,
                                  .out = {}};
  return WithoutGil([&](const auto& interrupted, const auto& note) -> std::vector<std::string> {
    const SurvivalTable table = RunTrials(options, interrupted, note);
    return {FormatSurvivalJson(table), FormatSurvival(table)};
  });
}

int View(const std::string& scene, const std::vector<std::string>& overrides,
         std::optional<int> seed, const std::string& out, bool paused, std::optional<double> at,
         const std::string& tab, bool light, const std::string& screenshot, double after) {
#ifdef CIVITA_WITH_WINDOW
  RunOptions options;
  options.scene = scene;
  options.overrides = overrides;
  options.seed = seed;
  options.out = out;
  options.paused = paused;
  options.at_s = at;
  options.tab = tab;
  options.light_theme = light;
  options.screenshot = screenshot;
  options.screenshot_after_s = after;
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
      "compare", CompareScene, nb::arg("scene"), nb::arg("variations"), nb::arg("overrides"),
      nb::arg("duration").none(), nb::arg("seed").none(), nb::arg("seeds"),
      nb::arg("initial_states"), nb::arg("states"), nb::arg("out"),
      nb::sig("def compare(scene: str, variations: list[str], overrides: list[str], "
              "duration: float | None, seed: int | None, seeds: int, initial_states: int, "
              "states: str, out: str) -> tuple[list[str], list[str], BaseException | None]"));
  module.def("survive", Survive, nb::arg("scenes"), nb::arg("shares"), nb::arg("impulses"),
             nb::arg("trials"), nb::arg("seed").none(), nb::arg("without_steps"),
             nb::arg("all_errors"), nb::arg("variations"), nb::arg("overrides"),
             nb::sig("def survive(scenes: list[str], shares: list[float], impulses: list[float], "
                     "trials: int, seed: int | None, without_steps: bool, all_errors: bool, "
                     "variations: list[str], overrides: list[str]) -> tuple[list[str], list[str], "
                     "BaseException | None]"));
  module.def("view", View, nb::arg("scene"), nb::arg("overrides"), nb::arg("seed").none(),
             nb::arg("out"), nb::arg("paused"), nb::arg("at").none(), nb::arg("tab"),
             nb::arg("light"), nb::arg("screenshot"), nb::arg("after"),
             nb::sig("def view(scene: str, overrides: list[str], seed: int | None, out: str, "
                     "paused: bool, at: float | None, tab: str, light: bool, screenshot: str, "
                     "after: float) -> int"));
}

}  // namespace civita::python
