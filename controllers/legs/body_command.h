#pragma once

#include <Eigen/Core>

namespace civita {

/// Command to a legged robot: to walk, or to move its trunk while it stands. Heading axes: z
/// upward, x along the desired yaw.
struct BodyCommand {
  bool walk = false;                                   ///< to step; in place where all is zero
  Eigen::Vector2d velocity = Eigen::Vector2d::Zero();  ///< m/s, heading axes
  double yaw_rate = 0;                                 ///< rad/s
  /// Standing: offset of the centre of mass (or base) from the robot's own standing position, m,
  /// its velocity (m/s) and acceleration (m/s²); orientation of the base, its angular velocity
  /// (rad/s) and angular acceleration (rad/s²).
  Eigen::Vector3d p = Eigen::Vector3d::Zero();
  Eigen::Vector3d pdot = Eigen::Vector3d::Zero();
  Eigen::Vector3d pddot = Eigen::Vector3d::Zero();
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
  Eigen::Vector3d w = Eigen::Vector3d::Zero();
  Eigen::Vector3d wdot = Eigen::Vector3d::Zero();
  int lifted = -1;  ///< standing: index of the foot to hold up, −1: none
};

}  // namespace civita
