#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "civita/scenes/scene.h"
#include "civita/sim/signals.h"

namespace civita {

/// Whether a path is a run folder that can be read back: it holds config.yaml and signals.csv.
bool IsRunFolder(const std::filesystem::path& path);

/// A run as its folder holds it: the config, and the rows of signals.csv and timing.csv with the
/// bits that were written. Also of a run that was killed: its complete rows.
class RunRecord {
 public:
  /// @throws UserError for a folder that is no run, and a table that cannot be read.
  explicit RunRecord(const std::filesystem::path& directory);

  const std::filesystem::path& directory() const { return directory_; }
  const SceneConfig& config() const { return config_; }
  /// Number of rows, at least one.
  std::size_t size() const { return times_.size(); }
  double t(std::size_t row) const { return times_[row]; }

  /// Lays the columns out, once, as those of a table; NaN for those that the folder lacks.
  /// @throws UserError when it lacks the motion, /q and /v.
  void Arrange(const SignalTable& table);
  /// A row in the order of the arranged table, without t.
  std::span<const double> row(std::size_t index) const {
    return std::span(arranged_).subspan(index * width_, width_);
  }

 private:
  struct Table {
    std::vector<std::string> columns;  ///< the first is t
    std::vector<double> values;        ///< row by row
    std::size_t rows() const { return columns.empty() ? 0 : values.size() / columns.size(); }
  };
  static Table ReadTable(const std::filesystem::path& path);

  std::filesystem::path directory_;
  SceneConfig config_;
  Table signals_, timings_;
  std::vector<double> times_, arranged_;
  std::size_t width_ = 0;
};

}  // namespace civita
