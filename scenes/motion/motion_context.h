#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "civita/controllers/legs/leg_options.h"
#include "civita/model.h"
#include "civita/scenes/motion/reference.h"
#include "civita/scenes/plant/actuation.h"
#include "civita/velocity_space.h"

namespace civita {

/// Input of a reference besides its own section of the config.
struct MotionContext {
  const mjModel& mj;
  const Model& plant;
  /// nq: the configuration at which the motion starts, or about which it oscillates
  const Eigen::VectorXd& center;
  const Actuation& actuation;
  const std::vector<Coupling>& couplings;
  const VelocitySpace* closed;       ///< loops, gears and coupled joints; null: none
  const LegOptions* legs;            ///< null: the config names no feet
  const std::vector<int>& undriven;  ///< coordinates that motors reach, but not on their own
  double duration_s;                 ///< length of the run
  int seed;
  std::vector<std::string>* notices;  ///< adaptations, one line each, for the user
};

}  // namespace civita
