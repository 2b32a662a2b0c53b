#pragma once

#include <optional>
#include <span>

#include "civita/scenes/schema/key_row_fwd.h"

namespace civita {

/// How the model is simulated: `physics`. What is not set is as in the model's file.
struct PhysicsConfig {
  std::optional<double> timestep_s;
  std::optional<bool> contacts;  ///< else the model's own, none in a URDF
};
std::span<const KeyRow<PhysicsConfig>> PhysicsKeys();

}  // namespace civita
