#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "app/verbs/bench/bench_task.h"
#include "app/verbs/bench/quantity_table.h"
#include "civita/batch_dynamics.h"

namespace civita {

std::span<const BenchQuantity<double>> BenchQuantities();
/// @throws UserError that lists the names.
const BenchQuantity<double>& FindBenchQuantity(std::string_view name);

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

/// Floating-point operations of one call of a BenchQuantity.
struct OperationCounts {
  double plain = 0;         ///< of the plain algorithm
  double kernel = 0;        ///< of the kernel's vectors; 0 for a quantity without kernel
  double batch_kernel = 0;  ///< of the kernel with one state per lane, by state; 0 if there is none
};

/// Counts by calling the algorithms, compiled for numbers that count. @returns the counts of all
/// quantities by name, NaN for those of double alone and, after Ctrl-C, for those that are left.
std::map<std::string, OperationCounts> CountOperations(const Model& model);
/// The counts of one quantity, which there is.
OperationCounts CountOperations(const Model& model, const std::string& quantity);

}  // namespace civita
