#pragma once

#include <Eigen/Core>
#include <limits>
#include <memory>
#include <vector>

#include "civita/scenes/motion/reference.h"
#include "civita/types.h"

namespace civita {

/// From `at_s` on: walk at this velocity (all zero: in place), or stand. Heading axes.
struct WalkCommand {
  double at_s = 0;
  Eigen::Vector2d velocity = Eigen::Vector2d::Zero();  ///< m/s
  double yaw_rate = 0;                                 ///< rad/s
  bool walk = true;  ///< false: stand; the velocities are then zero
};

/// Motion of a legged robot's trunk while the posture of its joints is constant. It starts and
/// ends smoothly: positions and velocities are faded by quintics, twice differentiable.
struct BodyMotion {
  enum class Kind {
    kStand,
    /// One axis after the other, in a cycle with `repeat`: each fades in, runs through one period
    /// A sin(2πft) and fades out. Axes of amplitude zero are skipped.
    kSine,
    kSquat,  ///< to `by` and back: ½(1 − cos 2πft)
    kShift,  ///< to `by` and to the other side: sin 2πft
    kLift,   ///< lifts `foot` off the ground
    kWalk,   ///< by `commands`
  };
  Kind kind = Kind::kStand;
  double start_s = 0;
  double for_s = std::numeric_limits<double>::infinity();  ///< fades included; not used by kWalk
  double fade_s = 1;
  double frequency_hz = 0.5;
  Vector6<double> amplitude = Vector6<double>::Zero();  ///< x y z in m; roll pitch yaw in rad
  bool repeat = true;
  Eigen::Vector3d by = Eigen::Vector3d::Zero();  ///< m
  int foot = -1;
  std::vector<WalkCommand> commands = {};  ///< ascending times; a change of velocity takes fade_s
};

/// A reference that fills ReferenceState::body from `motion`; q, v and v̇ are those of MakeHold at
/// q (nq). At the end of a walk the robot steps for fade_s longer, until the velocity is zero.
std::unique_ptr<Reference> MakeBodyMotion(const Model& model, const Eigen::VectorXd& q,
                                          const BodyMotion& motion);

}  // namespace civita
