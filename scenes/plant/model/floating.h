#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "civita/scenes/plant/actuation.h"
#include "civita/scenes/plant/model_file.h"

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

/// Two bodies of which shapes are inside each other.
struct BodyOverlap {
  int body_a = 0, body_b = 0;  ///< of the mjModel, 0 the world
  double depth = 0;            ///< m, of the deepest contact
};

/// Pairs of bodies that overlap at q (nq) by more than a thousandth of the model's extent, the
/// deepest first: bodies of the robot with one another, and with the world where the robot has a
/// fixed base. Not loose objects, and not what a floating base stands on. Leaves the positions at q
/// in `d`.
std::vector<BodyOverlap> FindOverlaps(const mjModel& m, const FreeParts& parts,
                                      const Eigen::VectorXd& q, mjData* d);

/// Leaves out the contacts of such pairs, which would throw the robot off its start, and says so.
/// `m`: the model that was compiled from the same file. `overlaps` and `m` must outlive the edit.
SpecEdit LeaveOutContacts(const std::vector<BodyOverlap>& overlaps, const mjModel& m,
                          std::vector<std::string>* notices);

}  // namespace civita
