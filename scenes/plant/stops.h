#pragma once

#include <vector>

#include "civita/scenes/plant/actuation.h"
#include "civita/scenes/plant/mujoco_fwd.h"
#include "civita/velocity_space.h"

namespace civita {

/// Whether a hinge or slide is at one of its limits at q (nq).
bool IsAtLimit(const mjModel& m, int joint, const Eigen::VectorXd& q);

/// The independent joints of `closed` that no motor drives, that are at a limit in `start` (nq),
/// and that gravity and passive forces press against it while the motors hold the others: each as a
/// joint fixed at that limit. A gripper whose fingers have a spring and a stop moves like this
/// until it touches something.
std::vector<JointClosure> FindStops(const mjModel& m, const Actuation& actuation,
                                    const Eigen::VectorXd& start, const VelocitySpace& closed);

}  // namespace civita
