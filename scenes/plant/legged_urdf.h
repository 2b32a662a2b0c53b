#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "civita/scenes/plant/mujoco_fwd.h"
#include "civita/scenes/schema/key_row_fwd.h"

namespace civita {

/// For URDFs of legged robots, see AdaptLeggedUrdf: `robot`.
struct RobotConfig {
  bool floating_base = false;
  double armature = 0.01;  ///< kg·m²
};
std::span<const KeyRow<RobotConfig>> RobotKeys();

/// Makes of a URDF, read with its visual shapes, a robot that stands free in our studio: floor,
/// lights, look and options of scenes/common/studio.xml; a free joint at the root; at each joint
/// the armature of `robot.armature`, no damping, no friction, and a motor with the URDF's limits of
/// effort and speed (the motor's user number); the visual shapes where their files can be read,
/// else those for collisions, painted in the studio's colours, a capsule where a moving link has
/// neither. The shapes of a foot's link and of the two above it touch those of other legs, and
/// those of all links but the feet's and the ones next to them the floor. @throws KeyError: not a
/// URDF; a root that moves already.
void AdaptLeggedUrdf(const RobotConfig& robot, const std::vector<std::string>& feet,
                     const std::filesystem::path& file, bool urdf, mjSpec* spec);

}  // namespace civita
