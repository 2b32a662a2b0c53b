#include "civita/study/open_scene.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "civita/error.h"
#include "civita/scenes/scene.h"

namespace civita {
namespace {

/// Memory and time of longer runs would be excessive.
constexpr double kMaxSteps = 1e9;

/// read(), whose errors begin with the place of an override, "--set KEY", which may be called
/// otherwise.
template <typename Read>
auto NamePlaces(const OptionNames& called, const std::vector<std::string>& varied,
                const Read& read) {
  constexpr std::string_view kPlace = "--set ";
  try {
    return read();
  } catch (const UserError& error) {
    std::string what = error.what();
    if (!what.starts_with(kPlace)) throw;
    const std::string key = what.substr(kPlace.size(), what.find(": ") - kPlace.size());
    const bool is_varied = std::ranges::find(varied, key) != varied.end();
    what.replace(0, kPlace.size(), !called.as_flags ? "" : is_varied ? "--vary " : "--set ");
    throw UserError(what);
  }
}

void CheckChoice(const SceneChoice& choice) {
  if (choice.duration_s && !(std::isfinite(*choice.duration_s) && *choice.duration_s > 0)) {
    throw UserError(choice.called("duration") + ": not a positive number of seconds");
  }
  if (choice.seed && *choice.seed < 0) {
    throw UserError(choice.called("seed") + ": not a whole number from 0 to 2147483647");
  }
}

}  // namespace

SceneConfig ReadConfig(const SceneChoice& choice, const std::vector<std::string>& varied) {
  CheckChoice(choice);
  return NamePlaces(choice.called, varied, [&] {
    SceneConfig config = ReadConfig(choice.scene, choice.overrides);
    if (choice.duration_s) config.duration_s = *choice.duration_s;
    if (choice.seed) config.seed = *choice.seed;
    return config;
  });
}

std::unique_ptr<Scene> LoadScene(const SceneConfig& config, const OptionNames& called,
                                 const std::vector<std::string>& varied) {
  return NamePlaces(called, varied, [&] { return LoadScene(config); });
}

std::unique_ptr<Scene> OpenScene(const SceneConfig& config, const OptionNames& called,
                                 const std::vector<std::string>& varied) {
  std::unique_ptr<Scene> scene = LoadScene(config, called, varied);
  const double dt = scene->config.mode == ControlMode::kHeld ? 1 / scene->config.rate_hz
                                                             : scene->mj->opt.timestep;
  if (scene->config.duration_s / dt > kMaxSteps) {
    throw UserError(called("duration") + ": more than 1e9 control steps");
  }
  return scene;
}

std::unique_ptr<Scene> OpenScene(const SceneChoice& choice) {
  return OpenScene(ReadConfig(choice), choice.called);
}

}  // namespace civita
