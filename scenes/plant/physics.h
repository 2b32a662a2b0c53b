#pragma once

#include <optional>
#include <span>

#include "civita/scenes/schema/key_row_fwd.h"

namespace civita {

/// How the model is simulated: `physics`. Unset options keep the model file's value.
struct PhysicsConfig {
  std::optional<double> timestep_s;
  std::optional<bool> contacts;  ///< default: the model's, and none in a URDF
};
std::span<const KeyRow<PhysicsConfig>> PhysicsKeys();

}  // namespace civita
