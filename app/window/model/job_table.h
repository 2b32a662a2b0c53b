// The results of background jobs as the window shows them.
#pragma once

#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace civita {

enum class JobKind { kCompare, kSweep, kSurvive, kBench };
inline constexpr JobKind kJobKinds[] = {JobKind::kCompare, JobKind::kSweep, JobKind::kSurvive,
                                        JobKind::kBench};
/// The verb.
std::string_view NameOf(JobKind kind);

/// A job's results: rows of numbers, as text, with a bar each where shares or times are compared.
struct JobTable {
  /// In shares of the bar's length; low and high: of an interval about the value.
  struct Bar {
    double value = 0, low = 0, high = 0;
  };
  struct Row {
    std::string heading = {};  ///< of the rows from this one on; "": unchanged
    std::string name, unit;
    std::vector<std::string> cells;
    bool is_apart = false;  ///< the cells differ by much
    std::optional<Bar> bar = {};
  };
  std::vector<std::string> columns;  ///< titles of the cells
  std::string bars;                  ///< what the bars show; empty: there are none
  std::string summary;               ///< in words
  std::vector<Row> rows;
  std::filesystem::path report;  ///< to read on; empty: none was written
};

/// The results that a job has left in its folder; without rows where it has left none, or a broken
/// file.
JobTable ReadJobTable(JobKind kind, const std::filesystem::path& folder);

}  // namespace civita
