#pragma once

#include <mujoco/mujoco.h>

#include <string>
#include <vector>

namespace civita::internal {

/// Fixes hinges and slides that their damping locks, in the spec of which `m` is compiled: those
/// that nothing but forces moves, and all the robot's weight by less than 1 mm/s or 1 mrad/s. Names
/// them in `notices`, and those that an actuator, a coupling or the keyframe home moves all the
/// same. @returns whether the spec has changed.
bool FixLockedJoints(const mjModel& m, mjSpec* spec, std::vector<std::string>* notices);

}  // namespace civita::internal
