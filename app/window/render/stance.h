#pragma once

#include "app/window/plot/traces.h"
#include "app/window/render/decor.h"
#include "civita/controllers/legs/leg_kinematics.h"
#include "civita/scenes/scene.h"
#include "civita/workspace.h"

namespace civita {

/// The stance of a legged robot, computed on the window's side from what the session publishes:
/// the motion and, of the last step, the ground's forces on the feet and the law's divergent
/// component of motion and centre of pressure.
class Stance {
 public:
  /// `scene` has legs and must outlive this object.
  explicit Stance(const SceneData& scene);

  /// With `cones` also the friction cones, at the feet's coefficient that the law assumes.
  StanceMarks Find(const Snapshot& snapshot, const Traces& traces, bool cones = false);

 private:
  void FindSupport(const std::vector<bool>& stands, StanceMarks* marks);
  Point3 OnGround(const Point2& at) const;

  const SceneData& scene_;
  Workspace<double> workspace_;
  LegKinematics now_;
  Eigen::VectorXd q_, v_;
  double weight_ = 0;                                 ///< N
  double arrow_length_ = 0;                           ///< m/N
  Eigen::Vector3d ground_ = Eigen::Vector3d::Zero();  ///< z = ground·[1, x, y]
};

}  // namespace civita
