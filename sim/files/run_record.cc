#include "civita/sim/run_record.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <system_error>

#include "base/utf8.h"
#include "civita/error.h"

namespace civita {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kNoColumn = std::numeric_limits<std::size_t>::max();

std::vector<std::string> Fields(std::string_view line) {
  std::vector<std::string> fields;
  while (true) {
    const std::size_t comma = line.find(',');
    fields.emplace_back(line.substr(0, comma));
    if (comma == line.npos) return fields;
    line.remove_prefix(comma + 1);
  }
}

/// Reads the numbers of a line; false unless there are as many.
bool ReadNumbers(std::string_view line, std::span<double> numbers) {
  const char* at = line.data();
  const char* const end = at + line.size();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto [next, error] = std::from_chars(at, end, numbers[i]);
    const bool is_last = i + 1 == numbers.size();
    if (error != std::errc() || (is_last ? next != end : next == end || *next != ',')) return false;
    at = is_last ? next : next + 1;
  }
  return true;
}

/// The column of that name, or kNoColumn.
std::size_t FindColumn(const CsvRows& rows, const std::string& name) {
  const auto found = std::ranges::find(rows.columns(), name);
  return found == rows.columns().end() ? kNoColumn
                                       : static_cast<std::size_t>(found - rows.columns().begin());
}

}  // namespace

CsvRows::CsvRows(const std::filesystem::path& path) : file_(path, std::ios::binary) {
  if (!std::getline(file_, line_)) return;
  internal::CheckUtf8(line_, path.string());
  columns_ = Fields(line_);
  auto at = static_cast<std::streamoff>(line_.size() + 1);
  std::vector<double> row(columns_.size());
  const auto refuse = [&](const std::string& why) {
    throw UserError(path.string() + ": row " + std::to_string(size() + 1) + why);
  };
  // getline sets eof at a line without its end.
  while (std::getline(file_, line_) && !file_.eof()) {
    if (!ReadNumbers(line_, row)) {
      refuse(" is not a row of " + std::to_string(columns_.size()) + " numbers");
    }
    if (!std::isfinite(row[0])) refuse(" has no finite time");
    if (size() > 0 && row[0] <= times_.back()) refuse(" is not later than the row before it");
    if (size() % kBlock == 0) blocks_.push_back(at);
    times_.push_back(row[0]);
    at += static_cast<std::streamoff>(line_.size() + 1);
  }
  ends_within_row_ = !line_.empty() && file_.eof();
  block_ = blocks_.size();
}

std::span<const double> CsvRows::row(std::size_t index) {
  const std::size_t width = columns_.size();
  if (block_ != index / kBlock) {
    block_ = index / kBlock;
    values_.assign(kBlock * width, std::numeric_limits<double>::quiet_NaN());
    file_.clear();
    file_.seekg(blocks_[block_]);
    const std::size_t rows = std::min(kBlock, size() - block_ * kBlock);
    for (std::size_t k = 0; k < rows && std::getline(file_, line_); ++k) {
      ReadNumbers(line_, std::span(values_).subspan(k * width, width));
    }
  }
  return std::span(values_).subspan(index % kBlock * width, width);
}

bool IsRunFolder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path / "config.yaml", ignored) &&
         fs::is_regular_file(path / "signals.csv", ignored);
}

RunRecord::RunRecord(const fs::path& directory) : directory_(directory) {
  if (!IsRunFolder(directory)) {
    throw UserError(directory.string() + ": is no run folder, with config.yaml and signals.csv");
  }
  config_ = ReadConfig((directory / "config.yaml").string());
  signals_ = CsvRows(directory / "signals.csv");
  timings_ = CsvRows(directory / "timing.csv");
  if (signals_.size() == 0) throw UserError(directory.string() + ": the run has no rows");
}

void RunRecord::DropBefore(double t) {
  const std::vector<double>& times = signals_.times();
  const auto first = std::ranges::lower_bound(times, t);
  if (first == times.end()) throw UserError(directory_.string() + ": the run ends before");
  first_ = static_cast<std::size_t>(first - times.begin());
}

void RunRecord::Arrange(const SignalTable& table) {
  num_signals_ = table.timings_begin();
  sources_.clear();
  for (std::size_t c = 0; c < table.width(); ++c) {
    const std::string& name = table.columns()[c];
    sources_.push_back(FindColumn(c < num_signals_ ? signals_ : timings_, name));
    if (sources_.back() == kNoColumn && (name.starts_with("/q/") || name.starts_with("/v/"))) {
      throw UserError(directory_.string() + ": the run does not hold " + name +
                      " of its robot's motion");
    }
  }
  row_.resize(sources_.size());
}

std::span<const double> RunRecord::row(std::size_t index) {
  index += first_;
  const std::span<const double> signals = signals_.row(index);
  const std::span<const double> timings =
      index < timings_.size() ? timings_.row(index) : std::span<const double>();
  for (std::size_t c = 0; c < row_.size(); ++c) {
    const std::span<const double> from = c < num_signals_ ? signals : timings;
    row_[c] =
        sources_[c] < from.size() ? from[sources_[c]] : std::numeric_limits<double>::quiet_NaN();
  }
  return row_;
}

void RunRecord::Read(std::size_t first, std::span<double> rows) {
  for (; !rows.empty(); rows = rows.subspan(1 + row_.size()), ++first) {
    rows[0] = t(first);
    std::ranges::copy(row(first), rows.begin() + 1);
  }
}

}  // namespace civita
