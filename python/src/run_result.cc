#include "python/src/run_result.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "civita/error.h"
#include "civita/sim/output_file.h"
#include "civita/sim/run_json.h"
#include "civita/sim/run_to_end.h"
#include "civita/suggest.h"

namespace civita::python {
namespace {

/// Memory for longer runs is got as they go on, since many end early.
constexpr std::size_t kReservedRows = 100000;

}  // namespace

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

}  // namespace civita::python
