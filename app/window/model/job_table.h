// The results of background jobs as the window shows them.
#pragma once

#include <filesystem>
#include <string_view>

#include "civita/study/table.h"

namespace civita {

enum class JobKind { kCompare, kSweep, kSurvive, kBench };
inline constexpr JobKind kJobKinds[] = {JobKind::kCompare, JobKind::kSweep, JobKind::kSurvive,
                                        JobKind::kBench};
/// The verb.
std::string_view NameOf(JobKind kind);

/// What a job has found.
struct JobResults {
  Table table;
  std::filesystem::path report;  ///< to read on; empty: none was written
};

/// The results that a job has left in its folder; without rows where it has left none. Of a broken
/// file the summary says what is wrong.
JobResults ReadJobResults(JobKind kind, const std::filesystem::path& folder);

}  // namespace civita
