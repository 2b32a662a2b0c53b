#pragma once

#include <span>
#include <vector>

#include "civita/controllers/momentum_observer.h"
#include "civita/scenes/schema/key_row_fwd.h"

namespace civita {

/// A momentum observer with the law: `observer`. One number or nv each, empty: none.
struct ObserverConfig {
  std::vector<double> gain, threshold;
  bool compensate = false;
};
std::span<const KeyRow<ObserverConfig>> ObserverKeys();

/// The observer that the config describes, of nv coordinates. @throws KeyError.
ObserverOptions MakeObserver(const ObserverConfig& observer, int nv);

}  // namespace civita
