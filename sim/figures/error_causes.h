#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "civita/sim/run_accumulators.h"
#include "civita/sim/simulation.h"

namespace civita {

/// What a run's records tell of why the robot is not on its reference.
class ErrorCauses {
 public:
  /// The scene must outlive it.
  explicit ErrorCauses(const Scene& scene);

  /// Allocates nothing.
  void Add(const StepRecord& record);

  /// One line: the joint whose error at the last record is the largest, and the share of the steps
  /// in which torque limits (by joint), joint limits and contacts acted, how many coordinates
  /// nothing drives, how many directions motors leave undriven, and dry friction that takes most of
  /// the torque. Empty up to an error of 0.01 rad or m, where none of these acted, and for laws
  /// that do not follow a reference and robots with legs. Of laws of a task it is the task's error,
  /// from 1 mm or 0.01 rad on, and the share of the steps in which a singularity damps the task is
  /// a cause too.
  std::string Describe() const;

 private:
  std::string DescribeLimits() const;
  std::string DescribeError(Eigen::Index worst) const;

  const Scene* scene_;
  bool applies_;
  TaskSignals task_;
  double error_m_ = 0, error_rad_ = 0;  ///< the task's, of the last record
  long steps_ = 0, limited_ = 0, constrained_ = 0, damped_ = 0;
  std::vector<long> at_limit_;  ///< by coordinate: steps with its torque at a limit
  Eigen::VectorXd error_;       ///< of the last record
  Eigen::VectorXd largest_tau_;
};

}  // namespace civita
