#pragma once

#include <Eigen/Core>
#include <optional>

#include "civita/controllers/legs/body_command.h"

namespace civita {

/// Walking velocity of a legged robot by user command; heading axes, m/s and rad/s. All zero:
/// steps in place.
struct DriveCommand {
  Eigen::Vector2d velocity = Eigen::Vector2d::Zero();
  double yaw_rate = 0;
};

/// Override of the reference's walk by a user command. The command may jump; the velocity given to
/// the law changes no faster than the accelerations below. When the override ends, the velocity
/// returns to the reference's at the same rates.
class Drive {
 public:
  static constexpr double kAcceleration = 1;     ///< m/s²
  static constexpr double kYawAcceleration = 2;  ///< rad/s²

  /// Sets the command from now on; nullopt ends the override.
  void Set(const std::optional<DriveCommand>& wanted) { wanted_ = wanted; }
  const std::optional<DriveCommand>& wanted() const { return wanted_; }

  /// Replaces the reference's command in `body` while the override is active.
  void Apply(BodyCommand* body);

  /// Advances by one control step of length dt, s.
  void Advance(double dt);

  /// [active; velocity; yaw rate], to be saved and restored; the command itself is not part of it.
  const Eigen::Vector4d& state() const { return state_; }
  void set_state(const Eigen::Vector4d& state) { state_ = state; }

 private:
  std::optional<DriveCommand> wanted_;
  DriveCommand reference_;  ///< zero while it stands
  Eigen::Vector4d state_ = Eigen::Vector4d::Zero();
};

}  // namespace civita
