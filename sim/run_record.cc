#include "civita/sim/run_record.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <string_view>
#include <system_error>

#include "civita/error.h"

namespace civita {
namespace {

namespace fs = std::filesystem;

std::vector<std::string_view> Fields(std::string_view line) {
  std::vector<std::string_view> fields;
  while (true) {
    const std::size_t comma = line.find(',');
    fields.push_back(line.substr(0, comma));
    if (comma == line.npos) return fields;
    line.remove_prefix(comma + 1);
  }
}

/// Appends the numbers of a line; false, with nothing appended, unless there are `count`.
bool AppendNumbers(std::string_view line, std::size_t count, std::vector<double>* values) {
  const std::size_t before = values->size();
  const char* at = line.data();
  const char* const end = at + line.size();
  for (std::size_t i = 0; i < count; ++i) {
    double x = 0;
    const auto [next, error] = std::from_chars(at, end, x);
    const bool is_last = i + 1 == count;
    if (error != std::errc() || (is_last ? next != end : next == end || *next != ',')) {
      values->resize(before);
      return false;
    }
    values->push_back(x);
    at = is_last ? next : next + 1;
  }
  return true;
}

}  // namespace

bool IsRunFolder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path / "config.yaml", ignored) &&
         fs::is_regular_file(path / "signals.csv", ignored);
}

RunRecord::Table RunRecord::ReadTable(const fs::path& path) {
  Table table;
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return table;
  for (const std::string_view name : Fields(line)) table.columns.emplace_back(name);
  // A killed run may end in the middle of a line.
  while (std::getline(file, line) && AppendNumbers(line, table.columns.size(), &table.values)) {
  }
  if (std::getline(file, line)) {
    throw UserError(path.string() + ": row " + std::to_string(table.rows() + 1) +
                    " is not a row of " + std::to_string(table.columns.size()) + " numbers");
  }
  return table;
}

RunRecord::RunRecord(const fs::path& directory) : directory_(directory) {
  if (!IsRunFolder(directory)) {
    throw UserError(directory.string() + ": is no run folder, with config.yaml and signals.csv");
  }
  config_ = ReadConfig((directory / "config.yaml").string());
  signals_ = ReadTable(directory / "signals.csv");
  timings_ = ReadTable(directory / "timing.csv");
  if (signals_.rows() == 0) throw UserError(directory.string() + ": the run has no rows");
  for (std::size_t k = 0; k < signals_.rows(); ++k) {
    times_.push_back(signals_.values[k * signals_.columns.size()]);
  }
}

void RunRecord::Arrange(const SignalTable& table) {
  width_ = table.width();
  arranged_.assign(width_ * size(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t c = 0; c < width_; ++c) {
    const std::string& name = table.columns()[c];
    const Table& from = c < table.timings_begin() ? signals_ : timings_;
    const auto found = std::find(from.columns.begin(), from.columns.end(), name);
    if (found == from.columns.end()) {
      if (name.starts_with("/q/") || name.starts_with("/v/")) {
        throw UserError(directory_.string() + ": the run does not hold " + name +
                        " of its robot's motion");
      }
      continue;
    }
    const auto column = static_cast<std::size_t>(found - from.columns.begin());
    for (std::size_t k = 0; k < std::min(size(), from.rows()); ++k) {
      arranged_[k * width_ + c] = from.values[k * from.columns.size() + column];
    }
  }
  signals_ = timings_ = {};
}

}  // namespace civita
