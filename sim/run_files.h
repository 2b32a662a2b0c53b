#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "civita/sim/input_event.h"
#include "civita/sim/output_file.h"
#include "civita/sim/output_folder.h"
#include "civita/sim/run_record.h"
#include "civita/sim/run_summary.h"
#include "civita/sim/signals.h"
#include "civita/sim/simulation.h"

namespace civita {

/// The files of a run, and all rows in a scratch file for signals.npz. A row is t, then the values
/// of the table. One thread at a time; functions @throw WriteError.
class RunFiles {
 public:
  using Events = std::vector<InputEvent>;

  /// @throws UserError as the Recorder; then nothing is left behind.
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
  /// Writes an event that rows to come follow, so that a killed run has it.
  void AddEvent(const InputEvent& event);
  /// Writes these in the place of those that were added.
  void SetEvents(const Events& events);
  /// Flushes the tables, twice a second.
  void FlushFromTimeToTime();
  /// Number of rows.
  std::size_t size() const { return rows_->size() / RowBytes(); }
  /// Reads one row, or several starting with it.
  void Read(std::size_t index, std::span<double> rows);
  /// Number of the first row at t or later; times ascend.
  std::size_t FirstFrom(double t);
  void Truncate(std::size_t size);
  /// Moves the rows from number `first` on to the rows put aside.
  void PutAside(std::size_t first);
  /// Exchanges the rows from number `first` on with those put aside.
  void Exchange(std::size_t first);

  /// Completes the files, those with the result first. What could not be written is told by
  /// run.json, if there is room for it, and by `write_error` of the summary, which may hold an
  /// earlier error already. Does not throw.
  void Finish(const Events& events, RunSummary* summary);

 private:
  void OpenScratch();
  std::size_t RowBytes() const { return width_ * sizeof(double); }
  std::string Dump() const;
  void WriteResult(const Events& events, const RunSummary& summary);
  void WriteNpz();
  void KeepWhatIsThere(const Events& events, const RunSummary& summary);

  std::size_t width_;               ///< numbers in a row
  std::vector<std::string> names_;  ///< of the columns of signals.csv
  std::filesystem::path directory_;
  nlohmann::ordered_json run_;
  OutputFolder folder_;
  std::optional<CsvFile> signals_, timing_;
  std::optional<OutputFile> events_;  ///< kEventsFile, once there is an event
  std::unique_ptr<OutputFile> rows_;
  std::unique_ptr<OutputFile> aside_, spare_;  ///< rows of another branch; of one that is moved
  std::vector<double> timing_row_;
};

}  // namespace civita
