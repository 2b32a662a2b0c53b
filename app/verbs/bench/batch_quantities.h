#pragma once

#include <span>
#include <string_view>

#include "app/verbs/bench/bench_task.h"
#include "civita/batch_dynamics.h"

namespace civita {

/// What a benchmark of many states at once works with: on one thread as many as a vector holds,
/// other ones at each call; on several threads all kBenchStates.
struct BatchTask {
  explicit BatchTask(const Model& model, int threads = 1);
  /// Where the next call's states begin among the columns.
  Eigen::Index Next() { return at = (at + states) % static_cast<Eigen::Index>(kBenchStates); }

  BatchDynamics dynamics;
  int states;  ///< of a call
  Eigen::MatrixXd Q, V, Vdot, V_r, Vdot_r;
  Eigen::MatrixXd C, H, Gamma, tau;
  Eigen::Index at = 0;
};

/// Dense symbols of larger models' batches would fill the memory.
constexpr int kLargestBatchModel = 100, kLargestThreadedModel = 40;

struct BatchQuantity {
  std::string_view name;  ///< of a BenchQuantity
  void (*call)(BatchTask& at);
};

std::span<const BatchQuantity> BatchQuantities();

}  // namespace civita
