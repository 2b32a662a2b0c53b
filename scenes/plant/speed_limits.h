#pragma once

#include <mujoco/mujoco.h>

#include <Eigen/Core>
#include <vector>

namespace civita {

/// Speed limits of the plant's drives by coordinate (nv), rad/s or m/s: those `given`, else the
/// first user number of the motor at a joint, as in <motor user="30"/>, of a legged robot;
/// infinity where there is none. @throws KeyError for a list of another length than
/// nv.
Eigen::VectorXd FindSpeedLimits(const std::vector<double>& given, bool is_legged, const mjModel& m);

}  // namespace civita
