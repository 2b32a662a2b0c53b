#pragma once

#include <Eigen/Core>
#include <array>
#include <string>
#include <vector>

// What closes the loops of a mechanism whose spanning tree is a Model: conditions on q, and with
// them K(q) v = 0 on the tree's velocities.

namespace civita {

/// A point of frame A stays on a point of frame B: three rows. With `fixes_rotation` the axes that
/// are given in both stay parallel, too: six rows.
struct FrameClosure {
  struct Side {
    int frame = -1;                                   ///< index in Model::frames(), −1 the world
    Eigen::Vector3d point = Eigen::Vector3d::Zero();  ///< in the frame, m
    Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();  ///< in the frame
  };
  std::string name = {};
  Side a, b;
  bool fixes_rotation = false;
};

/// A joint of one coordinate follows another's, or is held where it has no leader: one row,
///   q − reference = Σ_n polynomial[n] (q_leader − leader_reference)ⁿ.
struct JointClosure {
  std::string name = {};
  int joint = 0;    ///< index in Model::joints()
  int leader = -1;  ///< the same; −1: held at reference + polynomial[0]
  std::array<double, 5> polynomial{};
  double reference = 0;  ///< rad or m
  double leader_reference = 0;
};

struct LoopClosures {
  std::vector<FrameClosure> frames;
  std::vector<JointClosure> joints;

  bool empty() const { return frames.empty() && joints.empty(); }
};

}  // namespace civita
