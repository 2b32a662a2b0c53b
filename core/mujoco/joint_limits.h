#pragma once

#include <mujoco/mujoco.h>

#include <string>

#include "civita/model.h"

namespace civita {

/// Whether the joint is a hinge or slide: one coordinate in q and v.
bool IsScalarJoint(const mjModel& mj, int joint);

/// Whether an actuator acts on a joint, in whatever axes: on trnid, by the gear of its outputs.
bool ActsOnJoint(const mjModel& mj, int actuator);

/// Whether the option `disableactuator` disables the group of an actuator.
bool IsDisabledActuator(const mjModel& mj, int actuator);

/// Whether an actuator has one output, whose force is gain · ctrl of one control and nothing else.
bool HasForceOfControl(const mjModel& mj, int actuator);

/// Limits of a force, N·m or N.
struct ForceRange {
  double lower, upper;  ///< infinite: not limited
};

/// The forces of an actuator before its gear: of HasForceOfControl gain times ctrlrange, where
/// controls are clamped; of all within forcerange.
ForceRange FindForceRange(const mjModel& mj, int actuator);

/// Sets the limits of a hinge or slide: its range, of positions; of its force, the range of the sum
/// of the actuators on the joint that are not disabled, of each FindForceRange times its gear,
/// within the joint's own actuatorfrcrange (a URDF's effort); of its velocity, the custom number
/// VelocityLimitName. The flag of the model that disables limits of positions does not count. Of
/// other joints nothing.
void ReadLimits(const mjModel& mj, int joint, JointProperties* properties);

/// Name of the <numeric> of an mjModel that is the velocity limit (rad/s or m/s) of the joint with
/// this name, which MJCF has no word for.
std::string VelocityLimitName(const std::string& joint);

}  // namespace civita
