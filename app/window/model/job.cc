#include "app/window/model/job.h"

#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

#include "base/read_file.h"
#include "civita/error.h"

namespace civita {
namespace {

namespace fs = std::filesystem;

struct JobFiles {
  std::string_view verb, report;
};
// By kind.
constexpr JobFiles kFiles[] = {
    {"survive", "survival.md"}, {"bench", "benchmarks.md"}, {"verify", ""}};

const JobFiles& FilesOf(JobKind kind) { return kFiles[static_cast<std::size_t>(kind)]; }

}  // namespace

Job::Job(JobKind kind, std::vector<std::string> command, std::filesystem::path folder)
    : kind_(kind),
      folder_(std::move(folder)),
      process_(std::move(command), {"CIVITA_PROGRESS=1"}) {}

void Job::Read(const std::string& line) {
  constexpr std::string_view kProgress = "progress ", kProgram = "civita: ";
  if (line.starts_with(kProgress)) {
    const char* const end = line.data() + line.size();
    const char* rest = std::from_chars(line.data() + kProgress.size(), end, share_).ptr;
    progress_.assign(rest != end && *rest == ' ' ? rest + 1 : rest, end);
  } else if (!line.empty()) {
    last_words_ = line.starts_with(kProgram) ? line.substr(kProgram.size()) : line;
  }
}

bool Job::Poll() {
  if (!is_running()) return false;
  const std::optional<int> code = process_.Poll();
  for (const std::string& line : process_.TakeLines()) Read(line);
  if (!code) return false;
  end_ = Clock::now();
  state_ = is_cancelled_ ? State::kCancelled : *code == 0 ? State::kDone : State::kFailed;
  if (state_ == State::kFailed && last_words_.empty()) {
    const bool known = *code != BackgroundProcess::kUnknownCode;
    last_words_ = known ? "ended with the code " + std::to_string(*code)
                        : "ended, and the system did not keep its exit code";
  }
  results_ = ReadJobResults(kind_, folder_);
  return true;
}

void Job::Cancel() {
  if (!is_running()) return;
  is_cancelled_ = true;
  process_.Cancel();
}

double Job::elapsed_s() const {
  return std::chrono::duration<double>((is_running() ? Clock::now() : end_) - start_).count();
}

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
  if (fs::is_regular_file(report, ignored)) results.report = report;
  return results;
}

JobsState::~JobsState() {
  for (const std::unique_ptr<Job>& job : jobs) {
    if (job) job->Cancel();  // all before the first is waited for
  }
}

const Job* JobsState::running() const {
  for (const std::unique_ptr<Job>& job : jobs) {
    if (job && job->is_running()) return job.get();
  }
  return nullptr;
}

bool JobsState::TakeNews() {
  std::string now;
  for (const std::unique_ptr<Job>& job : jobs) {
    if (!job) continue;
    now += std::to_string(static_cast<int>(job->state())) + job->progress() +
           std::to_string(static_cast<long>(job->elapsed_s())) + "\n";
  }
  return std::exchange(shown_, now) != now;
}

}  // namespace civita
