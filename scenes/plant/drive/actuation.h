#pragma once

#include <mujoco/mujoco.h>

#include <Eigen/Core>
#include <string>
#include <vector>

#include "civita/transmission.h"

namespace civita {

struct Coupling;

/// One drive of a coordinate, or of a force that acts on several.
struct DriveChannel {
  int ctrl;             ///< index in ctrl; −1: qfrc_applied
  double gain;          ///< torque or force per unit of control
  double lower, upper;  ///< of its torque or force
};

/// A force with torques row·force: that of a fixed tendon, of which row has the coefficients, or of
/// an actuator whose gear, the row, has several components on a ball or free joint.
struct SharedForce {
  int tendon = -1;      ///< −1: of a joint
  Eigen::VectorXd row;  ///< nv
  std::vector<DriveChannel> channels;
};

/// A drive of one coordinate alone.
struct OwnDrive {
  int iv;
  DriveChannel channel;
};

/// Maps joint torques τ to the simulator's controls. A model without actuators is driven directly
/// at its joints (qfrc_applied), but for those that follow another by a coupling (mimic) and free
/// ones, which are driven only without gravity or others. Joints and fixed tendons whose actuators
/// are servos or have their own dynamics, which are disabled, are driven directly, too; motors get
/// ctrl = force/(gear·gain), several on one joint or tendon in succession. Forces are clamped to
/// effort limits: ctrlrange·gear·gain, forcerange·gear, the actuatorfrcrange of the tendon and of
/// each joint. Near its speed limit a drive has less torque along its motion: times a factor that
/// falls from 1 to 0 between 0.9 and 1.0 of the limit. Coordinates that no actuator reaches are
/// passive; actuators on spatial tendons, sites and bodies are disabled.
class Actuation {
 public:
  /// Adapts `m` (disabled actuators go into a disabled actuator group) and reports each change in
  /// `notices`, and the joints that are passive; free ones not if `feet_hold_base`.
  static Actuation Make(mjModel* m, const std::vector<Coupling>& couplings,
                        std::vector<std::string>* notices, bool feet_hold_base = false);

  /// Speed limits by coordinate (nv), rad/s or m/s, infinite where there are none, which is the
  /// default.
  const Eigen::VectorXd& speed_max() const { return speed_max_; }
  void set_speed_max(const Eigen::VectorXd& speed_max) { speed_max_ = speed_max; }

  /// Writes ctrl and qfrc_applied for τ (nv) at the speed of `d`; `applied` (nv) is the torque
  /// after limits. Forces on several coordinates are those of least squares for τ at coordinates
  /// without drives of their own, of these of least norm; own drives add what is then missing.
  /// @returns true when a limit reduced the torque of an actuated coordinate. Allocates nothing.
  bool Apply(const Eigen::VectorXd& tau, mjData* d, Eigen::VectorXd& applied) const;

  /// Limits by coordinate, N·m or N: ±infinity where there are none; 0 for passive coordinates.
  const Eigen::VectorXd& lower() const { return lower_; }
  const Eigen::VectorXd& upper() const { return upper_; }
  bool is_passive(int iv) const { return lower_[iv] == 0 && upper_[iv] == 0; }
  /// Which torques the drives can give.
  Transmission transmission() const;

 private:
  void AddOwn(const OwnDrive& drive);
  void AddShared(const mjModel& m, const SharedForce& force);
  void FinishShared(const mjModel& m);
  void ClampByJoints(const mjModel& m);
  std::vector<std::string> PassiveJoints(const mjModel& m, const std::vector<Coupling>& told,
                                         bool feet_hold_base) const;
  double DriveOwn(const OwnDrive** drive, double torque, mjData* d) const;
  bool ApplyShared(const Eigen::VectorXd& tau, mjData* d, Eigen::VectorXd& applied) const;
  bool FindForces(const Eigen::VectorXd& tau, const mjData& d, Eigen::Map<Eigen::VectorXd> u,
                  Eigen::Map<Eigen::VectorXd> step, Eigen::Map<Eigen::VectorXd> left) const;

  std::vector<OwnDrive> own_;  ///< by coordinate
  Eigen::VectorXd lower_, upper_, speed_max_;

  std::vector<SharedForce> shared_;
  Eigen::MatrixXd B_, fit_;       ///< torques by forces, nv × shared, and forces by torques
  std::vector<bool> has_direct_;  ///< by coordinate: driven by qfrc_applied
  Eigen::VectorXd force_lower_, force_upper_;                          ///< by shared force
  Eigen::VectorXd own_lower_, own_upper_, joint_lower_, joint_upper_;  ///< nv, if there are shared
};

}  // namespace civita
