#include "civita/scenes/plant/physics.h"

#include "civita/scenes/schema/key_row.h"

namespace civita {

std::span<const KeyRow<PhysicsConfig>> PhysicsKeys() {
  using C = PhysicsConfig;
  static constexpr KeyRow<C> kKeys[] = {
      {"timestep_s", &C::timestep_s, "s", "else the model's own", NumberRange::kPositive},
      {"contacts", &C::contacts, "", "bodies collide; default: the model's own, none in a URDF"},
  };
  return kKeys;
}

}  // namespace civita
