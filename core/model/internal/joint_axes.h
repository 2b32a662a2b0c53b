#pragma once

#include <Eigen/Core>
#include <vector>

#include "core/spatial/internal/tree.h"

namespace civita::internal {

/// R_BZ: the axes Z of a body in which its joint's axis is z; the body's own where the joint has no
/// one axis.
Eigen::Matrix3d JointAxes(const Link& link);

/// The same bodies in those axes, all of one degree of freedom along_z. H, C, Γ and τ are the same.
std::vector<Link> InJointAxes(const std::vector<Link>& links);

}  // namespace civita::internal
