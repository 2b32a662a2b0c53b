#pragma once

#include <memory>
#include <vector>

#include "civita/velocity_map.h"
#include "civita/velocity_space.h"
#include "core/model/internal/constraint_layout.h"
#include "core/spatial/internal/access.h"

namespace civita::internal {

/// A cluster with its K: columns by `coordinates`.
struct LoopRows : VelocitySpace::Cluster, ConstraintRows {
  std::vector<int> reduced;  ///< indices in w of the independent coordinates

  int num_dependent() const { return num_coordinates() - num_independent; }
  /// Index in v of dependent coordinate d.
  int dependent(int d) const { return *(coordinates.begin() + num_independent + d); }
};

/// What a VelocitySpace is made of.
struct LoopLayout {
  std::vector<LoopRows> clusters;
  std::shared_ptr<const RowSupport> support;  ///< of A
  // By coordinate of v.
  std::vector<int> columns;     ///< in K of the cluster
  std::vector<double> units;    ///< in K: Cluster::length (m) for a translation, 1 for a rotation
  std::vector<bool> dependent;  ///< determined by the other coordinates of its cluster

  int column(int iv) const { return columns[static_cast<size_t>(iv)]; }
  double unit(int iv) const { return units[static_cast<size_t>(iv)]; }
};

inline const LoopLayout& LayoutOf(const VelocitySpace& model) { return Access::layout(model); }

}  // namespace civita::internal
