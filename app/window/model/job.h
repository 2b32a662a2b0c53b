#pragma once

#include <array>
#include <chrono>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/child_process.h"
#include "civita/study/table.h"

namespace civita {

// The results of background jobs as the window shows them.

enum class JobKind { kSurvive, kBench, kVerify };
/// Those of the sheet of jobs: that of a replay's verification has no form and no results.
inline constexpr JobKind kJobKinds[] = {JobKind::kSurvive, JobKind::kBench};
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

/// What the forms of jobs say.
struct JobForm {
  std::string pushes = "1";  ///< of survive: shares of the ceiling, or N·s for a robot on a gait
  std::string rows;  ///< of survive: "factorization=christoffel,t:1"; empty: the scene as it is
  double trials = 40;
  std::string model;      ///< of bench
  double seconds = 0.05;  ///< of bench: of each measurement
  std::string error;      ///< why the job did not start
};

/// The sheet of jobs, and of each kind the one that runs or ran last. The destructor cancels them.
struct JobsState {
  JobsState() = default;
  ~JobsState();
  JobsState(const JobsState&) = delete;
  JobsState& operator=(const JobsState&) = delete;

  std::unique_ptr<Job>& of(JobKind of_kind) { return jobs[static_cast<std::size_t>(of_kind)]; }
  const Job* running() const;
  /// Whether what is shown of them has changed since the last call.
  bool TakeNews();

  bool is_open = false;
  JobKind kind = JobKind::kSurvive;
  JobForm form;
  std::array<std::unique_ptr<Job>, std::size(kJobKinds)> jobs;
  std::unique_ptr<Job> verification;                    ///< of a replay
  std::vector<std::string> program = ProgramCommand();  ///< whose verbs run
  std::string opener = "xdg-open";                      ///< shows a report

 private:
  std::string shown_;
};

}  // namespace civita
