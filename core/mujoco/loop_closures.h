#pragma once

#include <mujoco/mujoco.h>

#include "civita/loop_closures.h"

namespace civita {

/// Loop closures of the active equalities `connect`, `weld` (between bodies or sites) and `joint`
/// of an mjModel, for the Model of BuildModel. Empty if equalities are disabled. @throws UserError
/// for an active equality of another kind (tendons, flexes), or between joints that are not hinges
/// or slides; it names the equality.
LoopClosures ReadLoopClosures(const mjModel* mj);

/// Whether the equality is active at the start and no flag of the model disables it.
bool ActsFromStart(const mjModel& mj, int equality);

}  // namespace civita
