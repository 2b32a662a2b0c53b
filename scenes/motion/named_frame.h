#pragma once

#include <Eigen/Core>
#include <string>

#include "civita/model.h"
#include "civita/scenes/plant/mujoco_fwd.h"

namespace civita {

/// The frame `name` of the plant (a body, a site, or "world"), displaced by `offset` (m, in its own
/// axes). @throws KeyError of `key`, which lists the names.
Model::NamedFrame FindFrameOf(const Model& plant, const std::string& name,
                              const Eigen::Vector3d& offset, const std::string& key);

/// The frame `name` of BuildModel(m) as it is fixed in a body of the mjModel; −1: there is none.
struct MujocoFrame {
  int body = -1;
  Pose X_BF;
};
MujocoFrame FindMujocoFrame(const mjModel& m, const std::string& name);

}  // namespace civita
