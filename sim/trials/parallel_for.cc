#include "civita/sim/trials/parallel_for.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <thread>

#include "base/worker_pool.h"

namespace civita {

int NumCores() { return static_cast<int>(std::max(1u, std::thread::hardware_concurrency())); }

ParallelFor::ParallelFor(int jobs)
    : pool_(std::make_unique<internal::WorkerPool>(jobs > 0 ? jobs : NumCores())) {}

ParallelFor::~ParallelFor() = default;

void ParallelFor::Run(int tasks, const std::function<void(int task)>& work,
                      const std::atomic<bool>* stop) {
  std::mutex mutex;
  std::exception_ptr error;
  std::atomic<bool> failed = false;
  pool_->Run(tasks, [&](int /*thread*/, int task) {
    if (failed || (stop != nullptr && *stop)) return;
    try {
      work(task);
    } catch (...) {
      const std::lock_guard<std::mutex> lock(mutex);
      if (!error) error = std::current_exception();
      failed = true;
    }
  });
  if (error) std::rethrow_exception(error);
}

}  // namespace civita
