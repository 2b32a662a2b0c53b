#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/progress_line.h"
#include "base/number_text.h"
#include "civita/error.h"
#include "civita/suggest.h"
#include "python/src/bind.h"
#include "python/src/quiet_mujoco.h"
#include "python/src/run_result.h"
#include "python/src/signal_watch.h"

namespace nb = nanobind;

namespace civita::python {
namespace {

/// Shows how far a run is.
class RunProgress {
 public:
  RunProgress(bool shown, double duration_s) : line_(shown), duration_s_(duration_s) {}

  void Show(double t) {
    if (++calls_ % 128 != 0 || !line_.Due()) return;
    line_.Show(internal::WithDecimals(t, 1) + " of " + internal::General(duration_s_) + " s",
               t / duration_s_);
  }

 private:
  ProgressLine line_;
  double duration_s_;
  long calls_ = 0;
};

/// @returns the run, what Ctrl-C raised, if that ended it, and what could not be written, if so.
nb::tuple RunScene(const std::string& scene, const std::vector<std::string>& overrides,
                   std::optional<double> duration_s, std::optional<int> seed,
                   const std::string& out, const std::optional<std::vector<std::string>>& signals,
                   bool progress) {
  if (duration_s && !(std::isfinite(*duration_s) && *duration_s > 0)) {
    throw UserError("duration: not a positive number of seconds");
  }
  if (seed && *seed < 0) throw UserError("seed: not a whole number from 0 to 2147483647");
  RunOptions options;
  options.scene = scene;
  options.overrides = overrides;
  options.duration_s = duration_s;
  options.seed = seed;
  options.called = {};
  options.out = out;
  SignalWatch watch;
  std::unique_ptr<RunResult> run;
  {
    const nb::gil_scoped_release release;
    const QuietMujoco quiet;
    run = std::make_unique<RunResult>(options, signals);
    RunProgress line(progress, run->simulation().scene().config.duration_s);
    run->Run([&] {
      line.Show(run->simulation().time());
      return !watch.raised();
    });
  }
  const std::string unwritten = run->summary().write_error;
  return nb::make_tuple(std::move(run), watch.error(), unwritten);
}

/// All numbers, read-only: a row for each step.
nb::object Data(nb::handle self) {
  const auto& run = nb::cast<const RunResult&>(self);
  return nb::cast(nb::ndarray<nb::numpy, const double, nb::ndim<2>>(
      run.data(), {run.rows(), run.columns()}, self));
}

nb::list ListSignals(const RunResult& run) {
  nb::list list;
  for (const Signal& signal : run.signals()) {
    list.append(nb::make_tuple(signal.info.name, signal.info.unit, signal.info.doc,
                               1 + signal.column, signal.info.width));
  }
  return list;
}

nb::list ListMetrics(const RunSummary& summary) {
  nb::list list;
  for (std::size_t i = 0; i < summary.metrics.size(); ++i) {
    const MetricInfo& info = summary.metrics[i];
    list.append(nb::make_tuple(info.key, info.mark_s ? nb::cast(*info.mark_s) : nb::none(),
                               info.label, info.unit, info.doc, summary.values[i]));
  }
  return list;
}

const char* StatusOf(const RunResult& run) {
  const RunSummary& summary = run.summary();
  return summary.interrupted ? "interrupted" : summary.passed ? "done" : "failed";
}

}  // namespace

void BindRun(nb::module_& module) {
  nb::class_<RunResult>(module, "RunResult", "A run's record; see civita.Run.")
      .def_prop_ro("data", Data, nb::sig("def data(self) -> Array"))
      .def_prop_ro("signals", ListSignals,
                   nb::sig("def signals(self) -> list[tuple[str, str, str, int, int]]"))
      .def_prop_ro(
          "metrics", [](const RunResult& run) { return ListMetrics(run.summary()); },
          nb::sig("def metrics(self) -> list[tuple[str, float | None, str, str, str, float]]"))
      .def_prop_ro("status", StatusOf)
      .def_prop_ro("verdict", [](const RunResult& run) { return run.summary().verdict; })
      .def_prop_ro("dt", [](const RunResult& run) { return run.simulation().control_dt(); })
      .def_prop_ro("wall_time", [](const RunResult& run) { return run.summary().wall_s; })
      .def_prop_ro("scene",
                   [](const RunResult& run) { return run.simulation().scene().config.name; })
      .def_prop_ro("title",
                   [](const RunResult& run) { return run.simulation().scene().config.title; })
      .def_prop_ro("config",
                   [](const RunResult& run) { return ToYaml(run.simulation().scene().config); })
      .def_prop_ro("notices",
                   [](const RunResult& run) {
                     std::vector<std::string> notices = run.simulation().scene().notices;
                     const std::vector<std::string>& notes = run.summary().notes;
                     notices.insert(notices.end(), notes.begin(), notes.end());
                     return notices;
                   })
      .def_prop_ro("velocity_names",
                   [](const RunResult& run) { return run.simulation().scene().velocity_names; })
      .def("save", &RunResult::Save, nb::arg("directory"), nb::call_guard<nb::gil_scoped_release>(),
           nb::sig("def save(self, directory: str | os.PathLike[str]) -> None"));
  module.def(
      "run", RunScene, nb::arg("scene"), nb::arg("overrides"), nb::arg("duration").none(),
      nb::arg("seed").none(), nb::arg("out"), nb::arg("signals").none(), nb::arg("progress"),
      nb::sig("def run(scene: str, overrides: list[str], duration: float | None, seed: int | "
              "None, out: str, signals: list[str] | None, progress: bool) -> "
              "tuple[RunResult, BaseException | None, str]"));
  module.def(
      "load_run",
      [](const std::filesystem::path& directory) {
        const nb::gil_scoped_release release;
        const QuietMujoco quiet;
        return std::make_unique<RunResult>(directory);
      },
      nb::arg("directory"),
      nb::sig("def load_run(directory: str | os.PathLike[str]) -> RunResult"));
  module.def("unknown_name", UnknownName, nb::arg("kind"), nb::arg("word"), nb::arg("names"));
}

}  // namespace civita::python
