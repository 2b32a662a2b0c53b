#include "app/window/model/job.h"

#include <charconv>
#include <optional>
#include <utility>

namespace civita {

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

}  // namespace civita
