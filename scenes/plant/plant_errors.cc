#include "civita/scenes/plant/plant_errors.h"

#include <string>

#include "base/random.h"
#include "civita/mujoco/convert.h"
#include "civita/scenes/plant/model_file.h"
#include "civita/scenes/schema/key_error.h"
#include "civita/scenes/schema/key_row.h"
#include "civita/scenes/schema/yaml_value.h"

namespace civita {

std::span<const KeyRow<PlantConfig>> PlantKeys() {
  using C = PlantConfig;
  using enum NumberRange;
  static constexpr Choice<LoopForm> kLoops[] = {{"soft", LoopForm::kSoft},
                                                {"exact", LoopForm::kExact}};
  static constexpr KeyRow<C> kKeys[] = {
      {"mass_scale", &C::mass_scale, "", "factor on the model file's masses and inertias",
       kPositive},
      {"mass_error", &C::mass_error, "",
       "further factor 1 + u for each body, u uniform within ± this, by seed; below 1",
       kNotNegative},
      {"speed_limit", OneOrAll{&C::speed_limit}, "rad/s, m/s",
       "torque along the motion fades to 0 from 0.9 to 1 of it; default: the legged robot's own",
       kPositive},
      {"loops", OneOf<&C::loops, kLoops>(), "",
       "of closed chains: MuJoCo's soft constraints, or exact, in independent velocities"},
  };
  return kKeys;
}

Model BuildTruePlant(const PlantConfig& plant, int seed, mjModel* m) {
  if (plant.mass_error >= 1) {
    throw KeyError("plant.mass_error", "plant.mass_error = " + ToYamlText(plant.mass_error) +
                                           ": below 1, else a mass could be 0");
  }
  if (plant.mass_scale == 1 && plant.mass_error == 0) return BuildModel(*m);
  Random random(seed, Random::Stream::kPlant);
  for (int i = 1; i < m->nbody; ++i) {
    const double u = plant.mass_error * (2 * random.Uniform() - 1);
    const double factor = plant.mass_scale * (1 + u);
    m->body_mass[i] *= factor;
    for (int k = 0; k < 3; ++k) m->body_inertia[3 * i + k] *= factor;
  }
  const std::unique_ptr<mjData, MjDataDeleter> d(mj_makeData(m));
  mj_setConst(m, d.get());
  return BuildModel(*m);
}

}  // namespace civita
