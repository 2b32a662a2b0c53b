#pragma once

#include <Eigen/Core>
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
};

/// A push as configured: an item of `pushes`.
struct PushConfig {
  std::string body;  ///< empty: the whole robot, through its centre of mass
  double start_s = 0, duration_s = 0.1;
  PushShape shape = PushShape::kConstant;
  std::vector<double> force, impulse;  ///< 3 numbers, N or N·s; exactly one of the two
};
std::span<const KeyRow<PushConfig>> PushKeys();

/// A force on a body for a limited time, world axes, through the centre of mass of the body or of
/// its subtree. It is constant over each control step.
struct Push {
  int body = 0;  ///< in the mjModel
  double start_s = 0, duration_s = 0.1;
  Eigen::Vector3d force = Eigen::Vector3d::Zero();  ///< N; peak value of a half sine
  PushShape shape = PushShape::kConstant;
  bool of_tree = false;  ///< through the centre of mass of the body's subtree

  /// Whether it acts in the control step of length dt (s) that starts at t (s).
  bool acts(double t, double dt) const {
    return t >= start_s - 0.5 * dt && t < start_s + duration_s - 0.5 * dt;
  }

  /// The factor on `force` in that step: for a half sine, its value at the middle.
  double ShareAt(double t, double dt) const;
};

/// The force with which the control steps at k·dt transmit this impulse (N·s) exactly, whatever
/// the shape; zero when no step is within the push.
Eigen::Vector3d CalcForceOfImpulse(const Push& push, const Eigen::Vector3d& impulse, double dt);

/// The pushes of a config, with control period dt_s (s). @throws KeyError: an unknown body (lists
/// the bodies), or no body where the robot has no free joint.
std::vector<Push> MakePushes(std::span<const PushConfig> pushes, const mjModel& m, double dt_s);

/// Adds `share` of the push's force, with its moment about the body's centre of mass, to
/// d.xfrc_applied. If it acts through the subtree's centre of mass, positions are first updated to
/// d.qpos.
void AddPush(const mjModel& m, const Push& push, double share, mjData* d);

/// The body of the model's first free joint, at which pushes on the whole robot act; −1: none.
int FindFreeBody(const mjModel& m);

}  // namespace civita
