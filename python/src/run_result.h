#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/verbs/run/run.h"
#include "civita/sim/recorder.h"
#include "civita/sim/run_record.h"
#include "civita/sim/signals.h"
#include "civita/sim/simulation.h"

namespace civita::python {

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

}  // namespace civita::python
