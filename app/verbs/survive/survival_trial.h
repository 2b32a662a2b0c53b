#pragma once

#include <atomic>
#include <optional>

#include "app/verbs/survive/survival.h"
#include "scenes/scene.h"

namespace civita {

/// When the robot of a scene goes on its gait, s; nothing: it stands. @throws UserError that names
/// the scene when its law is none for legs.
std::optional<double> FindGait(const Scene& scene);

/// Runs the scene with this seed up to a push and to the end of the watch after it, see
/// FormatSurvival for all definitions. The seed alone decides friction, direction and time of the
/// push, so that every variant faces the same. @returns nothing when stopped.
std::optional<SurvivalTrial> RunTrial(SceneConfig config, const PushLevel& push, int seed,
                                      const std::atomic<bool>& stop);

}  // namespace civita
