#pragma once

#include <mujoco/mujoco.h>

#include <Eigen/Core>

#include "scenes/schema/config.h"

namespace civita {

/// Speed limits of the plant's drives by coordinate (nv), rad/s or m/s: plant.speed_limit, else the
/// first user number of the motor at a joint, as in <motor user="30"/>, of a model whose config
/// names feet; infinity where there is none. @throws UserError for a list of another length than
/// nv.
Eigen::VectorXd FindSpeedLimits(const SceneConfig& config, const mjModel& m);

}  // namespace civita
