#pragma once

#include <cstdint>
#include <vector>

#include "core/model/internal/derived.h"
#include "core/spatial/internal/tree.h"

namespace civita {
class Model;

namespace internal {

/// What a Tree points to. Made of the bodies' links, the rest of a Model built.
class TreeTables {
 public:
  TreeTables(const Model& model, std::vector<Link> links);
  TreeTables(const TreeTables&) = delete;
  TreeTables& operator=(const TreeTables&) = delete;

  const Tree& tree() const { return tree_; }
  const std::vector<Link>& links() const { return links_; }

  /// A number that models have in common where joints, their order and the tree are the same: what
  /// is sized and laid out for one then fits the other.
  std::uint64_t structure() const { return structure_; }

  /// The plan of the vector kernels, see kernels::PlanOf.
  const Derived& plan() const { return plan_; }

 private:
  Derived plan_;
  std::vector<Link> links_;
  std::vector<int> parent_, body_, depth_, order_, triple_;
  std::vector<double> armature_;
  Tree tree_{};
  std::uint64_t structure_ = 0;
};

const TreeTables& TablesOf(const Model& model);
const Tree& TreeOf(const Model& model);

}  // namespace internal
}  // namespace civita
