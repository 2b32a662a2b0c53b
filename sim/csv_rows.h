#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

namespace civita {

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

}  // namespace civita
