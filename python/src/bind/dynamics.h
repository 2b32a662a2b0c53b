#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "civita/batch_dynamics.h"
#include "civita/factorization.h"
#include "civita/space_kinematics.h"
#include "civita/velocity_space.h"
#include "python/src/support/arrays.h"
#include "python/src/support/loaded_model.h"
#include "python/src/support/worker_threads.h"

namespace civita::python {

/// What a thread computes with.
struct Worker : MatrixMemory {
  Worker(const VelocitySpace& space, const Factorization& of, const std::string& instruction_set)
      : workspace(space, instruction_set), factorization(of) {}

  Workspace<double>& tree() { return workspace.tree(); }

  SpaceWorkspace<double> workspace;
  Factorization factorization;  ///< a copy: its formulas are not for several threads
  Eigen::MatrixXd tree_matrix;  ///< of the tree, on its way to one of w
};

/// How a Dynamics is made.
struct DynamicsOptions {
  int threads;
  std::string instruction_set;  ///< as it was asked for, perhaps empty
  bool loops;                   ///< in the velocities that these leave
  std::string coordinates;      ///< in the grammar of ReadCoordinates; empty: none
  std::vector<std::string> independent;
  Eigen::VectorXd start;  ///< empty: the model's default
  double max_condition, max_gap;
};

/// The Python class Dynamics: a model, velocities of it, a factorization and the memory to compute
/// with them.
class Dynamics {
 public:
  /// `given` is the factorization as Python's. @throws UserError.
  Dynamics(std::shared_ptr<const LoadedModel> model, Factorization factorization, nb::object given,
           DynamicsOptions options);

  const Model& model() const { return model_->model; }  ///< the tree
  const VelocitySpace& space() const { return space_; }
  const std::shared_ptr<const LoadedModel>& loaded() const { return model_; }
  const Factorization& factorization() const { return factorization_; }
  const nb::object& given_factorization() const { return given_factorization_; }
  const DynamicsOptions& options() const { return options_; }
  int threads() const { return workers_.threads(); }
  int nq() const { return model().nq(); }
  int nv() const { return model().nv(); }
  int nw() const { return space_.nw(); }
  int num_velocities() const { return nw(); }  ///< for compute.h
  const char* instruction_set() const {
    return workers_.first().workspace.tree().instruction_set();
  }

  /// @throws UserError at a state where w does not exist, and where loops are open.
  template <typename... State>
  void Update(Worker& at, Index state, const State&... q_w) const {
    Check(UpdateKinematics<double>(space_, q_w..., at.workspace), state);
  }
  /// @throws UserError of a state, for singular loops or such that are open by more than max_gap.
  void Check(const Status& status, Index state) const;
  /// @throws UserError that names the method and, where w is not the tree's v, why it has none.
  void RequireTree(const char* method, const char* why) const;

  /// Calls calc(worker, state) for every state, as WorkerThreads does.
  template <typename Calc>
  void ForEachState(std::optional<Index> count, const Calc& calc) {
    workers_.ForEachState(count, calc);
  }

  /// Calls calc(batch, scratch, begin, count) for consecutive parts of a batch of a tree on all
  /// threads, each with a BatchDynamics and memory of its own for `numbers` numbers a state.
  /// Without the GIL. @throws nb::python_error if Ctrl-C ended it.
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
  DynamicsOptions options_;
  VelocitySpace space_;
  WorkerThreads<Worker> workers_;
  std::vector<std::unique_ptr<BatchDynamics>> batches_;  ///< by thread; none until a batch comes
  std::vector<std::vector<double>> scratch_;             ///< by thread
};

}  // namespace civita::python
