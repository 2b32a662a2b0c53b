#pragma once

#include <mujoco/mujoco.h>

#include "civita/model.h"
#include "civita/scenes/control/law.h"

namespace civita {

/// The controller's model of the plant: the `nominal` model of `m`, which is as its file says,
/// with all inertias times controller.model_scale, except those of the bodies in the file
/// controller.estimate,
///   BODY: {mass_kg: …, com_m: [x, y, z], inertia_kgm2: [xx, yy, zz, xy, xz, yz]}
/// with com_m in the body's frame and the inertia about it, in the frame's axes.
/// @throws UserError for an unknown body or key, or an inertia that is not physical (says which
/// body and why).
Model BuildControlModel(const LawConfig& config, const mjModel& m, const Model& nominal);

}  // namespace civita
