#pragma once

#include <Eigen/Core>
#include <optional>

#include "civita/controllers/controller.h"

namespace civita {

/// How a user wants a legged robot to walk; axes of the heading, m/s and rad/s. All zero: in place.
struct DriveCommand {
  Eigen::Vector2d velocity = Eigen::Vector2d::Zero();
  double yaw_rate = 0;
};

/// Walking as a user says, in place of the reference: what is wanted may jump, what the robot is
/// told changes no faster than the two accelerations below. Let go, it goes back to what the
/// reference says in the same way.
class Drive {
 public:
  static constexpr double kAcceleration = 1;     ///< m/s²
  static constexpr double kYawAcceleration = 2;  ///< rad/s²

  /// What is wanted from now on; nothing: the reference.
  void Set(const std::optional<DriveCommand>& wanted) { wanted_ = wanted; }

  /// Replaces what the reference says, while this drives.
  void Apply(BodyCommand* body);

  /// To a control step later.
  void Advance(double dt);

  /// Whether it drives, velocity and yaw rate: what is to be saved and restored beside the wish.
  const Eigen::Vector4d& state() const { return state_; }
  void set_state(const Eigen::Vector4d& state) { state_ = state; }

 private:
  std::optional<DriveCommand> wanted_;
  DriveCommand reference_;  ///< zero where it stands
  Eigen::Vector4d state_ = Eigen::Vector4d::Zero();
};

}  // namespace civita
