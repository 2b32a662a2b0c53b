#pragma once

#include <string>

#include "tests/oracles/tree_spec.h"

namespace civita {

/// A URDF as text, and the numbers that it was written from: links and joints in the same order.
struct RandomUrdf {
  std::string text;
  TreeSpec spec;
};

/// A random robot with all that people write in a URDF about the dynamics: hinges, slides and fixed
/// joints, damping and dry friction, inertias at turned origins; and with `oddities` links without
/// <inertial>, point masses, links without mass that joints move, and inertias that no body can
/// have. Links have shapes, whose masses do not count, with or without a file. The same seed gives
/// the same robot.
RandomUrdf MakeRandomUrdf(unsigned seed, bool oddities);

}  // namespace civita
