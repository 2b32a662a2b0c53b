#pragma once

#include <memory>

#include "app/verbs/run/run.h"
#include "civita/scenes/scene.h"

namespace civita {

/// Reads and builds what the options name, with all that they override. @throws UserError.
SceneConfig ReadRunConfig(const RunOptions& options);
std::unique_ptr<Scene> OpenScene(const RunOptions& options);

}  // namespace civita
