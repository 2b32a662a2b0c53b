#include "civita/scenes/control/observer.h"

#include "civita/scenes/schema/checked.h"
#include "civita/scenes/schema/key_error.h"
#include "civita/scenes/schema/key_row.h"

namespace civita {

std::span<const KeyRow<ObserverConfig>> ObserverKeys() {
  using C = ObserverConfig;
  using enum NumberRange;
  static constexpr KeyRow<C> kKeys[] = {
      {"gain", OneOrAll{&C::gain}, "1/s", "momentum observer of the disturbance; default: none",
       kNotNegative},
      {"threshold", OneOrAll{&C::threshold}, "N·m, N", "a disturbance above is a contact",
       kNotNegative},
      {"compensate", &C::compensate, "", "subtract the disturbance from the torque"},
  };
  return kKeys;
}

ObserverOptions MakeObserver(const ObserverConfig& observer, int nv) {
  if (observer.gain.empty()) {
    const std::string key = observer.compensate ? "observer.compensate" : "observer.threshold";
    if (!observer.compensate && observer.threshold.empty()) return {};
    RefuseValue(key, " needs observer.gain: there is no observer");
  }
  ObserverOptions options;
  options.K_I = internal::Spread("observer.gain", observer.gain, nv);
  if (!observer.threshold.empty()) {
    options.threshold = internal::Spread("observer.threshold", observer.threshold, nv);
  }
  options.compensate = observer.compensate;
  return options;
}

}  // namespace civita
