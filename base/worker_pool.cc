#include "base/worker_pool.h"

#include <utility>

#include "civita/error.h"

namespace civita::internal {

WorkerPool::WorkerPool(int threads) {
  CIVITA_CHECK(threads >= 1, threads << " threads");
  try {
    for (int k = 1; k < threads; ++k) workers_.emplace_back([this, k] { Wait(k); });
  } catch (...) {  // no thread is to be had: those that have started are joined on the way out
    Stop();
    throw;
  }
}

WorkerPool::~WorkerPool() { Stop(); }

void WorkerPool::Stop() {
  stop_ = true;
  ++run_;
  run_.notify_all();
}

void WorkerPool::RunTasks(int tasks, const void* context, Function* function) {
  tasks_ = tasks;
  context_ = context;
  function_ = function;
  next_task_ = 0;
  const bool alone = workers_.empty() || tasks <= 1;
  if (!alone) {
    busy_ = 0;
    ++run_;
    run_.notify_all();
  }
  DoTasks(0);
  // Nobody waits for a worker that has not woken up yet.
  for (int busy = 0; !alone && !busy_.compare_exchange_strong(busy, kClosed); busy = 0) {
    if (busy > 0) busy_.wait(busy);
  }
  if (failed_.exchange(false)) std::rethrow_exception(std::exchange(error_, nullptr));
}

void WorkerPool::DoTasks(int thread) {
  for (int task = next_task_++; task < tasks_ && !failed_; task = next_task_++) {
    try {
      function_(context_, thread, task);
    } catch (...) {
      if (!failed_.exchange(true)) error_ = std::current_exception();
    }
  }
}

void WorkerPool::Wait(int thread) {
  for (std::uint32_t seen = 0;;) {
    run_.wait(seen);
    seen = run_;
    if (stop_) return;
    int busy = busy_;
    while (busy != kClosed && !busy_.compare_exchange_weak(busy, busy + 1)) {
    }
    if (busy == kClosed) continue;
    DoTasks(thread);
    --busy_;
    busy_.notify_one();
  }
}

}  // namespace civita::internal
