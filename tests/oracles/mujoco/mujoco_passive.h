#pragma once

#include <mujoco/mujoco.h>

#include "civita/model.h"

namespace civita {

/// The difference of the Model's passive forces from MuJoCo's at the seed's random state, relative
/// to their parts: qfrc_passive, and dry friction from the frictionloss and the Jacobian of
/// MuJoCo's friction constraints.
double PassiveError(const mjModel& m, const Model& model, unsigned seed);

/// Sets qpos and qvel of `d` to the seed's random state: each coordinate turned or moved from qpos0
/// by up to 1, a rotation in three axes by less than half a turn.
void SetRandomState(const mjModel& m, unsigned seed, mjData* d);

}  // namespace civita
