#include "app/window/model/jobs.h"

#include <string>
#include <utility>

namespace civita {

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
