#include "civita/sim/kinematic_trees.h"

#include <algorithm>

namespace civita {

std::vector<KinematicTree> FindKinematicTrees(const Model& model) {
  std::vector<KinematicTree> trees;
  for (const Model::Body& body : model.bodies()) {
    auto tree = std::ranges::find(trees, body.root, &KinematicTree::root);
    if (tree == trees.end()) {
      const std::string& name = model.bodies()[static_cast<std::size_t>(body.root)].name;
      tree = trees.insert(tree, {.name = name, .root = body.root, .velocities = {}});
    }
    for (int i = 0; i < body.nv; ++i) tree->velocities.push_back(body.iv + i);
  }
  for (KinematicTree& tree : trees) std::ranges::sort(tree.velocities);
  return trees;
}

}  // namespace civita
