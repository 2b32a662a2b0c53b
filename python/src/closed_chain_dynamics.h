#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "civita/factorization.h"
#include "civita/space_kinematics.h"
#include "civita/velocity_space.h"
#include "python/src/arrays.h"
#include "python/src/loaded_model.h"
#include "python/src/worker_threads.h"

namespace civita::python {

/// What a thread computes with.
struct ClosedChainWorker : MatrixMemory {
  ClosedChainWorker(const VelocitySpace& chain, const Factorization& of)
      : workspace(chain), factorization(of), tree(chain.nv()) {}

  SpaceWorkspace<double> workspace;
  Factorization factorization;  ///< a copy: its formulas are not for several threads
  Eigen::VectorXd tree;         ///< nv
  Eigen::MatrixXd tree_matrix;  ///< of the tree, on its way to one of w
};

/// How a ClosedChainDynamics is made.
struct ClosedChainOptions {
  std::vector<std::string> independent;
  Eigen::VectorXd start;  ///< empty: the model's default
  double max_condition, max_gap;
  int threads;
};

/// The Python class ClosedChainDynamics: the loops of a model, a factorization and the memory to
/// compute with them in their independent velocities w.
class ClosedChainDynamics {
 public:
  /// `given` is the factorization as Python's. @throws UserError.
  ClosedChainDynamics(std::shared_ptr<const LoadedModel> loaded, Factorization factorization,
                      nb::object given, ClosedChainOptions options);

  const Model& model() const { return loaded_->model; }  ///< the spanning tree
  const VelocitySpace& chain() const { return chain_; }
  const std::shared_ptr<const LoadedModel>& loaded() const { return loaded_; }
  const Factorization& factorization() const { return factorization_; }
  const nb::object& given_factorization() const { return given_factorization_; }
  const ClosedChainOptions& options() const { return options_; }
  int threads() const { return workers_.threads(); }
  int nq() const { return model().nq(); }
  int nv() const { return chain_.nv(); }
  int nw() const { return chain_.nw(); }

  // What compute.h asks for.
  static constexpr const char* kVelocity = "w";
  int num_velocities() const { return nw(); }
  /// @throws UserError at a singular configuration, and where loops are open.
  template <typename... State>
  void Update(ClosedChainWorker& at, Index state, const State&... q_w) const {
    Check(UpdateKinematics<double>(chain_, q_w..., at.workspace), state);
  }
  /// Calls calc(worker, state) for every state, as WorkerThreads does.
  template <typename Calc>
  void ForEachState(std::optional<Index> count, const Calc& calc) {
    workers_.ForEachState(count, calc);
  }

  /// @throws UserError of a state, for singular loops or such that are open by more than max_gap.
  void Check(const LoopStatus& status, Index state) const;

 private:
  std::shared_ptr<const LoadedModel> loaded_;
  Factorization factorization_;
  nb::object given_factorization_;
  ClosedChainOptions options_;
  VelocitySpace chain_;
  WorkerThreads<ClosedChainWorker> workers_;
};

}  // namespace civita::python
