#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <thread>
#include <vector>

namespace civita::internal {

/// Threads that wait between calls. Run allocates nothing.
class WorkerPool {
 public:
  /// `threads` ≥ 1, of which one is the caller of Run.
  /// @throws std::system_error where the machine has no more threads.
  explicit WorkerPool(int threads);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  int threads() const { return static_cast<int>(workers_.size()) + 1; }

  /// Calls work(thread, task) for every task in [0, tasks) once, started in this order, on
  /// whichever thread is free, and returns when all are done. None starts once one has thrown.
  /// @throws the first exception of `work`, when all that have started are done.
  template <typename Work>
  void Run(int tasks, const Work& work) {
    RunTasks(tasks, &work, [](const void* context, int thread, int task) {
      (*static_cast<const Work*>(context))(thread, task);
    });
  }

 private:
  using Function = void(const void* context, int thread, int task);
  void RunTasks(int tasks, const void* context, Function* function);
  void DoTasks(int thread);
  void Stop();
  void Wait(int thread);

  const void* context_ = nullptr;
  Function* function_ = nullptr;
  int tasks_ = 0;
  std::atomic<bool> stop_ = false;
  std::atomic<int> next_task_ = 0;
  static constexpr int kClosed = -1;
  std::atomic<int> busy_ = kClosed;     ///< workers that are in a run; closed between runs
  std::atomic<std::uint32_t> run_ = 0;  ///< counts runs; set after all else
  std::atomic<bool> failed_ = false;
  std::exception_ptr error_;  ///< of the one that set failed_
  std::vector<std::jthread> workers_;
};

}  // namespace civita::internal
