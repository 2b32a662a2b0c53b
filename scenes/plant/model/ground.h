#pragma once

#include <Eigen/Core>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "civita/scenes/plant/model_file.h"
#include "civita/scenes/plant/mujoco_fwd.h"
#include "civita/scenes/schema/key_row_fwd.h"

namespace civita {

enum class GroundType {
  kFlat,
  kSlope,   ///< a ramp upward along x, a terrace on top, a ramp down
  kBlocks,  ///< a field of square blocks, heights uniform in ±height by the seed
  kSoft,    ///< flat, with soft contacts
};

/// The ground that replaces the model's floor, see MakeGround: `ground`.
struct GroundConfig {
  GroundType type = GroundType::kFlat;
  std::optional<double> friction;                                     ///< default: the model's
  double start_m = 0.6;                                               ///< flat around the origin
  double slope_deg = 15;                                              ///< slope
  double height_m = 0.05, block_m = 0.25;                             ///< blocks
  std::vector<double> solref = {0.04, 1}, solimp = {0.7, 0.9, 0.02};  ///< soft, as in MJCF
};
std::span<const KeyRow<GroundConfig>> GroundKeys();

/// Replaces the model's floor, which is the geom `floor` or else the first plane of the world, by
/// the ground that `ground` describes; `ground` must outlive the edit. The new geoms collide with
/// what the floor collides with, and the ground's friction and softness apply whatever the robot's
/// geoms say (by a higher contact priority). The ground is flat within `start_m` of the origin:
///   slope   a ramp upward along x, a terrace on top, a ramp down
///   blocks  a field of square blocks, heights uniform in ±height by the seed
/// Does nothing if the section is not given. @throws KeyError when there is no floor.
SpecEdit MakeGround(const GroundConfig& ground, int seed);

/// Adds a plane at the height 0 to a world in which nothing collides, and tells so.
void ProvideFloor(mjSpec* spec, std::vector<std::string>* notices);

/// A plane of the world on which robots stand.
struct FloorPlane {
  Eigen::Vector3d point, normal;  ///< m; unit vector upward
};

/// The floor where a robot starts: the model's, or the flat part of the ground made of it. None:
/// the world has no plane that faces upward.
std::optional<FloorPlane> FindFloorPlane(const GroundConfig& ground, const mjModel& m);

}  // namespace civita
