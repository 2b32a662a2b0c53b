#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/model.h"
#include "scenes/scene.h"

namespace civita {

/// References that the config describes, which start at `center` (nq) and fill in what the config
/// leaves open. @throws UserError for what no robot could follow: times that do not grow, jumps, a
/// path out of reach.
std::unique_ptr<Reference> MakeWaypoints(Scene& scene, const Eigen::VectorXd& center);
std::unique_ptr<Reference> MakeFromFile(Scene& scene, const Eigen::VectorXd& center);
std::unique_ptr<Reference> MakeExcitationOf(Scene& scene, const Eigen::VectorXd& center);
std::unique_ptr<Reference> MakeTaskPathOf(Scene& scene, const Eigen::VectorXd& center);
std::unique_ptr<Reference> MakeBody(Scene& scene, const Eigen::VectorXd& center);

/// The site or body `name` of the mjModel, moved by `offset` (m, in its own axes), as a frame of
/// the plant. @throws UserError that lists the names, with `where` before it.
Model::NamedFrame FindFrameOf(const mjModel& m, const Model& plant, const std::string& name,
                              const Eigen::Vector3d& offset, const std::string& where);

/// Tells of joints that the reference would move beyond their limits within the run's duration.
void CheckJointLimits(const Scene& scene, std::vector<std::string>* notices);

}  // namespace civita
