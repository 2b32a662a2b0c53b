#pragma once

#include <mujoco/mujoco.h>

#include <string>

#include "civita/model.h"

namespace civita {

/// Sets the limits of a hinge or slide: its range, of positions; of its force, the range of the sum
/// of the actuators on the joint, of each its forcerange and, of a motor, its ctrlrange, times
/// gear, within the joint's own actuatorfrcrange (a URDF's effort); of its velocity, the custom
/// number VelocityLimitName. Flags of the model that disable limits do not count. Of other joints
/// nothing.
void ReadLimits(const mjModel& mj, int joint, JointProperties* properties);

/// Name of the <numeric> of an mjModel that is the velocity limit (rad/s or m/s) of the joint with
/// this name, which MJCF has no word for.
std::string VelocityLimitName(const std::string& joint);

}  // namespace civita
