#include <utility>

#include "civita/scenes/motion/reference_types.h"
#include "civita/scenes/schema/config_keys.h"

namespace civita::internal {
namespace {

using C = SceneConfig;
using enum NumberRange;

// Keys at the top of a config, written before the sections,
constexpr KeyRow<C> kFirstKeys[] = {
    {"name", &C::name, "", "short name; default: the file's"},
    {"title", &C::title, "", "display name"},
    {"model", &C::model, "", "MJCF, URDF or chain of screws, relative to this file; required"},
    {"plugins", &C::plugins, "", "shared libraries that add control laws, relative to this file"},
    {"duration_s", &C::duration_s, "s", "length of a headless run", kPositive},
    {"seed", &C::seed, "", "of all random numbers", kNotNegative},
};

// and after them.
constexpr KeyRow<C> kLastKeys[] = {
    {"marks_s", &C::marks_s, "s", "times at which V is tabulated", kNotNegative},
    {"pushes", ListOf<&C::pushes, PushKeys>(), "", ""},
};

}  // namespace

std::vector<BoundKey> BindKeys(SceneConfig* config) {
  return BindKeys(config, {&config->reference, 1});
}

std::vector<BoundKey> BindKeys(SceneConfig* config, std::span<ReferenceConfig> references) {
  std::vector<BoundKey> keys;
  Bind<C>("", kFirstKeys, config, &keys);
  Bind("list", ListKeys(), &config->list, &keys);
  Bind<ControlConfig>("control", ControlKeys(), config, &keys);
  Bind("physics", PhysicsKeys(), &config->physics, &keys);
  Bind("plant", PlantKeys(), &config->plant, &keys);
  Bind("noise", NoiseKeys(), &config->noise, &keys);
  Bind<LawConfig>("controller", LawKeys(), config, &keys);
  Bind("observer", ObserverKeys(), &config->observer, &keys);
  Bind("task", TaskKeys(), &config->task, &keys);
  Bind("robot", RobotKeys(), &config->robot, &keys);
  Bind("legs", LegKeys(), &config->legs, &keys);
  Bind("gait", GaitKeys(), &config->legs.gait, &keys);
  Bind<LawConfig>("", GainKeys(), config, &keys);
  Bind("reference", ReferenceKeys(), &config->reference, &keys);
  for (ReferenceConfig& reference : references) {
    for (BoundKey& key : reference.BindKeys()) {
      key.owner = reference.type().name;
      keys.push_back(std::move(key));
    }
  }
  Bind("initial", InitialKeys(), &config->initial, &keys);
  Bind("ground", GroundKeys(), &config->ground, &keys);
  Bind("payload", PayloadKeys(), &config->payload, &keys);
  Bind("throw", ThrowKeys(), &config->thrown, &keys);
  Bind<C>("", kLastKeys, config, &keys);
  return keys;
}

}  // namespace civita::internal
