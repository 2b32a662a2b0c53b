#pragma once

#include <mujoco/mujoco.h>

#include <Eigen/Core>
#include <string>
#include <vector>

namespace civita {

/// Maps joint torques τ to the simulator's controls. A model without actuators is driven directly
/// at its joints (qfrc_applied), and so are joints whose actuators are servos or have their own
/// dynamics, which are disabled; motors on joints get ctrl = τ/(gear·gain), several on one joint
/// in succession. Torques are clamped to effort limits: ctrlrange·gear·gain, forcerange·gear, the
/// joint's actuatorfrcrange. Near its speed limit a drive has less torque along its motion: times
/// a factor that falls from 1 to 0 between 0.9 and 1.0 of the limit. In a model with actuators,
/// coordinates without any are passive; actuators on tendons, sites and bodies are disabled.
class Actuation {
 public:
  /// Adapts `m` (disabled actuators go into a disabled actuator group) and reports each change in
  /// `notices`, and the joints that are passive; free ones not if `feet_hold_base`.
  static Actuation Make(mjModel* m, std::vector<std::string>* notices, bool feet_hold_base = false);

  /// Speed limits by coordinate (nv), rad/s or m/s, infinite where there are none, which is the
  /// default.
  const Eigen::VectorXd& speed_max() const { return speed_max_; }
  void set_speed_max(const Eigen::VectorXd& speed_max) { speed_max_ = speed_max; }

  /// Writes ctrl and qfrc_applied for τ (nv) at the speed of `d`; `applied` (nv) is the torque
  /// after limits.
  /// @returns true when a limit reduced the torque of an actuated coordinate. Allocates nothing.
  bool Apply(const Eigen::VectorXd& tau, mjData* d, Eigen::VectorXd& applied) const;

  /// Limits by coordinate, N·m or N: ±infinity where there are none; 0 for passive coordinates.
  const Eigen::VectorXd& lower() const { return lower_; }
  const Eigen::VectorXd& upper() const { return upper_; }
  bool is_passive(int iv) const { return lower_[iv] == 0 && upper_[iv] == 0; }

  /// One drive of a coordinate.
  struct Channel {
    int iv;
    int ctrl;             ///< index in ctrl; −1: qfrc_applied
    double gain;          ///< torque per unit of control
    double lower, upper;  ///< of its torque
  };

 private:
  void AddChannel(const Channel& channel);
  void ClampByJoints(const mjModel& m);
  std::vector<std::string> PassiveJoints(const mjModel& m, bool feet_hold_base) const;

  std::vector<Channel> channels_;  ///< by coordinate
  Eigen::VectorXd lower_, upper_, speed_max_;
};

}  // namespace civita
