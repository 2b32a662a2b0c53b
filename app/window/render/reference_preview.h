#pragma once

#include <optional>
#include <vector>

#include "app/window/render/view3d.h"
#include "civita/scenes/plant/closed_chain.h"
#include "civita/scenes/scene.h"

namespace civita {

/// The reference of a scene as the view shows it, computed apart from the simulation.
class ReferencePreview {
 public:
  /// `scene` must outlive this object.
  explicit ReferencePreview(const SceneData& scene);

  /// The reference at a time, with closed loops.
  const ReferenceState& Sample(double t);
  /// The path of the end effector over the next moments from t, 20 ms apart.
  std::vector<Point3> PathFrom(double t, View3d* view);
  /// Shows the camera where the reference leads; a walking robot is followed instead.
  void ShowMotion(View3d* view);

 private:
  const SceneData& scene_;
  ReferenceState state_;
  std::optional<LoopCloser> closer_;
};

}  // namespace civita
