#pragma once

#include <string>
#include <vector>

#include "civita/scenes/plant/actuation.h"
#include "civita/scenes/plant/mujoco_fwd.h"

namespace civita {

/// A robot's root that can sink: on a free joint, or in the plane on slides of which one is not
/// level, that no motor moves.
struct FloatingBase {
  int body = 0;              ///< of the mjModel
  bool meets_floor = false;  ///< a shape of the robot and one that is fixed to the world can touch
  bool tied = false;         ///< an equality or a tendon holds it to the world
};

/// A joint of an object that no motor moves and nothing ties to what motors move: a ball, a door.
struct LooseJoint {
  int iq = 0, nq = 0, iv = 0, nv = 0;
};

/// The parts of a model that no motor holds to the world.
struct FreeParts {
  std::vector<FloatingBase> bases;
  std::vector<LooseJoint> loose;
  std::vector<bool> is_loose;        ///< by body
  std::vector<std::string> objects;  ///< names of the loose objects' root bodies
};

/// Trees of joints that equalities or tendons tie together count as one. Where motors drive nothing
/// at all, all is robot.
FreeParts FindFreeParts(const mjModel& m, const Actuation& actuation);

/// What a user should know of them before a run, a line each: bases that gravity pulls down, why
/// nothing holds them and what to set, unless a law for legs does (`has_legs`); and the loose
/// objects. `every_stage`: the run has no contacts.
std::vector<std::string> DescribeFreeParts(const FreeParts& parts, const mjModel& m, bool has_legs,
                                           bool every_stage);

}  // namespace civita
