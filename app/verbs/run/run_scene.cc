#include "app/verbs/run/run_scene.h"

#include <cmath>

#include "civita/error.h"

namespace civita {
namespace {

/// Maximum number of control steps: memory and time of longer runs would be excessive.
constexpr double kMaxSteps = 1e9;

}  // namespace

SceneConfig ReadRunConfig(const RunOptions& options) {
  SceneConfig config = ReadConfig(options.scene, options.overrides);
  if (options.duration_s) config.duration_s = *options.duration_s;
  if (options.seed) config.seed = *options.seed;
  return config;
}

std::unique_ptr<Scene> OpenScene(const RunOptions& options) {
  std::unique_ptr<Scene> scene = LoadScene(ReadRunConfig(options));
  const double dt = scene->config.mode == ControlMode::kHeld ? 1 / scene->config.rate_hz
                                                             : scene->mj->opt.timestep;
  if (scene->config.duration_s / dt > kMaxSteps) {
    throw UserError("--duration: more than 1e9 control steps");
  }
  return scene;
}

}  // namespace civita
