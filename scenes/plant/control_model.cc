#include "civita/scenes/plant/control_model.h"

#include <string>
#include <utility>
#include <vector>

#include "civita/controllers/pseudo_inertia.h"
#include "civita/error.h"
#include "civita/mujoco/convert.h"
#include "civita/scenes/plant/body_inertia.h"
#include "civita/scenes/plant/model_file.h"
#include "civita/scenes/schema/config_values.h"
#include "civita/scenes/schema/yaml_value.h"
#include "civita/suggest.h"

namespace civita {
namespace {

std::vector<std::string> BodyNames(const mjModel& m) {
  std::vector<std::string> names;
  for (int i = 1; i < m.nbody; ++i) names.emplace_back(m.names + m.name_bodyadr[i]);
  return names;
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
  for (int i = 1; i < m.nbody; ++i) {
    believed->body_mass[i] *= config.model_scale;
    for (int k = 0; k < 3; ++k) believed->body_inertia[3 * i + k] *= config.model_scale;
  }
  for (const auto& [body, mass] : estimates) SetBodyInertia(mass, body, believed.get());
  return BuildModel(*believed);
}

}  // namespace civita
