#include "civita/sim/run_record.h"

#include <algorithm>
#include <limits>
#include <string>
#include <system_error>

#include "civita/error.h"

namespace civita {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

/// The column of that name, or kNone.
std::size_t FindColumn(const CsvRows& rows, const std::string& name) {
  const auto found = std::ranges::find(rows.columns(), name);
  return found == rows.columns().end() ? kNone
                                       : static_cast<std::size_t>(found - rows.columns().begin());
}

}  // namespace

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
    if (sources_.back() == kNone && (name.starts_with("/q/") || name.starts_with("/v/"))) {
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
