#pragma once

#include <array>
#include <memory>
#include <vector>

#include "civita/velocity_map.h"
#include "civita/velocity_space.h"
#include "core/spatial/internal/access.h"

namespace civita::internal {

/// Path from the last common ancestor of the two ends of a closure to one of them.
struct Leg {
  int end = -1;           ///< index in Model::bodies(), −1 the world
  Pose X_BE;              ///< pose of the closure's point and axes in that body
  std::vector<int> path;  ///< bodies after the common ancestor, outwards
};

/// Rows of K of a FrameClosure.
struct FrameRows {
  int row = 0;  ///< first of three or six rows
  Leg a, b;
  bool fixes_rotation = false;
};

/// Row of K of a JointClosure.
struct JointRow {
  int row = 0;
  int iq = 0, iv = 0;
  int leader_iq = -1, leader_iv = -1;
  std::array<double, 5> polynomial{};
  double reference = 0, leader_reference = 0;
};

/// A cluster with its K: columns by `coordinates`.
struct LoopRows : VelocitySpace::Cluster {
  std::vector<FrameRows> frames;
  std::vector<JointRow> joints;
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
