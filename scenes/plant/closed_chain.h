#pragma once

#include <mujoco/mujoco.h>

#include <memory>
#include <string>
#include <vector>

#include "civita/cluster_kinematics.h"
#include "civita/scenes/motion/reference.h"
#include "civita/scenes/plant/actuation.h"

namespace civita {

/// The loops, gears and coupled joints that the active equalities of `m` make, closed from `start`
/// (nq numbers), whose loops then are closed exactly. Independent are the coordinates that are
/// driven, where they can be. Null where there are none, and where core cannot tell them: `notices`
/// then says why.
std::shared_ptr<const ClusterModel> FindClosedChains(const mjModel& m, const Model& model,
                                                     const Actuation& actuation,
                                                     Eigen::VectorXd* start,
                                                     std::vector<std::string>* notices);

/// Solves a desired motion's dependent coordinates from its independent ones, so that all loops
/// stay closed, velocities and accelerations too. One a thread; allocates nothing.
class LoopCloser {
 public:
  explicit LoopCloser(std::shared_ptr<const ClusterModel> closed);

  /// Closes the loops of state from q_near (nq numbers), a configuration on the same branch.
  /// @returns false where the independent coordinates ask for too much: the dependent ones then are
  /// those of q_near, without velocity.
  bool Close(const Eigen::VectorXd& q_near, ReferenceState& state);

 private:
  std::shared_ptr<const ClusterModel> closed_;
  std::vector<int> dependent_iq_;
  ClusterWorkspace<double> workspace_;
  Eigen::VectorXd w_, wdot_;
};

}  // namespace civita
