#include "app/window/model/job_table.h"

#include <system_error>

#include "base/read_file.h"
#include "civita/error.h"

namespace civita {
namespace {

namespace fs = std::filesystem;

struct JobFiles {
  std::string_view verb, report;  ///< report: empty if there is none
};
// In the order of kJobKinds.
constexpr JobFiles kFiles[] = {{"compare", "report.html"},
                               {"sweep", ""},
                               {"survive", "survival.md"},
                               {"bench", "benchmarks.md"}};

const JobFiles& FilesOf(JobKind kind) { return kFiles[static_cast<std::size_t>(kind)]; }

}  // namespace

std::string_view NameOf(JobKind kind) { return FilesOf(kind).verb; }

JobResults ReadJobResults(JobKind kind, const fs::path& folder) {
  JobResults results;
  const fs::path file = folder / kTableFile;
  std::error_code ignored;
  try {
    if (fs::exists(file, ignored)) {
      results.table = ReadTable(internal::ReadText(file.string()), file.string());
    }
  } catch (const Error& error) {
    results.table.summary = error.what();
  }
  const fs::path report = folder / FilesOf(kind).report;
  if (!FilesOf(kind).report.empty() && fs::exists(report, ignored)) results.report = report;
  return results;
}

}  // namespace civita
