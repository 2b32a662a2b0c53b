#pragma once

#include <mujoco/mujoco.h>

#include <Eigen/Core>
#include <string>
#include <vector>

namespace civita {

/// How joint torques τ reach the simulator. A model without actuators is driven directly at its
/// joints (qfrc_applied), and so are joints whose actuators are servos or have dynamics of their
/// own, which are switched off; motors on joints get ctrl = τ/(gear·gain), several on one joint one
/// after the other. Effort limits clamp: ctrlrange·gear·gain, forcerange·gear, the joint's
/// actuatorfrcrange. A drive near its speed limit has less torque left along its motion: what there
/// is times a factor that falls from 1 to 0 between 0.9 and 1.0 of the limit. In a model with
/// actuators, coordinates without any stay passive; actuators on tendons, sites and bodies are
/// switched off.
class Actuation {
 public:
  /// Adapts `m` (what is switched off goes into a disabled actuator group) and tells in `notices`
  /// what was done.
  static Actuation Make(mjModel* m, std::vector<std::string>* notices);

  /// Speed limits by coordinate (nv), rad/s or m/s, infinity where there are none. At first none.
  const Eigen::VectorXd& speed_max() const { return speed_max_; }
  void set_speed_max(const Eigen::VectorXd& speed_max) { speed_max_ = speed_max; }

  /// Writes ctrl and qfrc_applied for τ (nv) at the speed of `d`; `applied` (nv) gets the torque
  /// after limits.
  /// @returns true when a coordinate that can be driven was limited. Allocates nothing.
  bool Apply(const Eigen::VectorXd& tau, mjData* d, Eigen::VectorXd& applied) const;

  /// Limits by coordinate, N·m or N: ±infinity where there are none; 0 where it is passive.
  const Eigen::VectorXd& lower() const { return lower_; }
  const Eigen::VectorXd& upper() const { return upper_; }
  bool is_passive(int iv) const { return lower_[iv] == 0 && upper_[iv] == 0; }

  /// One drive of a coordinate.
  struct Channel {
    int iv;
    int ctrl;             ///< index of the control; −1: qfrc_applied
    double gain;          ///< torque per unit of control
    double lower, upper;  ///< of its torque
  };

 private:
  void AddChannel(const Channel& channel);
  void ClampByJoints(const mjModel& m);
  std::vector<std::string> PassiveJoints(const mjModel& m) const;

  std::vector<Channel> channels_;  ///< by coordinate
  Eigen::VectorXd lower_, upper_, speed_max_;
};

}  // namespace civita
