#pragma once

#include <Eigen/Core>
#include <span>
#include <string>
#include <vector>

#include "civita/scenes/plant/mujoco_fwd.h"
#include "civita/scenes/schema/key_row_fwd.h"

namespace civita {

/// How the force of a push goes with time.
enum class PushShape {
  kConstant,
  kHalfSine,  ///< sin(π (t − start)/duration)
};

/// A push as a config gives it: an item of `pushes`.
struct PushConfig {
  std::string body;  ///< none: the robot as a whole, through its centre of mass
  double start_s = 0, duration_s = 0.1;
  PushShape shape = PushShape::kConstant;
  std::vector<double> force, impulse;  ///< 3 numbers, N or N·s; one of the two
};
std::span<const KeyRow<PushConfig>> PushKeys();

/// A force on a body for a while, in world axes, through the body's centre of mass or through that
/// of the whole tree that hangs on the body. It is held over whole control steps.
struct Push {
  int body = 0;  ///< in the mjModel
  double start_s = 0, duration_s = 0.1;
  Eigen::Vector3d force = Eigen::Vector3d::Zero();  ///< N; the peak where the shape has one
  PushShape shape = PushShape::kConstant;
  bool of_tree = false;  ///< through the centre of mass of body and descendants

  /// Whether it acts in the control step of length dt that starts at t.
  bool acts(double t, double dt) const {
    return t >= start_s - 0.5 * dt && t < start_s + duration_s - 0.5 * dt;
  }

  /// The share of `force` that acts in that step: of a half sine, the one at its middle.
  double ShareAt(double t, double dt) const;
};

/// The force with which the control steps at k·dt carry this impulse (N·s) exactly, whatever the
/// shape; zero when no step is within the push.
Eigen::Vector3d CalcForceOfImpulse(const Push& push, const Eigen::Vector3d& impulse, double dt);

/// The pushes of a config, of control steps dt_s apart. @throws KeyError: an unknown body (lists
/// the bodies), or none where the robot has no free joint.
std::vector<Push> MakePushes(std::span<const PushConfig> pushes, const mjModel& m, double dt_s);

/// Adds this share of the push's force, with its moment about the body's centre of mass, to
/// d.xfrc_applied. Where it goes through the tree's centre, positions are brought up to date with
/// d.qpos first.
void AddPush(const mjModel& m, const Push& push, double share, mjData* d);

/// The body of the model's first free joint, as which a robot as a whole is pushed; −1: none.
int FindFreeBody(const mjModel& m);

}  // namespace civita
