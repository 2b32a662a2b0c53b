#pragma once

#include <mujoco/mujoco.h>

#include <string>
#include <vector>

#include "civita/scenes/motion/reference.h"

namespace civita {

/// True for a hinge or a slide: one number in q, one in v.
bool IsScalarJoint(const mjModel& m, int joint);

/// The model's active joint equalities (URDF's mimic), ordered so that a joint comes before those
/// that follow it. Loops (connect, weld) and what cannot be ordered are told in `notices`: they are
/// simulated, but the controller does not know of them.
std::vector<Coupling> FindCouplings(const mjModel& m, std::vector<std::string>* notices);

/// True when an active equality closes a loop (connect, weld).
bool HasLoops(const mjModel& m);

}  // namespace civita
