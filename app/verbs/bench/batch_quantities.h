#pragma once

#include <span>
#include <string_view>

#include "app/verbs/bench/bench_task.h"
#include "civita/batch_dynamics.h"

namespace civita {

/// Scratch of a benchmark of many states at once: on one thread as many as a vector holds,
/// different ones in each call; on several threads all kBenchStates.
struct BatchTask {
  explicit BatchTask(const Model& model, int threads = 1);
  /// Column where the next call's states begin.
  Eigen::Index Next() { return at = (at + states) % static_cast<Eigen::Index>(kBenchStates); }

  BatchDynamics dynamics;
  int states;  ///< per call
  Eigen::MatrixXd Q, V, Vdot, V_r, Vdot_r;
  Eigen::MatrixXd C, H, Gamma, tau;
  Eigen::Index at = 0;
};

/// Limits on the number of joints, since dense symbols of a batch of larger models would not fit
/// in memory.
constexpr int kLargestBatchModel = 100, kLargestThreadedModel = 40;

struct BatchQuantity {
  std::string_view name;  ///< that of a BenchQuantity
  void (*call)(BatchTask& at);
};

std::span<const BatchQuantity> BatchQuantities();

}  // namespace civita
