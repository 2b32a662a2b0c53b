#include "civita/scenes/plant/plant_errors.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "base/random.h"
#include "civita/controllers/pseudo_inertia.h"
#include "civita/error.h"
#include "civita/mujoco/convert.h"
#include "civita/mujoco/joint_limits.h"
#include "civita/scenes/control/law.h"
#include "civita/scenes/plant/coupling.h"
#include "civita/scenes/plant/payload.h"
#include "civita/scenes/schema/checked.h"
#include "civita/scenes/schema/config_values.h"
#include "civita/scenes/schema/key_error.h"
#include "civita/scenes/schema/key_row.h"
#include "civita/scenes/schema/yaml_value.h"
#include "civita/suggest.h"

namespace civita {
namespace {

void ScaleInertia(double factor, int body, mjModel* m) {
  m->body_mass[body] *= factor;
  for (int k = 0; k < 3; ++k) m->body_inertia[3 * body + k] *= factor;
}

YamlValue ReadEstimates(const std::string& file) {
  YamlValue root = ReadYaml(file);
  if (root.kind != YamlValue::Kind::kMap) {
    throw UserError(root.where + ": estimates are a map from bodies to their inertias, not " +
                    root.Describe());
  }
  return root;
}

std::vector<double> ReadNumbers(const YamlValue& body, const std::string& name, const char* key,
                                size_t count) {
  const YamlValue* value = body.Find(key);
  if (!value) throw UserError(body.where + ": body " + name + " lacks the key '" + key + "'");
  const std::string path = name + "." + key;
  if (count == 1) return {internal::ReadNumber(*value, path, NumberRange::kAny)};
  std::vector<double> numbers = internal::ReadNumbers(*value, path, NumberRange::kAny, false);
  if (numbers.size() == count) return numbers;
  throw UserError(value->where + ": " + path + " must be " + std::to_string(count) + " numbers");
}

MassProperties ReadMass(const YamlValue& body, const std::string& name) {
  if (body.kind != YamlValue::Kind::kMap) {
    throw UserError(body.where + ": body " + name + " must be a map of keys, not " +
                    body.Describe());
  }
  internal::CheckKeys(body, {"mass_kg", "com_m", "inertia_kgm2"});
  MassProperties mass;
  mass.mass = ReadNumbers(body, name, "mass_kg", 1).front();
  mass.com = Eigen::Vector3d(ReadNumbers(body, name, "com_m", 3).data());
  const std::vector<double> I = ReadNumbers(body, name, "inertia_kgm2", 6);
  mass.inertia << I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2];
  const std::string why = WhyNotPhysical(CalcBodyParameters(mass));
  if (!why.empty()) {
    throw UserError(body.where + ": the estimate of body " + name + " is not physical: " + why);
  }
  return mass;
}

}  // namespace

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
    RefuseValue("plant.mass_error",
                " = " + ToYamlText(plant.mass_error) + ": below 1, else a mass could be 0");
  }
  if (plant.mass_scale == 1 && plant.mass_error == 0) return BuildModel(*m);
  Random random(seed, Random::Stream::kPlant);
  for (int i = 1; i < m->nbody; ++i) {
    const double u = plant.mass_error * (2 * random.Uniform() - 1);
    ScaleInertia(plant.mass_scale * (1 + u), i, m);
  }
  const std::unique_ptr<mjData, MjDataDeleter> d(mj_makeData(m));
  mj_setConst(m, d.get());
  return BuildModel(*m);
}

Model BuildControlModel(const LawConfig& config, const mjModel& m, const Model& nominal) {
  if (config.estimate.empty()) return nominal.WithScaledInertia(config.model_scale);
  std::vector<std::pair<int, MassProperties>> estimates;
  for (const YamlValue::Entry& entry : ReadEstimates(config.estimate.string()).entries) {
    const int body = mj_name2id(&m, mjOBJ_BODY, entry.key.c_str());
    if (body <= 0)
      throw UserError(entry.where + ": " + UnknownName("body", entry.key, BodyNames(m)));
    estimates.emplace_back(body, ReadMass(entry.value, entry.key));
  }
  const MjModelPtr believed(mj_copyModel(nullptr, &m));
  CIVITA_CHECK(believed != nullptr);
  for (int i = 1; i < m.nbody; ++i) ScaleInertia(config.model_scale, i, believed.get());
  for (const auto& [body, mass] : estimates) SetBodyInertia(mass, body, believed.get());
  return BuildModel(*believed);
}

Eigen::VectorXd FindSpeedLimits(const std::vector<double>& given, bool is_legged,
                                const mjModel& m) {
  if (!given.empty()) {
    return internal::Spread("plant.speed_limit", given, static_cast<int>(m.nv));
  }
  Eigen::VectorXd limits = Eigen::VectorXd::Constant(m.nv, std::numeric_limits<double>::infinity());
  if (!is_legged || m.nuser_actuator == 0) return limits;
  for (int i = 0; i < m.nactuator; ++i) {
    const double limit = m.actuator_user[m.nuser_actuator * i];
    if (!ActsOnJoint(m, i) || IsDisabledActuator(m, i) || !(limit > 0)) continue;
    const int joint = m.actuator_trnid[2 * i];
    if (!IsScalarJoint(m, joint)) continue;
    double& lowest = limits[m.jnt_dofadr[joint]];
    lowest = std::min(lowest, limit);
  }
  return limits;
}

namespace internal {

void KeepSpeedLimits(const std::map<std::string, double>& limits, mjSpec* spec) {
  for (const auto& [name, limit] : limits) {
    if (mjs_findElement(spec, mjOBJ_JOINT, name.c_str()) == nullptr) continue;
    mjsNumeric* numeric = mjs_addNumeric(spec);
    mjs_setName(numeric->element, VelocityLimitName(name).c_str());
    mjs_setDouble(numeric->data, &limit, 1);
    numeric->size = 1;
  }
}

const double* SpeedLimitOf(mjsElement* joint) {
  const std::string name = VelocityLimitName(mjs_getString(mjs_getName(joint)));
  mjsElement* element = mjs_findElement(mjs_getSpec(joint), mjOBJ_NUMERIC, name.c_str());
  if (element == nullptr) return nullptr;
  int size = 0;
  return mjs_getDouble(mjs_asNumeric(element)->data, &size);
}

}  // namespace internal

}  // namespace civita
