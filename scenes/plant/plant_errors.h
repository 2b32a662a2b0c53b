#pragma once

#include <span>
#include <vector>

#include "civita/scenes/plant/mujoco_fwd.h"
#include "civita/scenes/schema/key_row_fwd.h"

namespace civita {

class Model;

/// What the true plant differs by from its file, which is what the law is told: `plant`.
struct PlantConfig {
  double mass_scale = 1;  ///< of every body's mass and inertia
  double mass_error = 0;  ///< and then each times 1 + u, u uniform within ±mass_error, by seed
  std::vector<double> speed_limit;  ///< of the drives; empty: a legged robot's own
};
std::span<const KeyRow<PlantConfig>> PlantKeys();

/// Gives the model, so far as its file says, the errors of `plant`, and builds the plant of
/// it: masses and inertias of all bodies times mass_scale, each times 1 + u besides. Centres of
/// mass and principal axes stay, so every body stays a physical one. @throws KeyError.
Model BuildTruePlant(const PlantConfig& plant, int seed, mjModel* m);

}  // namespace civita
