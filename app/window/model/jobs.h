#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <string>

#include "app/window/model/job.h"

namespace civita {

/// What the forms of jobs say.
struct JobForm {
  std::string vary;       ///< of compare and sweep: "factorization=christoffel,t:1 K_D=5,10"
  std::string suggested;  ///< what `vary` was filled with
  double duration_s = 0;  ///< of compare and sweep; 0: not yet the scene's
  double starts = 1;
  double seeds = 4;          ///< of sweep, for each variant
  std::string pushes = "1";  ///< of survive: shares of the ceiling, or N·s for a robot on a gait
  std::string rows;          ///< of survive: as `vary`; empty: the scene as it is
  double trials = 40;
  std::string models = "chain20,tree20";
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
  JobKind kind = JobKind::kCompare;
  JobForm form;
  std::array<std::unique_ptr<Job>, std::size(kJobKinds)> jobs;
  std::vector<std::string> program = ProgramCommand();  ///< whose verbs run
  std::string opener = "xdg-open";                      ///< shows a report

 private:
  std::string shown_;
};

}  // namespace civita
