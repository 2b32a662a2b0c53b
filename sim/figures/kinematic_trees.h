#pragma once

#include <string>
#include <vector>

#include "civita/model.h"

namespace civita {

/// A mechanism of a model that hangs on the world by itself: several robots in one model are
/// several trees, and H is block-diagonal over them.
struct KinematicTree {
  std::string name;             ///< its first body's
  int root = 0;                 ///< its first body, in Model::bodies()
  std::vector<int> velocities;  ///< its velocity coordinates, ascending
};

/// The trees of a model in the order of their first bodies.
std::vector<KinematicTree> FindKinematicTrees(const Model& model);

}  // namespace civita
