#include "app/window/job.h"

#include <cstdlib>
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
    char* rest = nullptr;
    share_ = std::strtod(line.c_str() + kProgress.size(), &rest);
    progress_ = *rest == ' ' ? rest + 1 : rest;
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
    last_words_ = "ended with the code " + std::to_string(*code);
  }
  table_ = ReadJobTable(kind_, folder_);
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
