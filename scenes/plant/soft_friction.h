#pragma once

#include <mujoco/mujoco.h>

#include <string>

namespace civita {

/// The velocity (rad/s or m/s) from which on dry friction, in MuJoCo a soft constraint, has its
/// full value; `invweight` is dof_invweight0 or tendon_invweight0. 0 for a solref of the direct
/// form, whose friction is not judged.
double CalcFullFrictionSpeed(double frictionloss, double invweight, const mjtNum* solref,
                             const mjtNum* solimp);

/// A notice that names joints and tendons whose dry friction reaches its full value at a higher
/// velocity than that of the laws' feedforward; empty if there are none.
std::string DescribeSoftFriction(const mjModel& m);

}  // namespace civita
