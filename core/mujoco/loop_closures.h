#pragma once

#include <mujoco/mujoco.h>

#include "civita/loop_closures.h"

namespace civita {

/// The active equalities `connect`, `weld` (between bodies or sites) and `joint` of an mjModel, as
/// closures of the Model that BuildModel makes of it. Empty where equalities are disabled.
/// @throws UserError that names an active equality of another kind (tendons, flexes), or one
/// between joints that are not hinges or slides.
LoopClosures ReadLoopClosures(const mjModel* mj);

}  // namespace civita
