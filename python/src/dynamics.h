#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "civita/batch_dynamics.h"
#include "civita/factorization.h"
#include "civita/kinematics.h"
#include "civita/mass_matrix_cholesky.h"
#include "civita/workspace.h"
#include "python/src/arrays.h"
#include "python/src/loaded_model.h"
#include "python/src/worker_threads.h"

namespace civita::python {

/// What a thread computes with.
struct Worker : MatrixMemory {
  Worker(const Model& model, const Factorization& of, const std::string& instruction_set)
      : workspace(model, instruction_set), factorization(of), factor(model) {}

  Workspace<double> workspace;
  Factorization factorization;  ///< a copy: its formulas are not for several threads
  MassMatrixCholesky<double> factor;
};

/// The Python class Dynamics: a model, a factorization and the memory to compute with them.
class Dynamics {
 public:
  /// `given` is the factorization as Python's.
  Dynamics(std::shared_ptr<const LoadedModel> model, Factorization factorization, nb::object given,
           int threads, std::string instruction_set);

  const Model& model() const { return model_->model; }
  const std::shared_ptr<const LoadedModel>& loaded() const { return model_; }
  const Factorization& factorization() const { return factorization_; }
  const nb::object& given_factorization() const { return given_factorization_; }
  int threads() const { return workers_.threads(); }
  int nq() const { return model().nq(); }
  int nv() const { return model().nv(); }
  /// As it was asked for, perhaps empty.
  const std::string& wanted_instruction_set() const { return instruction_set_; }
  const char* instruction_set() const { return workers_.first().workspace.instruction_set(); }

  // What compute.h asks for: the velocities' name and number, and the state of a worker.
  static constexpr const char* kVelocity = "v";
  int num_velocities() const { return nv(); }
  template <typename... State>
  void Update(Worker& at, Index /*state*/, const State&... q_v) const {
    UpdateKinematics<double>(model(), q_v..., at.workspace);
  }

  /// Calls calc(worker, state) for every state, as WorkerThreads does.
  template <typename Calc>
  void ForEachState(std::optional<Index> count, const Calc& calc) {
    workers_.ForEachState(count, calc);
  }

  /// Calls calc(batch, scratch, begin, count) for consecutive parts of a batch on all threads, each
  /// with a BatchDynamics and memory of its own for `numbers` numbers a state. Without the GIL.
  /// @throws nb::python_error if Ctrl-C ended it.
  template <typename Calc>
  void ForEachPart(Index count, Index numbers, const Calc& calc) {
    workers_.ForEachChunk(
        count, [&] { MakeBatches(numbers); },
        [&](int thread, Index begin, Index end) {
          const auto index = static_cast<std::size_t>(thread);
          calc(*batches_[index], scratch_[index].data(), begin, end - begin);
        });
  }

 private:
  void MakeBatches(Index numbers);

  std::shared_ptr<const LoadedModel> model_;
  Factorization factorization_;
  nb::object given_factorization_;
  std::string instruction_set_;
  WorkerThreads<Worker> workers_;
  std::vector<std::unique_ptr<BatchDynamics>> batches_;  ///< by thread; none until a batch comes
  std::vector<std::vector<double>> scratch_;             ///< by thread
};

}  // namespace civita::python
