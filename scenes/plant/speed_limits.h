#pragma once

#include <mujoco/mujoco.h>

#include <Eigen/Core>
#include <map>
#include <string>
#include <vector>

namespace civita {

/// Speed limits of the plant's drives by coordinate (nv), rad/s or m/s: those `given`, otherwise
/// for a legged robot the first user number of the motor at a joint, as in <motor user="30"/>;
/// infinity where there is none. @throws KeyError for a list whose length is not nv.
Eigen::VectorXd FindSpeedLimits(const std::vector<double>& given, bool is_legged, const mjModel& m);

namespace internal {

/// Keeps a URDF's speed limits by joint, which MuJoCo does not read, as numbers of its spec
/// (VelocityLimitName).
void KeepSpeedLimits(const std::map<std::string, double>& limits, mjSpec* spec);

/// What KeepSpeedLimits kept with a joint; null without.
const double* SpeedLimitOf(mjsElement* joint);

}  // namespace internal

}  // namespace civita
