#pragma once

#include <span>
#include <string_view>

#include "app/verbs/bench/bench_task.h"
#include "app/verbs/bench/count/counted.h"
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
  /// Of the call's states.
  auto Now(const Eigen::MatrixXd& all) const { return all.middleCols(at, states); }

  BatchDynamics dynamics;
  int states;  ///< per call
  Eigen::MatrixXd Q, V, Vdot, V_r, Vdot_r;
  Eigen::MatrixXd C, H, D, Gamma, tau;
  Eigen::Index at = 0;  ///< column where the call's states begin
};

/// Limits on the number of joints, since dense symbols of a batch of larger models would not fit
/// in memory.
constexpr int kLargestBatchModel = 100, kLargestThreadedModel = 40;

struct BatchQuantity {
  std::string_view name;  ///< that of a BenchQuantity
  void (*calc)(BatchTask& at);

  /// Computes it of the next states.
  void Run(BatchTask& task) const;
};

std::span<const BatchQuantity> BatchQuantities();

/// Floating-point operations of one call of a BenchQuantity.
struct OperationCounts {
  double plain = 0;         ///< of the plain algorithm
  double kernel = 0;        ///< of the kernel's vectors; 0 for a quantity without kernel
  double batch_kernel = 0;  ///< of the kernel with one state per lane, by state; 0 if there is none
};

/// Counts by calling the algorithms, compiled for numbers that count. NaN for a quantity of double
/// alone and after Ctrl-C. @throws UserError as FindBenchQuantity.
OperationCounts CountOperations(const Model& model, std::string_view quantity);
/// Floating-point operations of the plain algorithm in one call.
double CountFlops(const BenchQuantity<Counted>& quantity, const Model& model);

}  // namespace civita
