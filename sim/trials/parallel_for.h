#pragma once

#include <atomic>
#include <functional>
#include <memory>

namespace civita {

namespace internal {
class WorkerPool;
}

/// Number of cores of this machine; 1 if the system does not report it.
int NumCores();

/// Threads that share the tasks of a loop, and wait between loops.
class ParallelFor {
 public:
  /// `jobs` ≥ 1 threads, of which one is the caller of Run; 0: as many as cores.
  explicit ParallelFor(int jobs);
  ~ParallelFor();
  ParallelFor(const ParallelFor&) = delete;
  ParallelFor& operator=(const ParallelFor&) = delete;

  /// Calls work(0), work(1), … work(tasks − 1), started in this order, and returns when all
  /// started ones are done. None starts once `stop` is true or one has thrown. @throws the first
  /// exception of `work`.
  void Run(int tasks, const std::function<void(int task)>& work,
           const std::atomic<bool>* stop = nullptr);

 private:
  std::unique_ptr<internal::WorkerPool> pool_;
};

}  // namespace civita
