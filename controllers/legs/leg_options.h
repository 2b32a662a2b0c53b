#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "core/model.h"

namespace civita {

/// A foot: balls of one radius whose centres are fixed to a body. One ball: a point foot, which
/// passes forces only; three or more in a plane: a flat sole, which passes moments too.
struct Foot {
  std::string name;
  Model::NamedFrame frame;              ///< the body
  std::vector<Eigen::Vector3d> points;  ///< centres of the balls in its axes, m
  double radius = 0;                    ///< m

  bool flat() const { return points.size() > 1; }
};

/// How a robot steps; see controllers/legs/gait.h for what each number does.
struct GaitOptions {
  double step_s = 0.18;                                  ///< duration of a step, exchange included
  double shortest_step_s = 0.18, longest_step_s = 0.18;  ///< bipeds choose in between
  double exchange_s = 0.02;    ///< load passes from foot to foot by a ramp
  double swing_height = 0.08;  ///< m
  double reach = 0.24;         ///< how far from below its hip a point foot may be set, m
  double trigger = 0.02;  ///< steps begin when the divergent component of motion is less inside, m
  bool may_step = true;   ///< false: never lifts a foot by itself
};

/// A legged robot as its law wants to know it.
struct LegOptions {
  std::vector<Foot> feet;
  double friction = 0.8;       ///< coefficient that the law believes in
  Eigen::VectorXd tau_max;     ///< nv: effort limits, N·m; infinity where there are none
  bool base_task = false;      ///< the linear task is the base's origin, not the centre of mass
  double momentum_weight = 0;  ///< of the task that damps the angular momentum, s/(kg·m²)
  GaitOptions gait;
};

}  // namespace civita
