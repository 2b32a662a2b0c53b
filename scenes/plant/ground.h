#pragma once

#include "scenes/plant/model_file.h"
#include "scenes/schema/config.h"

namespace civita {

/// Makes the ground that `config.ground` describes out of the model's floor: the geom `floor`, else
/// the first plane of the world. What is added touches what the floor touches, and the ground's
/// friction and softness hold whatever the robot's own geoms say (by a contact priority above
/// theirs). Around the origin the ground stays flat for `start_m` each way:
///   slope   a ramp upward along x, a terrace on top, a ramp down
///   blocks  a field of square blocks, their tops uniform in ±height by config.seed
/// Nothing changes where the config says nothing. @throws UserError when there is no floor.
SpecEdit MakeGround(const SceneConfig& config);

}  // namespace civita
