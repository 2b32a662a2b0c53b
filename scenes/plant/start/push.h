#pragma once

#include <Eigen/Core>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "civita/scenes/plant/mujoco_fwd.h"
#include "civita/scenes/schema/key_row_fwd.h"

namespace civita {

/// Time course of a push's force.
enum class PushShape {
  kConstant,
  kHalfSine,  ///< sin(π (t − start)/duration)
  kSine,      ///< sin(2π f (t − start) + phase)
};

/// A push as configured: an item of `pushes`.
struct PushConfig {
  std::string body;           ///< empty: the whole robot, through its centre of mass
  std::string joint;          ///< that a force of its own drives, in place of a body
  std::vector<double> point;  ///< of the body, 3 numbers in its axes; empty: its centre of mass
  double start_s = 0;
  std::optional<double> duration_s;  ///< default: 0.1; of a sine: as long as the run
  PushShape shape = PushShape::kConstant;
  std::optional<double> frequency_hz;  ///< of a sine
  std::optional<double> phase;         ///< of a sine, rad; default: 0
  /// 3 numbers, N or N·s; or of a joint 1 or 3, N·m or N. Exactly one of the three.
  std::vector<double> force, impulse, joint_force;
};
std::span<const KeyRow<PushConfig>> PushKeys();

/// A force for a limited time: on a body, world axes, at a point of it or through the centre of
/// mass of the body or of its subtree; or on the velocity coordinates of a joint. It is constant
/// over each control step.
struct Push {
  int body = 0;  ///< in the mjModel; of a joint, the body that it moves
  double start_s = 0, duration_s = 0.1;
  /// N; of a joint, the forces on its coordinates, N·m or N. Peak value of a half sine, amplitude
  /// of a sine.
  Eigen::Vector3d force = Eigen::Vector3d::Zero();
  PushShape shape = PushShape::kConstant;
  bool of_tree = false;         ///< through the centre of mass of the body's subtree
  double omega = 0, phase = 0;  ///< of a sine, rad/s and rad
  int joint = -1;               ///< in the mjModel, a hinge, slide or ball; −1: none
  std::optional<Eigen::Vector3d> point = {};  ///< in the body's axes; none: a centre of mass

  /// Whether it acts in the control step of length dt (s) that starts at t (s).
  bool acts(double t, double dt) const {
    return t >= start_s - 0.5 * dt && t < start_s + duration_s - 0.5 * dt;
  }

  /// The factor on `force` in that step: for a half sine and a sine, its value at the middle.
  double ShareAt(double t, double dt) const;
};

/// The force with which the control steps at k·dt transmit this impulse (N·s) exactly, whatever
/// the shape; zero when no step is within the push.
Eigen::Vector3d CalcForceOfImpulse(const Push& push, const Eigen::Vector3d& impulse, double dt);

/// The pushes of a config, with control period dt_s (s). @throws KeyError: an unknown body or joint
/// (lists them), no body where the robot has no free joint, another number of forces than the joint
/// has coordinates, a frequency that control steps cannot resolve.
std::vector<Push> MakePushes(std::span<const PushConfig> pushes, const mjModel& m, double dt_s);

/// Where a push on a body acts, in the world, with the positions of bodies in d.
Eigen::Vector3d FindPushedPoint(const Push& push, const mjData& d);

/// Adds `share` of the force of a push on a body, with its moment about the body's centre of mass,
/// to d.xfrc_applied. If it acts elsewhere, positions are first updated to d.qpos.
void AddPush(const mjModel& m, const Push& push, double share, mjData* d);

/// Adds `share` of the force of a push on a joint to the forces on the coordinates (nv numbers).
void AddJointPush(const mjModel& m, const Push& push, double share,
                  Eigen::Ref<Eigen::VectorXd> tau);

/// The body of the model's first free joint, at which pushes on the whole robot act; −1: none.
int FindFreeBody(const mjModel& m);

}  // namespace civita
