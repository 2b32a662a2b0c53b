#pragma once

#include <mujoco/mujoco.h>

#include <optional>

#include "civita/constraint.h"

namespace civita {

/// The constraints that the active equalities `connect`, `weld` (between bodies or sites) and
/// `joint` of an mjModel are, and those `tendon` that couple two joints, for `model`, which is that
/// of BuildModel. Empty if equalities are disabled. @throws UserError for an active equality of
/// another kind (other tendons, flexes), or between joints that are not hinges or slides; it names
/// the equality.
Constraints ReadConstraints(const mjModel& mj, const Model& model);

/// That of two joints, or the fixed place of one, which an equality of kind `joint` or of fixed
/// tendons (`tendon`) means: a tendon over two joints that has a constant length, or one over one
/// joint that follows another such; nullopt for others. Of a tendon's two joints that of the
/// smaller coefficient, which moves more, follows. @throws UserError for joints that are not hinges
/// or slides.
std::optional<JointConstraint> ReadJointConstraint(const mjModel& mj, int equality);

/// Whether the equality is active at the start and no flag of the model disables it.
bool ActsFromStart(const mjModel& mj, int equality);

}  // namespace civita
