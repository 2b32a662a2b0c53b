#include "civita/scenes/plant/plant_errors.h"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
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
#include "civita/scenes/plant/model_file.h"
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

Model BuildTruePlant(const PlantConfig& plant, int seed, const Model& nominal, mjModel* m) {
  if (plant.mass_error >= 1) {
    RefuseValue("plant.mass_error",
                " = " + ToYamlText(plant.mass_error) + ": below 1, else a mass could be 0");
  }
  if (plant.mass_scale == 1 && plant.mass_error == 0) return nominal;
  Random random(seed, Random::Stream::kPlant);
  for (int i = 1; i < m->nbody; ++i) {
    const double u = plant.mass_error * (2 * random.Uniform() - 1);
    ScaleInertia(plant.mass_scale * (1 + u), i, m);
  }
  const std::unique_ptr<mjData, MjDataDeleter> d(mj_makeData(m));
  mj_setConst(m, d.get());
  return BuildModel(*m);
}

void SetBodyInertia(const MassProperties& mass, int body, mjModel* m) {
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> principal(mass.inertia);
  Eigen::Matrix3d axes = principal.eigenvectors();
  if (axes.determinant() < 0) axes.col(2) *= -1;
  const Eigen::Quaterniond q(axes);
  m->body_mass[body] = mass.mass;
  Eigen::Map<Eigen::Vector3d>(m->body_ipos + 3 * body) = mass.com;
  Eigen::Map<Eigen::Vector3d>(m->body_inertia + 3 * body) = principal.eigenvalues();
  Eigen::Map<Eigen::Vector4d>(m->body_iquat + 4 * body) << q.w(), q.x(), q.y(), q.z();
  m->body_sameframe[body] = mjSAMEFRAME_NONE;
}

Model BuildControlModel(const LawConfig& config, const mjModel& m, const Model& nominal) {
  if (config.estimate.empty()) {
    return config.model_scale == 1 ? nominal : nominal.WithScaledInertia(config.model_scale);
  }
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

}  // namespace civita
