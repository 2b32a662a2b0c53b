#pragma once

#include <mujoco/mujoco.h>

#include <memory>
#include <string>
#include <vector>

#include "civita/scenes/motion/reference.h"
#include "civita/scenes/plant/actuation.h"
#include "civita/scenes/plant/plant_errors.h"
#include "civita/space_kinematics.h"

namespace civita {

/// The loops, gears and coupled joints that the active equalities of `m` define; on return `start`
/// (nq) satisfies them exactly. Driven coordinates are chosen as independent where possible. Null
/// if there are none, or if core does not support them: then `notices` says why. @throws KeyError
/// if core does not support loops that are to be exact.
std::shared_ptr<const VelocitySpace> FindClosedChains(const mjModel& m, const Model& model,
                                                      const Actuation& actuation, LoopForm form,
                                                      Eigen::VectorXd* start,
                                                      std::vector<std::string>* notices);

/// The independent joints of `closed` that no motor drives, that are at a limit in `start` (nq),
/// and that gravity and passive forces press against it while the motors hold the others: each as a
/// joint fixed at that limit. A gripper whose fingers have a spring and a stop moves like this
/// until it touches something.
std::vector<JointConstraint> FindStops(const mjModel& m, const Actuation& actuation,
                                       const Eigen::VectorXd& start, const VelocitySpace& closed);

/// Prepares `m` for exact loops (`plant.loops`): its constraints are switched off, as a plant in
/// independent velocities needs no equalities and knows no others. Where joint limits or contacts
/// thus do not act, `notices` says so. `closed`: as FindClosedChains gives it. @throws KeyError
/// where it is null, and for what would act all the time: dry friction and feet on the ground.
void MakeLoopsExact(const VelocitySpace* closed, bool has_legs, mjModel* m,
                    std::vector<std::string>* notices);

/// Computes a desired motion's dependent coordinates from its independent ones, so that all loops
/// stay closed, including velocities and accelerations. One for each thread; allocates nothing.
class LoopCloser {
 public:
  explicit LoopCloser(std::shared_ptr<const VelocitySpace> closed);

  /// Closes the loops of `state`, starting from q_near (nq), a configuration on the same branch.
  /// @returns false where the independent coordinates cannot be reached: then the dependent ones
  /// are those of q_near, with zero velocity.
  bool Close(const Eigen::VectorXd& q_near, ReferenceState& state);

 private:
  std::shared_ptr<const VelocitySpace> closed_;
  std::vector<int> dependent_iq_;
  SpaceWorkspace<double> workspace_;
  Eigen::VectorXd w_, wdot_;
};

}  // namespace civita
