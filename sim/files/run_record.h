#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "civita/scenes/scene.h"
#include "civita/sim/signals.h"

namespace civita {

/// The folder in a recorded comparison's, which is its run A's, that holds its run B.
inline constexpr std::string_view kSecondRun = "B";

/// Whether a path is a run folder that can be read back: it holds config.yaml and signals.csv.
bool IsRunFolder(const std::filesystem::path& path);

/// The rows of a CSV file of numbers, which stay in the file until they are asked for: memory holds
/// one number of each row, its time.
class CsvRows {
 public:
  /// Without columns and rows.
  CsvRows() = default;
  /// Reads all rows once. A killed run may have ended within a row: a last row without its end is
  /// left out. A file that is not there has no columns. @throws UserError for a row that is none,
  /// and one whose time, the first number, is not finite or not later than that of the row before.
  explicit CsvRows(const std::filesystem::path& path);

  const std::vector<std::string>& columns() const { return columns_; }
  std::size_t size() const { return times_.size(); }
  /// Whether a last row without its end was left out.
  bool ends_within_row() const { return ends_within_row_; }
  /// The first number of each row.
  const std::vector<double>& times() const { return times_; }
  /// A row, one number for each column; valid until the next call. Rows in order are read fastest.
  /// NaN if the file has lost it since.
  std::span<const double> row(std::size_t index);

 private:
  static constexpr std::size_t kBlock = 64;  ///< rows that are read together

  std::vector<std::string> columns_;
  std::vector<double> times_;
  std::vector<std::streamoff> blocks_;  ///< where each block begins
  std::ifstream file_;
  std::string line_;
  bool ends_within_row_ = false;
  std::size_t block_ = 0;       ///< the one in values_
  std::vector<double> values_;  ///< row by row
};

/// A run as its folder holds it: the config, and the rows of signals.csv and timing.csv with the
/// bits that were written, which stay in their files. Also of a run that was killed: its complete
/// rows. Not thread-safe.
class RunRecord {
 public:
  /// @throws UserError for a folder that is no run, and a table that cannot be read.
  explicit RunRecord(const std::filesystem::path& directory);

  const std::filesystem::path& directory() const { return directory_; }
  const SceneConfig& config() const { return config_; }
  /// Number of rows, at least one.
  std::size_t size() const { return signals_.size() - first_; }
  /// Number of rows of timing.csv.
  std::size_t num_timings() const { return timings_.size(); }
  double t(std::size_t row) const { return signals_.times()[first_ + row]; }
  /// Leaves out the rows before a time, s. @throws UserError if none is left.
  void DropBefore(double t);
  /// Whether signals.csv or timing.csv ends within a row, which is left out: of a killed run.
  bool ends_within_row() const { return signals_.ends_within_row() || timings_.ends_within_row(); }

  /// Lays the columns out as those of a table; NaN for those that the folder lacks.
  /// @throws UserError when it lacks the motion, /q and /v.
  void Arrange(const SignalTable& table);
  /// A row in the order of the arranged table, without t; valid until the next call.
  std::span<const double> row(std::size_t index);
  /// Reads rows of the arranged table, each led by t, from number `first` on.
  void Read(std::size_t first, std::span<double> rows);

 private:
  std::filesystem::path directory_;
  SceneConfig config_;
  CsvRows signals_, timings_;
  std::size_t first_ = 0;             ///< row of the files
  std::vector<std::size_t> sources_;  ///< of each column of the table, in its file
  std::size_t num_signals_ = 0;       ///< those of signals.csv, which come first
  std::vector<double> row_;
};

}  // namespace civita
