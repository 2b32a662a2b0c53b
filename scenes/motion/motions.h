#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/model.h"
#include "scenes/scene.h"

namespace civita {

/// The reference that the config describes: waypoints, a file, excitation, a path of a frame in the
/// world, or what a legged robot's body does. `center` is where it starts (nq). Fills in what the
/// config leaves open. @throws UserError for what no robot could follow: times that do not grow,
/// jumps, a path out of reach.
std::unique_ptr<Reference> MakeMotion(Scene& scene, const Eigen::VectorXd& center);

/// The site or body `name` of the mjModel, moved by `offset` (m, in its own axes), as a frame of
/// the plant. @throws UserError that lists the names, with `where` before it.
Model::NamedFrame FindFrameOf(const mjModel& m, const Model& plant, const std::string& name,
                              const Eigen::Vector3d& offset, const std::string& where);

/// Tells of joints that the reference would move beyond their limits within the run's duration.
void CheckJointLimits(const Scene& scene, std::vector<std::string>* notices);

}  // namespace civita
