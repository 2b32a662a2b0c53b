#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "civita/model.h"

namespace civita {

/// A foot: balls of one radius whose centres are fixed to a body. One ball is a point foot, which
/// transmits forces only; three or more in a plane are a flat sole, which transmits moments too.
struct Foot {
  std::string name;
  /// Of the foot's body. A flat foot's z axis points upward where the foot stands, its x axis
  /// along the heading; TakeHome turns the frame so.
  Model::NamedFrame frame;
  std::vector<Eigen::Vector3d> points;  ///< centres of the balls in its axes, m
  double radius = 0;                    ///< m

  bool flat() const { return points.size() > 1; }
};

/// Parameters of stepping; gait.h explains them.
struct GaitOptions {
  double step_s = 0.18;  ///< duration of a step, including the exchange
  /// limits of the step's duration for bipeds
  double shortest_step_s = 0.18, longest_step_s = 0.18;
  double exchange_s = 0.02;    ///< duration of the ramp by which load passes between feet
  double swing_height = 0.08;  ///< m
  double reach = 0.24;         ///< maximum distance of a point foot's target from below its hip, m
  double trigger = 0.02;  ///< steps begin when the DCM is inside the support by less than this, m
  double dcm_gain = 0;    ///< rate of an observer of the DCM, 1/s; 0: as measured
  double return_s = 0.6;  ///< time in which the centre of mass returns over the feet
  bool may_step = true;   ///< false: never lifts a foot on its own
};

/// Description of a legged robot for its law.
struct LegOptions {
  std::vector<Foot> feet;   ///< all flat or all points
  double friction = 0.8;    ///< coefficient of friction that the law assumes
  Eigen::VectorXd tau_max;  ///< nv: effort limits, N·m; infinity where there are none
  /// when standing, the linear task is the base and not the centre of mass
  bool base_task = false;
  double momentum_weight = 0;  ///< weight of the task that damps the angular momentum, s/(kg·m²)
  /// Which way of the base is ahead, in its axes, of any length but 0.
  Eigen::Vector3d ahead = Eigen::Vector3d::UnitX();
  GaitOptions gait;
  /// nq: the configuration in which base and soles have the attitudes that the law keeps; empty:
  /// the start.
  Eigen::VectorXd q_home = {};
  /// Attitude of the base at home, heading aside; the law sets it by TakeHome.
  Eigen::Matrix3d R_home = Eigen::Matrix3d::Identity();
  double dt = 0.001;  ///< control period, s
};

}  // namespace civita
