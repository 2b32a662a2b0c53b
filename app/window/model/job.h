#pragma once

#include <array>
#include <chrono>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "app/child_process.h"
#include "app/window/model/job_table.h"

namespace civita {

/// A verb of the program that runs in the background, with its own priority and cores, and writes
/// its results into a folder.
class Job {
 public:
  enum class State { kRunning, kDone, kFailed, kCancelled };

  /// Starts the command. @throws Error.
  Job(JobKind kind, std::vector<std::string> command, std::filesystem::path folder);

  /// Reads what the process says, without waiting. @returns whether the job has just ended.
  bool Poll();
  /// Interrupts it: what is done by then is kept. It is killed if it does not end soon.
  void Cancel();

  State state() const { return state_; }
  bool is_running() const { return state_ == State::kRunning; }
  /// Where it stands, in words, and as a share of the work; NaN while that is not known.
  const std::string& progress() const { return progress_; }
  double share() const { return share_; }
  double elapsed_s() const;
  /// Of one that failed: why. Of one that was cancelled: what it says of it.
  const std::string& last_words() const { return last_words_; }
  const std::filesystem::path& folder() const { return folder_; }
  /// What it found, once it has ended; without rows if it found nothing.
  const JobResults& results() const { return results_; }

 private:
  using Clock = std::chrono::steady_clock;

  void Read(const std::string& line);

  JobKind kind_;
  std::filesystem::path folder_;
  BackgroundProcess process_;
  State state_ = State::kRunning;
  bool is_cancelled_ = false;
  std::string progress_, last_words_;
  double share_ = std::numeric_limits<double>::quiet_NaN();
  Clock::time_point start_ = Clock::now(), end_;
  JobResults results_;
};

}  // namespace civita
