#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "civita/scenes/plant/legs.h"
#include "civita/scenes/plant/mujoco_fwd.h"
#include "civita/scenes/schema/key_row_fwd.h"

namespace civita {

/// Options for URDFs of legged robots, see AdaptLeggedUrdf: `robot`.
struct RobotConfig {
  bool floating_base = false;
  double armature = 0.01;  ///< kg·m²
};
std::span<const KeyRow<RobotConfig>> RobotKeys();

/// Turns a URDF, read with its visual shapes, into a free robot in the studio scene: floor,
/// lights, look and options of scenes/common/studio.xml; a free joint at the root, that of the
/// file if it lets it float; at each joint
/// the armature of `robot.armature` unless the file gives rotors, no damping, no friction, and a
/// motor with the URDF's limits of effort and speed (the motor's user number); the visual shapes if
/// their files can be read, otherwise the collision shapes in the studio's colours, and a capsule
/// where a moving link has neither. A foot keeps its collision shapes: its visual ones are drawn
/// only. The shapes of a foot's link and of the two moving links above it collide with those of
/// other legs; those of all links except the feet and their neighbours collide with the floor. Of a
/// foot only its balls do: its collision spheres, unless the config gives it other points.
/// @throws KeyError if the file is not a URDF or its root already moves in another way.
void AdaptLeggedUrdf(const RobotConfig& robot, const LegConfig& legs,
                     const std::filesystem::path& file, bool urdf, mjSpec* spec);

}  // namespace civita
