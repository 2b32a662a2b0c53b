#pragma once

#include <mujoco/mujoco.h>

#include <Eigen/Core>
#include <vector>

namespace civita {

/// Everything that is welded to the world and collides.
class GroundSurface {
 public:
  explicit GroundSurface(const mjModel& m);

  /// Height of `point` above the highest surface on its vertical, whether above or below it, m; ∞
  /// where there is none. `d` has the kinematics of any configuration. Allocates nothing.
  double HeightOf(const mjModel& m, const mjData& d, const Eigen::Vector3d& point) const;

 private:
  std::vector<int> geoms_;
};

}  // namespace civita
