#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "civita/model.h"

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

/// How a robot steps; see gait.h for what each number does.
struct GaitOptions {
  double step_s = 0.18;                                  ///< duration of a step, exchange included
  double shortest_step_s = 0.18, longest_step_s = 0.18;  ///< bipeds choose in between
  double exchange_s = 0.02;    ///< load passes from foot to foot by a ramp
  double swing_height = 0.08;  ///< m
  double reach = 0.24;         ///< how far from below its hip a point foot may be set, m
  double trigger = 0.02;       ///< steps begin when the divergent component of motion, DCM, is less
                               ///< far inside the support, m
  double dcm_gain = 0;         ///< of an observer of the DCM, 1/s; 0: as measured
  double return_s = 0.6;       ///< the centre of mass goes back over the feet in, s
  bool may_step = true;        ///< false: never lifts a foot by itself
};

/// A legged robot as its law wants to know it.
struct LegOptions {
  std::vector<Foot> feet;      ///< all flat or all points
  double friction = 0.8;       ///< coefficient that the law believes in
  Eigen::VectorXd tau_max;     ///< nv: effort limits, N·m; infinity where there are none
  bool base_task = false;      ///< standing, the base is moved and not the centre of mass
  double momentum_weight = 0;  ///< of the task that damps the angular momentum, s/(kg·m²)
  GaitOptions gait;
  double dt = 0.001;  ///< control period, s
};

}  // namespace civita
