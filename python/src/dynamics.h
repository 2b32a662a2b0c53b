#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/worker_pool.h"
#include "civita/batch_dynamics.h"
#include "civita/factorization.h"
#include "civita/kinematics.h"
#include "civita/mass_matrix_cholesky.h"
#include "civita/workspace.h"
#include "python/src/arrays.h"
#include "python/src/loaded_model.h"
#include "python/src/signal_watch.h"

namespace civita::python {

/// What a thread computes with.
struct Worker {
  Worker(const Model& model, const Factorization& of, const std::string& instruction_set)
      : workspace(model, instruction_set), factorization(of), factor(model) {}

  Workspace<double> workspace;
  Factorization factorization;  ///< a copy: its formulas are not for several threads
  MassMatrixCholesky<double> factor;
  std::array<Eigen::MatrixXd, 3> matrices;  ///< results on their way to arrays

  /// Sets the rows × columns matrices at `to`, arrays, to what calc(matrices) makes.
  template <std::size_t count, typename Calc>
  void Fill(const std::array<double*, count>& to, Index rows, Index columns, const Calc& calc) {
    static_assert(count <= 3);
    for (std::size_t i = 0; i < count; ++i) matrices[i].resize(rows, columns);
    calc(matrices);
    for (std::size_t i = 0; i < count; ++i) {
      Eigen::Map<Eigen::MatrixXd>(to[i], columns, rows) = matrices[i].transpose();
    }
  }
  /// The same of one: calc(matrix).
  template <typename Calc>
  void Fill(double* to, Index rows, Index columns, const Calc& calc) {
    Fill(std::array{to}, rows, columns, [&](auto& M) { calc(M[0]); });
  }
};

/// The Python class Dynamics: a model, a factorization and the memory to compute with them. Calls
/// from several threads are served one after the other.
class Dynamics {
 public:
  /// At most some threads for each core are started. `given` is the factorization as Python's.
  Dynamics(std::shared_ptr<const LoadedModel> model, Factorization factorization, nb::object given,
           int threads, std::string instruction_set);

  const Model& model() const { return model_->model; }
  const std::shared_ptr<const LoadedModel>& loaded() const { return model_; }
  const Factorization& factorization() const { return factorization_; }
  const nb::object& given_factorization() const { return given_factorization_; }
  int threads() const { return threads_; }
  int nq() const { return model().nq(); }
  int nv() const { return model().nv(); }
  /// As it was asked for, perhaps empty.
  const std::string& wanted_instruction_set() const { return instruction_set_; }
  const char* instruction_set() const { return workers_.front().workspace.instruction_set(); }

  /// Calls calc(worker, state) for every state, for a batch on all threads, each with a worker of
  /// its own. Without the GIL. @throws nb::python_error for a batch that Ctrl-C ended.
  template <typename Calc>
  void ForEachState(std::optional<Index> count, const Calc& calc) {
    if (!count) {
      const nb::gil_scoped_release release;
      const std::lock_guard lock(mutex_);
      calc(workers_.front(), Index{0});
      return;
    }
    ForEachChunk(*count, 0, [&](int thread, Index begin, Index end) {
      for (Index state = begin; state < end; ++state) {
        calc(workers_[static_cast<std::size_t>(thread)], state);
      }
    });
  }

  /// Calls calc(batch, scratch, begin, count) for consecutive parts of a batch on all threads, each
  /// with a BatchDynamics and memory of its own for `numbers` numbers a state. Without the GIL.
  /// @throws nb::python_error if Ctrl-C ended it.
  template <typename Calc>
  void ForEachPart(Index count, Index numbers, const Calc& calc) {
    ForEachChunk(count, numbers, [&](int thread, Index begin, Index end) {
      const auto index = static_cast<std::size_t>(thread);
      calc(*batches_[index], scratch_[index].data(), begin, end - begin);
    });
  }

 private:
  /// States that a thread takes at once: enough to make the calls' cost small, few enough that
  /// their matrices stay in the cache.
  static constexpr Index kChunk = 32;

  /// Calls work(thread, begin, end) for the parts of a batch; a thread has memory for `numbers`
  /// numbers a state.
  template <typename Work>
  void ForEachChunk(Index count, Index numbers, const Work& work) {
    SignalWatch watch;
    {
      const nb::gil_scoped_release release;
      const std::lock_guard lock(mutex_);
      MakeThreads(numbers);
      std::exception_ptr error;
      std::mutex error_mutex;
      std::atomic<bool> stop = false;
      const auto chunks = static_cast<int>((count + kChunk - 1) / kChunk);
      pool_->Run(chunks, [&](int thread, int chunk) {
        // Thread 0 is Python's.
        if (thread == 0 && watch.raised()) stop = true;
        if (stop) return;
        const Index begin = kChunk * chunk;
        try {
          work(thread, begin, std::min(begin + kChunk, count));
        } catch (...) {
          const std::lock_guard error_lock(error_mutex);
          error = std::current_exception();
          stop = true;
        }
      });
      if (error) std::rethrow_exception(error);
    }
    watch.Rethrow();
  }
  void MakeThreads(Index numbers);

  std::shared_ptr<const LoadedModel> model_;
  Factorization factorization_;
  nb::object given_factorization_;
  int threads_;
  std::string instruction_set_;
  std::mutex mutex_;
  std::vector<Worker> workers_;                          ///< by thread; one until a batch comes
  std::vector<std::unique_ptr<BatchDynamics>> batches_;  ///< by thread; none until a batch comes
  std::vector<std::vector<double>> scratch_;             ///< by thread
  std::unique_ptr<internal::WorkerPool> pool_;           ///< null until a batch comes
};

}  // namespace civita::python
