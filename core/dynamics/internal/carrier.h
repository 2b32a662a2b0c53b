#pragma once

#include "civita/error.h"
#include "core/dynamics/internal/scratch.h"
#include "core/spatial/internal/eigen.h"

// The bodies that carry frames.

namespace civita::internal {

inline void CheckFrame(const Model& model, const Model::NamedFrame& frame) {
  CIVITA_CHECK(frame.body >= -1 && frame.body < model.num_bodies(),
               "frame '" << frame.name << "' is on body " << frame.body << ", the model has "
                         << model.num_bodies());
}

/// The scratch of the workspace, checked by CheckState, after UpdatePath to each frame.
template <typename T, typename... Frame>
Scratch<T>& RequirePaths(const Model& model, Workspace<T>& workspace, Stage needed,
                         const char* function, const Frame&... frames) {
  Scratch<T>& scratch = RequireState(model, workspace, needed, function);
  (CheckFrame(model, frames), ...);
  (UpdatePath(TreeOf(model), frames.body, scratch), ...);
  return scratch;
}

/// The body that carries the frame, none for one that is fixed in the world.
template <typename T>
const typename Kinematics<T>::Body* Carrier(const Model::NamedFrame& frame, const Scratch<T>& s) {
  return frame.body < 0 ? nullptr : &s.bodies[frame.body];
}

/// The point, from the reference point of its tree.
template <typename T>
V3<T> PointFromReference(const FramePoint& at, const typename Kinematics<T>::Body& carrier) {
  const Eigen::Vector3d point_B = at.frame.X_BF.R * at.point + at.frame.X_BF.p;
  return carrier.r + carrier.R_WB * Cast<T>(ToV3(point_B));
}

}  // namespace civita::internal
