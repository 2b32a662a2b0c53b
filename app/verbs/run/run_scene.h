#pragma once

#include <memory>

#include "app/verbs/run/run.h"
#include "civita/scenes/scene.h"

namespace civita {

/// The config that the options name, with all overrides. @throws UserError.
SceneConfig ReadRunConfig(const RunOptions& options);
std::unique_ptr<Scene> OpenScene(const RunOptions& options);

}  // namespace civita
