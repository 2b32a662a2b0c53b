#include "scenes/control/observer.h"

#include "scenes/schema/key_row.h"

namespace civita {

std::span<const KeyRow<ObserverConfig>> ObserverKeys() {
  using C = ObserverConfig;
  using enum NumberRange;
  static constexpr KeyRow<C> kKeys[] = {
      {"gain", OneOrAll{&C::gain}, "1/s", "momentum observer of the disturbance; else none",
       kNotNegative},
      {"threshold", OneOrAll{&C::threshold}, "N·m, N", "a disturbance above is a contact",
       kNotNegative},
      {"compensate", &C::compensate, "", "take the disturbance off the torque"},
  };
  return kKeys;
}

}  // namespace civita
