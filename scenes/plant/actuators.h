#pragma once

#include <mujoco/mujoco.h>

#include <Eigen/Core>
#include <string>
#include <vector>

namespace civita {

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

/// What a model's actuators that are not disabled are for.
struct ActuatorUse {
  struct OwnDrive {
    int iv;
    DriveChannel channel;
  };
  std::vector<OwnDrive> own;        ///< motors first, then what replaces servos
  std::vector<SharedForce> shared;  ///< likewise in each
  bool has_motors = false;
  std::vector<int> off;  ///< actuators that are not used as they are
  /// Of these the names: servos of joints and of fixed tendons, and those that act on neither.
  std::vector<std::string> joint_servos, tendon_servos, others;
};

/// A joint or tendon with a motor needs no other drive, so its servos are left out; of several
/// servos only the first is replaced.
ActuatorUse FindActuatorUse(const mjModel& m);

/// Clamps the range to [a, b] (in either order); to the nearer end if they are disjoint.
void CutRange(double a, double b, double* lower, double* upper);

}  // namespace civita
