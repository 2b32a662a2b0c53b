#include "core/internal/worker_pool.h"

#include "core/error.h"

namespace civita::internal {

WorkerPool::WorkerPool(int threads) {
  CIVITA_CHECK(threads >= 1, threads << " threads");
  for (int k = 1; k < threads; ++k) {
    workers_.emplace_back([this, k] { Wait(k); });
  }
}

WorkerPool::~WorkerPool() {
  stop_ = true;
  ++run_;
  run_.notify_all();
}

void WorkerPool::RunTasks(int tasks, const void* context, Function* function) {
  tasks_ = tasks;
  context_ = context;
  function_ = function;
  next_task_ = 0;
  const int workers = threads() - 1;
  if (workers == 0 || tasks <= 1) return DoTasks(0);
  busy_ = workers;
  ++run_;
  run_.notify_all();
  DoTasks(0);
  for (int busy = busy_; busy != 0; busy = busy_) busy_.wait(busy);
}

void WorkerPool::DoTasks(int thread) {
  for (int task = next_task_++; task < tasks_; task = next_task_++) {
    function_(context_, thread, task);
  }
}

void WorkerPool::Wait(int thread) {
  for (std::uint32_t seen = 0;; ++seen) {
    run_.wait(seen);
    if (stop_) return;
    DoTasks(thread);
    if (--busy_ == 0) busy_.notify_one();
  }
}

}  // namespace civita::internal
