#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "civita/model.h"
#include "civita/scenes/motion/motion_context.h"
#include "civita/scenes/motion/reference_config.h"

namespace civita {

/// References that the config describes, which fill in what it leaves open. @throws UserError for
/// what no robot could follow: times that do not grow, jumps, a path out of reach.
std::unique_ptr<Reference> MakeWaypoints(ReferenceConfig& r, const MotionContext& context);
std::unique_ptr<Reference> MakeFromFile(ReferenceConfig& r, const MotionContext& context);
std::unique_ptr<Reference> MakeExcitationOf(ReferenceConfig& r, const MotionContext& context);
std::unique_ptr<Reference> MakeTaskPathOf(ReferenceConfig& r, const MotionContext& context);
std::unique_ptr<Reference> MakeBody(ReferenceConfig& r, const MotionContext& context);

/// The site or body `name` of the mjModel, moved by `offset` (m, in its own axes), as a frame of
/// the plant. @throws KeyError of `key`, which lists the names.
Model::NamedFrame FindFrameOf(const mjModel& m, const Model& plant, const std::string& name,
                              const Eigen::Vector3d& offset, const std::string& key);

/// Tells of joints that the reference would move beyond their limits within the run's duration.
void CheckJointLimits(const mjModel& m, const Model& plant, Reference& reference,
                      const Eigen::VectorXd& q_start, double duration_s,
                      std::vector<std::string>* notices);

}  // namespace civita
