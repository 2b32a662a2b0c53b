#pragma once

#include <mujoco/mujoco.h>

#include <string>
#include <vector>

#include "civita/scenes/motion/reference.h"

namespace civita {

/// Whether the joint is a hinge or slide: one coordinate in q and v.
bool IsScalarJoint(const mjModel& m, int joint);

/// Whether the joint has limits and no flag of the model disables them.
bool IsLimited(const mjModel& m, int joint);

/// The model's active couplings of joints (ReadCoupling; URDF's mimic), ordered so that a joint
/// comes before those that depend on it. Loops (connect, weld) and equalities that cannot be
/// ordered are reported in `notices`: they are simulated, but unknown to the controller.
std::vector<Coupling> FindCouplings(const mjModel& m, std::vector<std::string>* notices);

/// Whether an active equality closes a loop (connect, weld).
bool HasLoops(const mjModel& m);

}  // namespace civita
