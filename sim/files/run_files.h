#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "civita/sim/input_event.h"
#include "civita/sim/npz_file.h"
#include "civita/sim/output_file.h"
#include "civita/sim/output_folder.h"
#include "civita/sim/run_record.h"
#include "civita/sim/run_summary.h"
#include "civita/sim/signals.h"
#include "civita/sim/simulation.h"

namespace civita {

/// Writes signals.npz: t and the table's signals, without timings, of rows that are each led by t.
void WriteSignalsNpz(const std::filesystem::path& path, const SignalTable& table,
                     std::size_t num_rows, const NpzFile::ReadRows& read);

/// The files of a run: its rows as signals.csv and timing.csv, and in a scratch file for
/// signals.npz, with what was changed by hand. A row is t, then the values of the table. One thread
/// at a time; functions @throw WriteError.
class RunFiles {
 public:
  /// The table must outlive it. @throws UserError as the Recorder; then nothing is left behind.
  RunFiles(const Simulation& simulation, const SignalTable& table,
           const std::filesystem::path& directory);

  /// Goes on with the folder of an arranged record after its first `rows` rows.
  RunFiles(const Simulation& simulation, const SignalTable& table, RunRecord* record,
           std::size_t rows);
  /// Removes the files.
  void Discard();
  /// Writes what was added and then a state to go on from.
  void WriteState(std::string_view bytes);

  void Add(std::span<const double> row);
  /// Adds an event that rows to come follow; `write`: at once, so that a killed run has it.
  void AddEvent(const InputEvent& event, bool write);
  /// Flushes the tables, twice a second.
  void FlushFromTimeToTime();
  /// Number of rows.
  std::size_t size() const { return rows_->size() / RowBytes(); }
  /// Reads one row, or several starting with it.
  void Read(std::size_t index, std::span<double> rows);
  // Of the rows and events at t and later:
  void Truncate(double t);
  /// Moves them to those put aside, which are forgotten.
  void PutAside(double t);
  /// Exchanges them with those put aside.
  void Exchange(double t);

  /// Completes the files, those with the result first. What could not be written is told by
  /// run.json, if there is room for it, and by `write_error` of the summary, which may hold an
  /// earlier error already. Does not throw.
  void Finish(RunSummary* summary);

 private:
  RunFiles(const SignalTable& table, const std::filesystem::path& directory,
           nlohmann::ordered_json run);
  std::unique_ptr<OutputFile> NewScratch() const;
  std::size_t RowBytes() const { return (1 + table_.width()) * sizeof(double); }
  std::size_t FirstFrom(double t);
  std::vector<InputEvent> CutEvents(double t);
  void WriteEvent(const InputEvent& event);
  void WriteEvents();
  void WriteRun();
  void WriteResult(const RunSummary& summary);
  void KeepWhatIsThere(const RunSummary& summary);

  const SignalTable& table_;
  std::filesystem::path directory_;
  nlohmann::ordered_json run_;
  OutputFolder folder_;
  std::optional<CsvFile> signals_, timing_;
  std::optional<OutputFile> events_file_;  ///< kEventsFile, once there is an event
  std::vector<InputEvent> events_, events_aside_;
  std::unique_ptr<OutputFile> rows_, aside_;  ///< aside_: those of another branch
};

}  // namespace civita
