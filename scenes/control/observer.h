#pragma once

#include <span>
#include <vector>

#include "civita/controllers/momentum_observer.h"
#include "civita/scenes/schema/key_row_fwd.h"

namespace civita {

/// A momentum observer run with the law: `observer`. Each list: one number or nv; empty: none.
struct ObserverConfig {
  std::vector<double> gain, threshold;
  bool compensate = false;
};
std::span<const KeyRow<ObserverConfig>> ObserverKeys();

/// The options of the observer that the config describes, for nv coordinates. @throws KeyError.
ObserverOptions MakeObserver(const ObserverConfig& observer, int nv);

}  // namespace civita
