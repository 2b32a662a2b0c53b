#include "civita/sim/trials/parallel_for.h"

#include <algorithm>
#include <thread>

#include "base/worker_pool.h"

namespace civita {

int NumCores() { return static_cast<int>(std::max(1u, std::thread::hardware_concurrency())); }

ParallelFor::ParallelFor(int jobs)
    : pool_(std::make_unique<internal::WorkerPool>(jobs > 0 ? jobs : NumCores())) {}

ParallelFor::~ParallelFor() = default;

void ParallelFor::Run(int tasks, const std::function<void(int task)>& work,
                      const std::atomic<bool>* stop) {
  pool_->Run(tasks, [&](int /*thread*/, int task) {
    if (stop == nullptr || !*stop) work(task);
  });
}

}  // namespace civita
