#pragma once

#include <mujoco/mujoco.h>

#include "civita/model.h"

namespace civita {

/// Sets mass, centre of mass and inertia about it of a body in the mjModel, in the axes of the
/// body's frame. Constants that the model derives from them (mj_setConst) keep their values.
void SetBodyInertia(const MassProperties& mass, int body, mjModel* m);

}  // namespace civita
