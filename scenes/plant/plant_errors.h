#pragma once

#include <mujoco/mujoco.h>

#include "core/model.h"
#include "scenes/schema/config.h"

namespace civita {

/// Gives the model, so far as its file says, the errors of config.plant, and builds the plant of
/// it: masses and inertias of all bodies times mass_scale, each times 1 + u besides. Centres of
/// mass and principal axes stay, so every body stays a physical one. @throws UserError.
Model BuildTruePlant(const SceneConfig& config, mjModel* m);

}  // namespace civita
