// What a control step goes by: the measured motion and the desired one.
#pragma once

#include <Eigen/Core>

#include "civita/controllers/legs/body_command.h"
#include "civita/types.h"

namespace civita {

/// Desired motion of a frame fixed to a body; world axes.
struct TaskTarget {
  bool given = false;                               ///< false: the reference gives no task
  Eigen::Vector3d p = Eigen::Vector3d::Zero();      ///< position of the frame's origin, m
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();  ///< orientation
  Vector6<double> V = Vector6<double>::Zero();      ///< [angular; linear of the origin]
  Vector6<double> Vdot = Vector6<double>::Zero();   ///< rate of V, component by component
};

/// Desired motion at one time: position on the configuration manifold, velocity and acceleration in
/// the model's conventions (angular velocities in the desired body's own axes).
struct ReferenceState {
  Eigen::VectorXd q, v, vdot;
  TaskTarget task = {};
  BodyCommand body = {};
};

/// Input of a control step: what is measured of the robot.
struct Measurement {
  double t = 0;          ///< s
  Eigen::VectorXd q, v;  ///< as measured: nq and nv coordinates
  /// The measured normal force on each foot of LegOptions, N, upward; empty for robots without
  /// feet.
  Eigen::VectorXd foot_force = {};
};

}  // namespace civita
