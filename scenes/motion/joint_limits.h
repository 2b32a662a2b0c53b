#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "civita/model.h"
#include "civita/scenes/motion/reference.h"
#include "civita/scenes/plant/mujoco_fwd.h"

namespace civita {

/// Adds a notice for each joint that the reference moves beyond its limits within the run's
/// duration.
void CheckJointLimits(const mjModel& m, const Model& plant, const Reference& reference,
                      const Eigen::VectorXd& q_start, double duration_s,
                      std::vector<std::string>* notices);

}  // namespace civita
