#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/verbs/run/run.h"
#include "base/number_text.h"
#include "civita/error.h"
#include "civita/sim/output_file.h"
#include "civita/sim/recorder.h"
#include "civita/sim/run_json.h"
#include "civita/sim/run_record.h"
#include "civita/sim/run_to_end.h"
#include "civita/sim/signals.h"
#include "civita/sim/simulation.h"
#include "civita/study/identify/recorded_motion.h"
#include "civita/suggest.h"
#include "python/src/bind/bind.h"
#include "python/src/bind/film.h"
#include "python/src/bind/long_work.h"
#include "python/src/support/loaded_model.h"
#include "python/src/support/quiet_mujoco.h"

namespace nb = nanobind;

namespace civita::python {
namespace {

/// A run with its signals in memory, one row a control step: t, then the kept columns of the
/// scene's SignalTable.
class RunResult {
 public:
  /// A run that is still to be made. `signals`: names of those to keep; none: all.
  /// @throws UserError.
  RunResult(const RunOptions& options, const std::optional<std::vector<std::string>>& signals);
  /// The run in a run folder. @throws UserError.
  explicit RunResult(const std::filesystem::path& directory);

  /// Makes the run, as `civita run --headless` does, until `go_on`, called after each step, is
  /// false.
  void Run(const std::function<bool()>& go_on);

  /// Writes the run folder, as `civita run --headless --out` does. Of a run with all signals.
  void Save(const std::filesystem::path& directory) const;

  /// A picture of the last row until a time, as Film::Draw. @throws as Film, UserError for a run
  /// without its configurations.
  Film::Pixels DrawAt(double t, const FilmLook& look) const;
  /// Writes a video while `go_on`, called with the time of each row, is true. @returns where it is.
  /// @throws as DrawAt, WriteError.
  std::string WriteVideo(const std::string& file, const FilmLook& look,
                         const std::function<bool(double t)>& go_on) const;

  /// Its motion for civita.identify. @throws UserError.
  MotionSamples MotionOf(const LoadedModel& model) const;

  const Simulation& simulation() const { return *simulation_; }
  const SignalTable& table() const { return table_; }
  const RunSummary& summary() const { return summary_; }
  /// The kept signals, whose Signal::column counts from the first column after t.
  const std::vector<Signal>& signals() const { return kept_; }
  std::size_t rows() const { return data_.size() / columns(); }
  std::size_t columns() const { return 1 + columns_.size(); }
  const double* data() const { return data_.data(); }

 private:
  RunResult(const std::filesystem::path& directory, RunRecord record);
  void ReadVerdict(const std::filesystem::path& directory);
  void Keep(const std::optional<std::vector<std::string>>& names);
  double TimeOf(std::size_t row) const { return data_[row * columns()]; }
  /// The configuration of a row. @throws UserError where it was not kept.
  std::span<const double> PositionOf(std::size_t row) const;
  /// Appends the kept columns of a row of the table.
  void Append(double t, const double* row);

