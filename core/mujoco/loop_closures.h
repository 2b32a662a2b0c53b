#pragma once

#include <mujoco/mujoco.h>

#include <optional>

#include "civita/loop_closures.h"

namespace civita {

/// Loop closures of the active equalities `connect`, `weld` (between bodies or sites) and `joint`
/// of an mjModel, and those `tendon` that couple two joints, for the Model of BuildModel. Empty if
/// equalities are disabled. @throws UserError for an active equality of another kind (other
/// tendons, flexes), or between joints that are not hinges or slides; it names the equality.
LoopClosures ReadLoopClosures(const mjModel* mj);

/// The coupling of two joints, or the fixed place of one, that an equality of kind `joint` or of
/// fixed tendons (`tendon`) means: a tendon over two joints that has a constant length, or one over
/// one joint that follows another such; nullopt for others. Of a tendon's two joints that of the
/// smaller coefficient, which moves more, follows. @throws UserError for joints that are not hinges
/// or slides.
std::optional<JointClosure> ReadCoupling(const mjModel& mj, int equality);

/// Whether the equality is active at the start and no flag of the model disables it.
bool ActsFromStart(const mjModel& mj, int equality);

}  // namespace civita
