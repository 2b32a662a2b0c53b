#pragma once

#include <optional>
#include <span>
#include <vector>

#include "civita/scenes/plant/model_file.h"
#include "civita/scenes/schema/key_row_fwd.h"

namespace civita {

enum class GroundType {
  kFlat,
  kSlope,   ///< a ramp upward along x, a terrace on top, a ramp down
  kBlocks,  ///< a field of square blocks, their tops uniform in ±height by the seed
  kSoft,    ///< flat, with soft contacts
};

/// What the model's floor is made into, see MakeGround: `ground`.
struct GroundConfig {
  GroundType type = GroundType::kFlat;
  std::optional<double> friction;                                     ///< else the model's
  double start_m = 0.6;                                               ///< flat around the origin
  double slope_deg = 15;                                              ///< slope
  double height_m = 0.05, block_m = 0.25;                             ///< blocks
  std::vector<double> solref = {0.04, 1}, solimp = {0.7, 0.9, 0.02};  ///< soft, as in MJCF
};
std::span<const KeyRow<GroundConfig>> GroundKeys();

/// Makes the ground that `ground`, which must outlive the edit, describes out of the model's floor:
/// the geom `floor`, else the first plane of the world. What is added touches what the floor
/// touches, and the ground's friction and softness hold whatever the robot's own geoms say (by a
/// contact priority above theirs). Around the origin the ground stays flat for `start_m` each way:
///   slope   a ramp upward along x, a terrace on top, a ramp down
///   blocks  a field of square blocks, their tops uniform in ±height by the seed
/// Nothing changes where the config says nothing. @throws KeyError when there is no
/// floor.
SpecEdit MakeGround(const GroundConfig& ground, int seed);

}  // namespace civita