  std::string out_;
  std::unique_ptr<Simulation> simulation_;
  SignalTable table_;
  std::vector<Signal> kept_;
  std::vector<std::size_t> columns_;  ///< kept ones of the table
  std::vector<double> data_;
  std::vector<double> scratch_;
  RunSummary summary_;
};

/// How far a run is, as LongWork::GoesOn wants it.
std::pair<std::string, double> DescribeTime(double t, double end_s) {
  return {internal::WithDecimals(t, 1) + " of " + internal::General(end_s) + " s", t / end_s};
}

/// @returns the run, what Ctrl-C or `progress` raised, if that ended it, and what could not be
/// written, if so.
nb::tuple RunScene(const std::string& scene, const std::vector<std::string>& overrides,
                   std::optional<double> duration_s, std::optional<int> seed,
                   const std::string& out, const std::optional<std::vector<std::string>>& signals,
                   nb::handle progress) {
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
  LongWork work(progress);
  std::unique_ptr<RunResult> run;
  {
    const nb::gil_scoped_release release;
    const QuietMujoco quiet;
    run = std::make_unique<RunResult>(options, signals);
    const Simulation& simulation = run->simulation();
    run->Run([&] {
      return work.GoesOn(
          [&] { return DescribeTime(simulation.time(), simulation.scene().config.duration_s); });
    });
  }
  const std::string unwritten = run->summary().write_error;
  return nb::make_tuple(std::move(run), work.error(), unwritten);
}

nb::bytes DrawFrame(const RunResult& run, double t, int width, int height, bool light) {
  Film::Pixels rgb;
  {
    const nb::gil_scoped_release release;
    const QuietMujoco quiet;
    rgb = run.DrawAt(t, {width, height, light});
  }
  return nb::bytes(rgb.data(), rgb.size());
}

std::string MakeVideo(const RunResult& run, const std::string& file, int width, int height,
                      bool light, nb::handle progress) {
  LongWork work(progress);
  std::string written;
  {
    const nb::gil_scoped_release release;
    const QuietMujoco quiet;
    const double end_s = run.data()[(run.rows() - 1) * run.columns()];
    written = run.WriteVideo(file, {width, height, light}, [&](double t) {
      return work.GoesOn([&] { return DescribeTime(t, end_s); });
    });
  }
  work.Rethrow();
  return written;
}

/// All numbers, read-only: a row for each step.
nb::object Data(nb::handle self) {
  const auto& run = nb::cast<const RunResult&>(self);
  return nb::cast(nb::ndarray<nb::numpy, const double, nb::ndim<2>>(
      run.data(), {run.rows(), run.columns()}, self));
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

/// Memory for longer runs is got as they go on, since many end early.
constexpr std::size_t kReservedRows = 100000;

}  // namespace

nb::list ListSignals(const std::vector<Signal>& signals) {
  nb::list list;
  for (const Signal& signal : signals) {
    list.append(nb::make_tuple(signal.info.name, signal.info.unit, signal.info.doc,
                               1 + signal.column, signal.info.width));
  }
  return list;
}

void BindRun(nb::module_& module) {
  nb::class_<MotionSamples>(module, "MotionSamples", "What civita.identify has read of a motion.");
  nb::class_<RunResult>(module, "RunResult", "A run's record; see civita.Run.")
      .def_prop_ro("data", Data, nb::sig("def data(self) -> Array"))
      .def_prop_ro(
          "signals", [](const RunResult& run) { return ListSignals(run.signals()); },
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
           nb::sig("def save(self, directory: str | os.PathLike[str]) -> None"))
      .def_prop_ro("model",
                   [](const RunResult& run) {
                     const Scene& scene = run.simulation().scene();
                     return LoadedModel{scene.control_model, scene.config.name, {}, {}, {}};
                   })
      .def("motion", &RunResult::MotionOf, nb::arg("model"))
      .def("frame", DrawFrame, nb::arg("t"), nb::arg("width"), nb::arg("height"), nb::arg("light"))
      .def("video", MakeVideo, nb::arg("file"), nb::arg("width"), nb::arg("height"),
           nb::arg("light"), nb::arg("progress").none(),
           nb::sig("def video(self, file: str, width: int, height: int, light: bool, "
                   "progress: typing.Any) -> str"));
  module.def(
      "run", RunScene, nb::arg("scene"), nb::arg("overrides"), nb::arg("duration").none(),
      nb::arg("seed").none(), nb::arg("out"), nb::arg("signals").none(), nb::arg("progress").none(),
      nb::sig("def run(scene: str, overrides: list[str], duration: float | None, seed: int | "
              "None, out: str, signals: list[str] | None, progress: typing.Any) -> "
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
  BindSimulation(module);
  module.def("unknown_name", UnknownName, nb::arg("kind"), nb::arg("word"), nb::arg("names"));
}

RunResult::RunResult(const RunOptions& options,
                     const std::optional<std::vector<std::string>>& signals)
    : out_(options.out),
      simulation_(std::make_unique<Simulation>(OpenScene(options))),
      table_(simulation_->scene()),
      scratch_(table_.width()) {
  Keep(signals);
}

RunResult::RunResult(const std::filesystem::path& directory)
    : RunResult(directory, RunRecord(directory)) {}

RunResult::RunResult(const std::filesystem::path& directory, RunRecord record)
    : simulation_(std::make_unique<Simulation>(LoadScene(record.config()))),
      table_(simulation_->scene()),
      scratch_(table_.width()) {
  Keep({});
  record.Arrange(table_);
  data_.reserve(columns() * record.size());
  Recorder recorder(*simulation_, {});
  StepRecord step(simulation_->scene());
  for (std::size_t k = 0; k < record.size(); ++k) {
    Append(record.t(k), record.row(k).data());
    step.t = record.t(k);
    table_.Read(record.row(k), &step);
    recorder.Add(step);
  }
  summary_ = recorder.Finish(*simulation_, 0, false);
  ReadVerdict(directory);
}

void RunResult::ReadVerdict(const std::filesystem::path& directory) {
  const nlohmann::json json = ReadRunJson(directory);
  const std::string status = json.value("status", "running");
  summary_.passed = status == "done" || status == "interrupted";
  summary_.interrupted = status == "interrupted";
  summary_.verdict =
      status == "running" ? "ended before its summary was written" : json.value("verdict", "");
  if (status == "running") return;
  const nlohmann::json figures = json.value("summary", nlohmann::json::object());
  summary_.wall_s = figures.value("wall_s", 0.0);
  summary_.real_time_factor = figures.value("real_time_factor", 0.0);
  summary_.mujoco_warnings = figures.value("mujoco_warnings", 0);
}

void RunResult::Keep(const std::optional<std::vector<std::string>>& names) {
  std::vector<std::string> valid;
  for (const Signal& each : table_.signals()) valid.push_back(each.info.name);
  for (const std::string& name : names.value_or(valid)) {
    const Signal* signal = table_.Find(name);
    if (signal == nullptr) {
      throw UserError("signals: " + UnknownName("signal", name, valid));
    }
    kept_.push_back(*signal);
    kept_.back().column = columns_.size();
    for (int i = 0; i < signal->info.size(); ++i) {
      columns_.push_back(signal->column + static_cast<std::size_t>(i));
    }
  }
}

void RunResult::Append(double t, const double* row) {
  data_.push_back(t);
  for (const std::size_t column : columns_) data_.push_back(row[column]);
}

void RunResult::Run(const std::function<bool()>& go_on) {
  using Clock = std::chrono::steady_clock;
  Recorder recorder(*simulation_, out_);
  const double steps = simulation_->scene().config.duration_s / simulation_->control_dt();
  data_.reserve(columns() * std::min(kReservedRows, static_cast<std::size_t>(steps) + 2));
  const Clock::time_point start = Clock::now();
  const bool interrupted = RunToEnd(simulation_.get(), &recorder, [&] {
    const StepRecord& record = simulation_->record();
    if (!columns_.empty()) table_.Fill(record, std::span(scratch_));
    Append(record.t, scratch_.data());
    return go_on();
  });
  const std::chrono::duration<double> wall = Clock::now() - start;
  summary_ = recorder.Finish(*simulation_, wall.count(), interrupted);
}

void RunResult::Save(const std::filesystem::path& directory) const {
  if (columns_.size() != table_.width()) {
    throw UserError("only a run with all of its signals can be saved");
  }
  Recorder recorder(*simulation_, directory);
  StepRecord record(simulation_->scene());
  for (std::size_t k = 0; k < rows(); ++k) {
    const std::span<const double> row(data_.data() + k * columns(), columns());
    record.t = row[0];
    table_.Read(row.subspan(1), &record);
    recorder.Add(record);
  }
  const RunSummary saved = recorder.Finish(*simulation_, summary_.wall_s, summary_.interrupted);
  if (!saved.write_error.empty()) throw WriteError(saved.write_error);
}

MotionSamples RunResult::MotionOf(const LoadedModel& model) const {
  MotionTable table{.name = simulation_->scene().config.name, .columns = {"t"}, .size = rows()};
  for (const std::size_t column : columns_) table.columns.push_back(table_.columns()[column]);
  table.row = [this](std::size_t row) {
    return std::span(data_).subspan(row * columns(), columns());
  };
  return ReadMotion(table, model.model, &simulation_->scene());
}

std::span<const double> RunResult::PositionOf(std::size_t row) const {
  const auto q = std::ranges::find(kept_, "/q", [](const Signal& each) { return each.info.name; });
  if (q == kept_.end()) throw UserError("only a run that has kept /q has pictures");
  if (row >= rows()) throw UserError("a run without a step has no pictures");
  const double* const from = data_.data() + row * columns() + 1 + q->column;
  return {from, static_cast<std::size_t>(q->info.size())};
}

Film::Pixels RunResult::DrawAt(double t, const FilmLook& look) const {
  if (!(t >= 0)) throw UserError("t: not a time of this run");
  const double last = t + 0.5 * simulation_->control_dt();
  PositionOf(0);
  Film film(*simulation_, look);
  std::size_t row = 0;
  for (; row + 1 < rows() && TimeOf(row + 1) <= last; ++row)
    film.Follow(TimeOf(row), PositionOf(row));
  return film.Draw(TimeOf(row), PositionOf(row), false);
}

std::string RunResult::WriteVideo(const std::string& file, const FilmLook& look,
                                  const std::function<bool(double t)>& go_on) const {
  PositionOf(0);
  Film film(*simulation_, look);
  film.Write(file);
  for (std::size_t row = 0; row < rows() && go_on(TimeOf(row)); ++row) {
    film.Follow(TimeOf(row), PositionOf(row));
  }
  return film.Finish();
}

}  // namespace civita::python
