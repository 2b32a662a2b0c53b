#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "civita/scenes/plant/floating.h"
#include "civita/scenes/plant/model_file.h"

namespace civita {

/// Two bodies of which shapes are inside each other.
struct BodyOverlap {
  int body_a = 0, body_b = 0;  ///< of the mjModel, 0 the world
  double depth = 0;            ///< m, of the deepest contact
};

/// Pairs of bodies that overlap at q (nq) by more than a thousandth of the model's extent, the
/// deepest first: bodies of the robot with one another, and with the world where the robot has a
/// fixed base. Not loose objects, and not what a floating base stands on.
std::vector<BodyOverlap> FindOverlaps(const mjModel& m, const FreeParts& parts,
                                      const Eigen::VectorXd& q);

/// Leaves out the contacts of such pairs, which would throw the robot off its start, and says so.
/// `m`: the model that was compiled from the same file. `overlaps` and `m` must outlive the edit.
SpecEdit LeaveOutContacts(const std::vector<BodyOverlap>& overlaps, const mjModel& m,
                          std::vector<std::string>* notices);

}  // namespace civita
