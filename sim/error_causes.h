#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

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
  /// the torque. Empty up to an error of 0.01 rad
  /// or m, where none of these acted, and for laws that do not follow a reference and robots with
  /// legs.
  std::string Describe() const;

 private:
  std::string DescribeLimits() const;

  const Scene* scene_;
  bool applies_;
  long steps_ = 0, limited_ = 0, constrained_ = 0;
  std::vector<long> at_limit_;  ///< by coordinate: steps with its torque at a limit
  Eigen::VectorXd error_;       ///< of the last record
  Eigen::VectorXd largest_tau_;
};

}  // namespace civita
