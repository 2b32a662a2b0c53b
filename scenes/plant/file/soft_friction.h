#pragma once

#include <mujoco/mujoco.h>

#include <Eigen/Core>
#include <string>
#include <vector>

#include "civita/model.h"

namespace civita {

/// The velocity (rad/s or m/s) from which on dry friction, in MuJoCo a soft constraint, has its
/// full value; `invweight` is dof_invweight0 or tendon_invweight0. 0 for a solref of the direct
/// form, whose friction is not judged.
double CalcFullFrictionSpeed(double frictionloss, double invweight, const mjtNum* solref,
                             const mjtNum* solimp);

/// ControllerOptions::full_friction_speeds by which laws of `model` take dry friction as softly as
/// `m` simulates it; 0 where it is about as hard as kFrictionVelocity.
Eigen::VectorXd FindFullFrictionSpeeds(const mjModel& m, const Model& model);

/// Dry friction as `m` simulates it, of what has none zero.
struct SimulatedFriction {
  Eigen::VectorXd full_speeds;  ///< CalcFullFrictionSpeed, as FindFullFrictionSpeeds has them
  /// It acts as of the velocity that there is this much later, s, by coordinate: a soft constraint
  /// b (v + v̇/b) + R f = 0, lead 1/b.
  Eigen::VectorXd leads_s;
};
SimulatedFriction FindSimulatedFriction(const mjModel& m, const Model& model);

/// A notice that names joints and tendons whose dry friction is softer than kFrictionVelocity
/// says; empty if there are none.
std::string DescribeSoftFriction(const mjModel& m);

namespace internal {

/// Fixes hinges and slides that their damping locks, in the spec of which `m` is compiled: those
/// that nothing but forces moves, and all the robot's weight by less than 1 mm/s or 1 mrad/s. Names
/// them in `notices`, and those that an actuator, a coupling or the keyframe home moves all the
/// same. @returns whether the spec has changed.
bool FixLockedJoints(const mjModel& m, mjSpec* spec, std::vector<std::string>* notices);

}  // namespace internal

}  // namespace civita
