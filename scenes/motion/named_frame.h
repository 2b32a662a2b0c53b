#pragma once

#include <Eigen/Core>
#include <string>

#include "civita/model.h"
#include "civita/scenes/plant/mujoco_fwd.h"

namespace civita {

/// The site or body `name` of the mjModel, displaced by `offset` (m, in its own axes), as a frame
/// of the plant. @throws KeyError of `key`, which lists the names.
Model::NamedFrame FindFrameOf(const mjModel& m, const Model& plant, const std::string& name,
                              const Eigen::Vector3d& offset, const std::string& key);

}  // namespace civita
