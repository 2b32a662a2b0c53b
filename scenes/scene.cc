#include "scenes/scene.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "core/error.h"
#include "core/kinematics.h"
#include "core/mujoco/convert.h"
#include "core/rnea.h"
#include "core/suggest.h"
#include "core/workspace.h"
#include "scenes/checked.h"
#include "scenes/control_model.h"
#include "scenes/coupling.h"
#include "scenes/motions.h"
#include "scenes/start.h"
#include "scenes/text.h"
#include "scenes/yaml_value.h"

namespace civita {
namespace {

using internal::AsVector;
using internal::CheckedPosition;
using internal::CheckLength;
using internal::Spread;

constexpr double kMostSubsteps = 1e6;

// MuJoCo compiles them whatever they are.
void CheckNumbers(const SceneConfig& config, const mjModel& m) {
  const auto refuse = [&config](const std::string& what) {
    throw UserError(config.model.string() + ": " + what);
  };
  if (!(m.opt.timestep > 0) || !std::isfinite(m.opt.timestep)) {
    refuse("the timestep must be a number > 0, not " + ToYamlText(m.opt.timestep));
  }
  const int key = mj_name2id(&m, mjOBJ_KEY, "home");
  for (int i = 0; key >= 0 && i < m.nq; ++i) {
    const double q = m.key_qpos[m.nq * key + i];
    if (std::abs(q) < mjMAXVAL) continue;
    refuse("the keyframe home has " + ToYamlText(q) + " in qpos, which MuJoCo cannot simulate");
  }
}

// The control period must be a whole multiple of the timestep.
void SettleRate(Scene* scene) {
  SceneConfig& config = scene->config;
  const double timestep = scene->mj->opt.timestep;
  if (config.mode == ControlMode::kEveryStage) {
    config.rate_hz = 1 / timestep;
    return;
  }
  const double ratio = 1 / (config.rate_hz * timestep);
  const double whole = std::max(1.0, std::round(ratio));
  if (whole > kMostSubsteps) {
    throw UserError(config.Where("physics.timestep_s") + ": a control period of " +
                    ToYamlText(1 / config.rate_hz) + " s takes more than 1e6 timesteps of " +
                    ToYamlText(timestep) + " s");
  }
  if (std::abs(ratio / whole - 1) < 1e-6) return;
  if (config.places.contains("control.rate_hz")) {
    throw UserError(config.Where("control.rate_hz") +
                    ": control.rate_hz = " + ToYamlText(config.rate_hz) +
                    ": the control period must be a whole multiple of the timestep, which is " +
                    ToYamlText(timestep) + " s" +
                    (config.timestep_s ? " (physics.timestep_s)" : " in the model"));
  }
  config.rate_hz = 1 / (whole * timestep);
  scene->notices.push_back("control runs at " + ToYamlText(config.rate_hz) +
                           " Hz, which the model's timestep allows");
}

ObserverOptions MakeObserver(const SceneConfig& config, int nv) {
  const SceneConfig::ObserverConfig& observer = config.observer;
  if (observer.gain.empty()) {
    const char* key = observer.compensate ? "observer.compensate" : "observer.threshold";
    if (!observer.compensate && observer.threshold.empty()) return {};
    throw UserError(config.Where(key) + ": " + key + " needs observer.gain: there is no observer");
  }
  ObserverOptions options;
  options.K_I = Spread(config, "observer.gain", observer.gain, nv);
  if (!observer.threshold.empty()) {
    options.threshold = Spread(config, "observer.threshold", observer.threshold, nv);
  }
  options.compensate = observer.compensate;
  return options;
}

// What a law refuses begins with the key.
std::unique_ptr<Controller> MakeLaw(const ControllerOptions& options, const Scene& scene) {
  try {
    return FindControllerType(scene.config.controller).make(scene.control_model, options);
  } catch (const UserError& error) {
    const std::string what = error.what();
    throw UserError(scene.config.Where(what.substr(0, what.find(':'))) + ": " + what);
  }
}

void MakeController(Scene* scene) {
  SceneConfig& config = scene->config;
  const int nv = scene->control_model.nv();
  ControllerOptions options;
  options.adapt = {config.metric == "euclidean" ? AdaptMetric::kEuclidean : AdaptMetric::kLogDet,
                   config.adapt_bodies, config.deadzone_J};
  options.observer = MakeObserver(config, nv);
  options.gain_form = config.gain_form;
  options.q_start = scene->q_start;
  try {
    options.factorization =
        Factorization::Parse(config.factorization, scene->control_model, config.directory);
  } catch (const UserError& error) {
    throw UserError(config.Where("controller.factorization") + ": controller." + error.what());
  }
  if (options.factorization.joint_injection &&
      !options.factorization.joint_injection->file.empty()) {
    std::string& file = options.factorization.joint_injection->file;
    file = (config.directory / file).lexically_normal().string();
  }
  config.factorization = options.factorization.ToString();
  scene->controller = MakeLaw(options, *scene);
  for (const ParameterInfo& gain : scene->controller->parameters()) {
    const auto given = config.gains.find(std::string(gain.key));
    if (given == config.gains.end()) continue;
    const int size = gain.shape == GainShape::kScalar ? 1 : nv;
    scene->controller->set_gain(gain.key,
                                Spread(config, "gains." + given->first, given->second, size));
  }
}

void MakeReference(const Eigen::VectorXd& center, Scene* scene) {
  SceneConfig& config = scene->config;
  SceneConfig::ReferenceConfig& r = config.reference;
  const Model& model = scene->plant;
  const int nv = model.nv();
  if (r.type == "hold") {
    scene->reference = MakeHold(model, center);
  } else if (r.type == "sinusoid") {
    FillGentleSinusoid(*scene->mj, scene->actuation, scene->couplings, center, &r);
    scene->reference =
        MakeSinusoid(model, center, Spread(config, "reference.amplitude", r.amplitude, nv),
                     Spread(config, "reference.frequency_hz", r.frequency_hz, nv),
                     Spread(config, "reference.phase", r.phase, nv), r.fade_s);
  } else if (r.type == "quintic") {
    scene->reference = MakeQuintic(model, center, CheckedPosition(*scene, "reference.to", r.to),
                                   r.start_s, r.duration_s, r.repeat);
  } else if (r.type != "line") {
    scene->reference = MakeMotion(*scene, center);
  } else {
    if (r.coordinate >= nv) {
      throw UserError(config.Where("reference.coordinate") + ": reference.coordinate is " +
                      std::to_string(r.coordinate) + ", the model has nv = " + std::to_string(nv) +
                      " (counted from 0)");
    }
    scene->reference = MakeLine(model, center, r.coordinate);
  }
  if (!scene->couplings.empty()) {
    scene->reference = MakeCoupled(std::move(scene->reference), scene->couplings);
  }
}

void MakeStart(const Eigen::VectorXd& center, Scene* scene) {
  const SceneConfig& config = scene->config;
  const int nv = scene->plant.nv();
  ReferenceState at_start{center, Eigen::VectorXd::Zero(nv), Eigen::VectorXd::Zero(nv)};
  scene->reference->Sample(0, at_start);
  scene->v_start = at_start.v;
  if (config.initial_v) {
    CheckLength(config, "initial.v", config.initial_v->size(), nv, "nv");
    scene->v_start = AsVector(*config.initial_v);
  }
  if (config.initial_v_error) {
    if (config.initial_v) {
      throw UserError(config.Where("initial.v_error") +
                      ": initial.v_error: initial.v is given, too; give one of them");
    }
    CheckLength(config, "initial.v_error", config.initial_v_error->size(), nv, "nv");
    scene->v_start += AsVector(*config.initial_v_error);
  }
}

// Says where the effort limits cannot even hold the robot at its start.
void CheckGravity(Scene* scene) {
  const Model& model = scene->plant;
  Workspace<double> workspace(model);
  Eigen::VectorXd g(model.nv());
  UpdateKinematics(model, scene->q_start, workspace);
  CalcGravityForces<double>(model, workspace, g);
  std::vector<std::string> weak;
  for (int iv = 0; iv < model.nv(); ++iv) {
    const bool held =
        g[iv] >= scene->actuation.lower()[iv] && g[iv] <= scene->actuation.upper()[iv];
    if (!held && !scene->actuation.is_passive(iv)) {
      weak.push_back(scene->velocity_names[static_cast<size_t>(iv)]);
    }
  }
  if (!weak.empty()) {
    scene->notices.push_back("the effort limits cannot hold the start against gravity: " +
                             internal::List(weak));
  }
}

void MakePushes(Scene* scene) {
  std::vector<std::string> names;
  for (int i = 1; i < scene->mj->nbody; ++i) {
    const char* name = mj_id2name(scene->mj.get(), mjOBJ_BODY, i);
    if (name != nullptr && *name != '\0') names.emplace_back(name);
  }
  for (size_t i = 0; i < scene->config.pushes.size(); ++i) {
    const SceneConfig::PushConfig& push = scene->config.pushes[i];
    const int body = mj_name2id(scene->mj.get(), mjOBJ_BODY, push.body.c_str());
    if (body <= 0) {
      const std::string key = "pushes." + std::to_string(i) + ".body";
      throw UserError(scene->config.Where(key) + ": " + UnknownName("body", push.body, names));
    }
    scene->pushes.push_back({body, push.start_s, push.duration_s, AsVector(push.force)});
  }
}

Model BuildPlant(const SceneConfig& config, const mjModel& mj) {
  try {
    return BuildModel(mj);
  } catch (const UserError& error) {
    throw UserError(config.model.string() + ": " + error.what());
  }
}

}  // namespace

Scene::Scene(SceneConfig config_in, MjModelPtr mj_in)
    : config(std::move(config_in)),
      mj(std::move(mj_in)),
      plant(BuildPlant(config, *mj)),
      control_model(BuildControlModel(config, *mj, plant)) {
  for (int iv = 0; iv < plant.nv(); ++iv) velocity_names.push_back(plant.VelocityName(iv));
}

std::unique_ptr<Scene> LoadScene(const SceneConfig& config) {
  std::vector<std::string> notices = config.notices;
  const bool grasps = !config.payload.body.empty();
  MjModelPtr mj = LoadModelFile(config.model, config.timestep_s, config.contacts, &notices,
                                grasps ? DrawPayload(config) : SpecEdit());
  auto scene = std::make_unique<Scene>(config, std::move(mj));
  scene->notices = std::move(notices);
  CheckNumbers(scene->config, *scene->mj);
  scene->actuation = Actuation::Make(scene->mj.get(), &scene->notices);
  scene->couplings = FindCouplings(*scene->mj, &scene->notices);
  SettleRate(scene.get());

  const Eigen::VectorXd center =
      FindStart(*scene->mj, scene->plant, scene->couplings, &scene->notices);
  scene->q_start =
      config.initial_q ? CheckedPosition(*scene, "initial.q", *config.initial_q) : center;
  MakeController(scene.get());
  MakeReference(center, scene.get());
  CheckJointLimits(*scene, &scene->notices);
  MakeStart(center, scene.get());
  CheckGravity(scene.get());
  MakePushes(scene.get());
  if (grasps) scene->payload = GraspPayload(*scene->mj, scene->config);
  scene->model_hash = HashModel(*scene->mj);
  return scene;
}

}  // namespace civita
