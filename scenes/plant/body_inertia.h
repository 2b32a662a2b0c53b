#pragma once

#include <mujoco/mujoco.h>

#include "civita/model.h"

namespace civita {

/// Gives a body of the mjModel another mass, centre of mass and inertia about it, in the axes of
/// the body's frame. What the model derives from them (mj_setConst) stays as it was.
void SetBodyInertia(const MassProperties& mass, int body, mjModel* m);

}  // namespace civita
