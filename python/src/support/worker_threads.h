#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/worker_pool.h"
#include "civita/error.h"
#include "python/src/support/arrays.h"
#include "python/src/support/signal_watch.h"

namespace civita::python {

/// Results on their way to arrays, whose numbers are by rows.
class MatrixMemory {
 public:
  /// Sets the rows × columns matrices at `to`, arrays, to what calc(matrices) makes.
  template <std::size_t count, typename Calc>
  void Fill(const std::array<double*, count>& to, Index rows, Index columns, const Calc& calc) {
    static_assert(count <= 3);
    for (std::size_t i = 0; i < count; ++i) matrices[i].resize(rows, columns);
    calc(matrices);
    for (std::size_t i = 0; i < count; ++i) CopyByRows(matrices[i], to[i]);
  }
  /// The same of one: calc(matrix).
  template <typename Calc>
  void Fill(double* to, Index rows, Index columns, const Calc& calc) {
    Fill(std::array{to}, rows, columns, [&](auto& M) { calc(M[0]); });
  }

  std::array<Eigen::MatrixXd, 3> matrices;
};

/// The number of threads for batches where none is given.
inline int DefaultThreads() {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

/// States that a thread takes at once: enough to make the calls' cost small, few enough that their
/// matrices stay in the cache.
constexpr Index kStatesAtOnce = 32;

/// Velocities of the models whose calculations at one state keep the GIL: releasing it takes a
/// tenth of the fastest call, and others wait for some tens of microseconds at most.
constexpr Index kFewVelocities = 32;

/// Threads that share the states of a batch, each with a Worker of its own, what it computes with.
/// They start when the first batch comes. Calls from several threads are served one after the
/// other.
template <typename Worker>
class WorkerThreads {
 public:
  /// At most four threads for each core are started: more would take memory and gain nothing.
  /// make() makes a Worker for a model with this number of velocities.
  WorkerThreads(int threads, Index velocities, std::function<Worker()> make)
      : threads_(std::min(threads, 4 * DefaultThreads())),
        keeps_gil_(velocities <= kFewVelocities),
        make_(std::move(make)) {
    if (threads_ < 1) throw UserError("threads: " + std::to_string(threads_) + "; at least 1");
    workers_.push_back(make_());
  }

  int threads() const { return threads_; }
  const Worker& first() const { return workers_.front(); }

  /// Calls calc(worker, state) for every state, for a batch on all threads. Without the GIL, but
  /// for a single state of few velocities. @throws nb::python_error for a batch that Ctrl-C ended.
  template <typename Calc>
  void ForEachState(std::optional<Index> count, const Calc& calc) {
    if (!count) {
      std::optional<nb::gil_scoped_release> release;
      std::unique_lock lock(mutex_, std::defer_lock);
      if (!keeps_gil_ || !lock.try_lock()) {  // who has the mutex may wait for the GIL
        release.emplace();
        lock.lock();
      }
      calc(workers_.front(), Index{0});
      return;
    }
    ForEachChunk(
        *count, [] {},
        [&](int thread, Index begin, Index end) {
          for (Index state = begin; state < end; ++state) {
            calc(workers_[static_cast<std::size_t>(thread)], state);
          }
        });
  }

  /// Calls work(thread, begin, end) for parts of a batch of at most kStatesAtOnce states, after
  /// prepare(), which makes what the threads need besides their Workers. Without the GIL. @throws
  /// nb::python_error if Ctrl-C ended it.
  template <typename Prepare, typename Work>
  void ForEachChunk(Index count, const Prepare& prepare, const Work& work) {
    SignalWatch watch;
    {
      const nb::gil_scoped_release release;
      const std::lock_guard lock(mutex_);
      StartThreads();
      prepare();
      std::atomic<bool> stop = false;
      const auto chunks = static_cast<int>((count + kStatesAtOnce - 1) / kStatesAtOnce);
      pool_->Run(chunks, [&](int thread, int chunk) {
        // Thread 0 is Python's.
        if (thread == 0 && watch.raised()) stop = true;
        if (stop) return;
        const Index begin = kStatesAtOnce * chunk;
        work(thread, begin, std::min(begin + kStatesAtOnce, count));
      });
    }
    watch.Rethrow();
  }

 private:
  void StartThreads() {
    if (pool_) return;
    auto pool = std::make_unique<internal::WorkerPool>(threads_);
    for (int i = 1; i < threads_; ++i) workers_.push_back(make_());
    pool_ = std::move(pool);
  }

  int threads_;
  bool keeps_gil_;
  std::function<Worker()> make_;
  std::mutex mutex_;
  std::vector<Worker> workers_;                 ///< by thread; one until a batch comes
  std::unique_ptr<internal::WorkerPool> pool_;  ///< null until a batch comes
};

}  // namespace civita::python
