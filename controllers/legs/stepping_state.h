#pragma once

#include <Eigen/Core>

namespace civita {

/// State of a legged robot's law, for code that evaluates how the robot stands and walks.
struct SteppingState {
  bool is_stepping = false;  ///< a foot is in the air, or its lift-off has begun
  long steps = 0;            ///< touchdowns so far
  long qp_fallbacks = 0;     ///< control steps so far whose contact forces had no solution
  double unmet_force = 0;    ///< N: norm of the desired force that the feet did not supply
  /// N·m: norm of the desired moment that they did not supply, about the centre of mass
  double unmet_moment = 0;
  /// m, world: nominal standing position, without the command's offset
  Eigen::Vector2d home = Eigen::Vector2d::Zero();
  double yaw = 0;   ///< rad, world: nominal heading
  double qp_s = 0;  ///< s: the part of ControlOutput::law_s spent on the contact forces
};

}  // namespace civita
