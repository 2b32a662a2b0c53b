#include "scenes/scene.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "core/cluster_kinematics.h"
#include "core/error.h"
#include "core/kinematics.h"
#include "core/mujoco/convert.h"
#include "core/rnea.h"
#include "core/suggest.h"
#include "core/workspace.h"
#include "scenes/motion/motions.h"
#include "scenes/motion/reference_types.h"
#include "scenes/plant/closed_chain.h"
#include "scenes/plant/control_model.h"
#include "scenes/plant/coupling.h"
#include "scenes/plant/ground.h"
#include "scenes/plant/legged_urdf.h"
#include "scenes/plant/legs.h"
#include "scenes/plant/plant_errors.h"
#include "scenes/plant/speed_limits.h"
#include "scenes/plant/start.h"
#include "scenes/plant/stiffness.h"
#include "scenes/registry.h"
#include "scenes/schema/checked.h"
#include "scenes/schema/text.h"
#include "scenes/schema/yaml_value.h"

namespace civita {
namespace {

using internal::AsVector;
using internal::CheckedPosition;
using internal::CheckLength;
using internal::Spread;

constexpr double kMostSubsteps = 1e6;
constexpr double kMostDelay = 1000;  // control periods

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
                    (config.physics.timestep_s ? " (physics.timestep_s)" : " in the model"));
  }
  config.rate_hz = 1 / (whole * timestep);
  scene->notices.push_back("control runs at " + ToYamlText(config.rate_hz) +
                           " Hz, which the model's timestep allows");
}

ObserverOptions MakeObserver(const SceneConfig& config, int nv) {
  const ObserverConfig& observer = config.observer;
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
    return FindLaw(scene.config.controller).make(scene.control_model, options);
  } catch (const UserError& error) {
    const std::string what = error.what();
    throw UserError(scene.config.Where(what.substr(0, what.find(':'))) + ": " + what);
  }
}

// A law that counts steps has no rate for the stages of a step.
void CheckMode(const SceneConfig& config) {
  if (config.mode != ControlMode::kEveryStage || !FindLaw(config.controller).is_discrete) return;
  throw UserError(config.Where("control.mode") + ": control.mode every_stage: controller.type " +
                  config.controller + " counts control steps; valid: held");
}

// Sensors are sampled at control steps, and drives are late by whole ones.
void CheckSensors(const SceneConfig& config) {
  const std::pair<const char*, double> given[] = {
      {"control.delay_s", config.delay_s},
      {"control.encoder_resolution", config.encoder_resolution},
      {"control.velocity_filter_hz", config.velocity_filter_hz},
      {"control.actuation_delay_s", config.actuation_delay_s},
      {"noise.joint_position", config.noise.joint_position},
      {"noise.joint_velocity", config.noise.joint_velocity},
      {"noise.orientation_rad", config.noise.orientation},
      {"noise.angular_velocity", config.noise.angular_velocity},
      {"noise.position_m", config.noise.position},
      {"noise.velocity", config.noise.velocity}};
  for (const auto& [key, value] : given) {
    if (value == 0 || config.mode == ControlMode::kHeld) continue;
    throw UserError(config.Where(key) + ": " + key +
                    " needs control.mode held; in every_stage the law sees the motion itself");
  }
  for (const auto& [key, delay_s] :
       {std::pair("control.delay_s", config.delay_s),
        std::pair("control.actuation_delay_s", config.actuation_delay_s)}) {
    const double steps = delay_s * config.rate_hz;
    if (std::abs(steps - std::round(steps)) <= 1e-6 && steps <= kMostDelay) continue;
    throw UserError(config.Where(key) + ": " + key + " = " + ToYamlText(delay_s) +
                    ": a whole number of control periods, which are " +
                    ToYamlText(1 / config.rate_hz) + " s, up to " + ToYamlText(kMostDelay) +
                    " of them");
  }
}

// The frame that the law moves, its name filled in.
TaskFrame FindTask(Scene* scene) {
  TaskConfig& task = scene->config.task;
  const ReferenceConfig& r = scene->config.reference;
  if (task.frame.empty() && FindReferenceType(r.type)->moves_frame) {
    task.frame = r.frame;
    task.offset = r.offset;
  }
  if (task.frame.empty()) task.frame = scene->plant.frames().back().name;
  if (task.offset.size() != 3) {
    throw UserError(scene->config.Where("task.offset_m") + ": task.offset_m must be 3 numbers");
  }
  return {FindFrameOf(*scene->mj, scene->plant, task.frame, AsVector(task.offset),
                      scene->config.Where("task.frame")),
          task.kind};
}

// Whether the law moves a frame.
bool HasTask(const SceneConfig& config) {
  return FindLaw(config.controller).MovesFrame(config.law_options);
}

// The laws that move a frame, and those that do with one of their options chosen so.
std::string ListTaskLaws() {
  std::string list;
  const auto add = [&list](const std::string& law) { list += (list.empty() ? "" : ", or ") + law; };
  for (const LawInfo* law : Laws()) {
    if (law->MovesFrame({})) add(std::string(law->type));
  }
  for (const LawInfo* law : Laws()) {
    if (law->MovesFrame({})) continue;
    for (const OptionInfo& option : law->options) {
      const std::string key(option.key);
      for (const std::string_view choice : option.choices) {
        if (!law->MovesFrame({{key, std::string(choice)}})) continue;
        add(std::string(law->type) + " with controller." + key + " " + std::string(choice));
      }
    }
  }
  return list;
}

// A law of the joints would stand still beside a path of a frame.
void CheckTaskPath(const SceneConfig& config) {
  if (!FindReferenceType(config.reference.type)->moves_frame || HasTask(config)) return;
  throw UserError(config.Where("reference.type") + ": reference.type " + config.reference.type +
                  " moves a frame, which controller.type " + config.controller +
                  " cannot follow; valid: " + ListTaskLaws());
}

void MakeController(Scene* scene) {
  SceneConfig& config = scene->config;
  const int nv = scene->control_model.nv();
  ControllerOptions options;
  config.law_options.Complete(FindLaw(config.controller).options);
  for (const std::string& plugin :
       FindPluginsOf(FindLaw(config.controller), *FindReferenceType(config.reference.type))) {
    if (std::ranges::find(config.plugins, plugin) != config.plugins.end()) continue;
    config.plugins.push_back(plugin);  // so that the config alone gives the same run
  }
  options.own = config.law_options;
  options.observer = MakeObserver(config, nv);
  options.gain_form = config.gain_form;
  options.q_start = scene->q_start;
  options.closed = scene->closed;
  options.legs = scene->legs;
  for (int iv = 0; iv < scene->plant.nv(); ++iv) {
    options.passive.push_back(scene->actuation.is_passive(iv));
  }
  try {
    options.factorization = Factorization::Parse(config.factorization, scene->control_model,
                                                 config.DirectoryOf("controller.factorization"));
  } catch (const UserError& error) {
    throw UserError(config.Where("controller.factorization") + ": controller." + error.what());
  }
  if (options.factorization.joint_injection &&
      !options.factorization.joint_injection->file.empty()) {
    std::string& file = options.factorization.joint_injection->file;
    file = (config.DirectoryOf("controller.factorization") / file).lexically_normal().string();
  }
  config.factorization = options.factorization.ToString();
  if (HasTask(config)) options.task = FindTask(scene);
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
  scene->reference = FindReferenceType(scene->config.reference.type)->make(*scene, center);
  CheckTaskPath(scene->config);
  if (!scene->couplings.empty()) {
    scene->reference = MakeCoupled(std::move(scene->reference), scene->couplings);
  }
}

// The loops closed, the independent coordinates as given.
Eigen::VectorXd CloseStart(const Scene& scene, Eigen::VectorXd q) {
  if (!scene.closed) return q;
  ClusterWorkspace<double> workspace(*scene.closed);
  const ClusterStatus status = CloseLoops(*scene.closed, workspace, q);
  if (status.ok()) return q;
  throw UserError(scene.config.Where("initial.q") +
                  ": initial.q: " + Describe(*scene.closed, status));
}

// The velocity that the loops allow, the independent velocities as given.
Eigen::VectorXd CloseVelocity(const Scene& scene, Eigen::VectorXd v) {
  if (!scene.closed) return v;
  ClusterWorkspace<double> workspace(*scene.closed);
  Eigen::VectorXd w(scene.closed->nw());
  for (Eigen::Index a = 0; a < w.size(); ++a) {
    w[a] = v[scene.closed->independent()[static_cast<size_t>(a)]];
  }
  const ClusterStatus status = UpdateKinematics<double>(*scene.closed, scene.q_start, w, workspace);
  if (!status.ok()) {
    throw UserError(scene.config.Where("initial.q") +
                    ": the start: " + Describe(*scene.closed, status));
  }
  CalcTreeVelocity<double>(*scene.closed, w, workspace, v);
  return v;
}

void MakeStart(const Eigen::VectorXd& center, Scene* scene) {
  const SceneConfig& config = scene->config;
  const int nv = scene->plant.nv();
  ReferenceState at_start{center, Eigen::VectorXd::Zero(nv), Eigen::VectorXd::Zero(nv)};
  scene->reference->Sample(0, at_start);
  if (scene->closed) LoopCloser(scene->closed).Close(center, at_start);
  scene->v_start = at_start.v;
  if (config.initial.v) {
    CheckLength(config, "initial.v", config.initial.v->size(), nv, "nv");
    scene->v_start = CloseVelocity(*scene, AsVector(*config.initial.v));
  }
  if (config.initial.v_error) {
    if (config.initial.v) {
      throw UserError(config.Where("initial.v_error") +
                      ": initial.v_error: initial.v is given, too; give one of them");
    }
    CheckLength(config, "initial.v_error", config.initial.v_error->size(), nv, "nv");
    scene->v_start = CloseVelocity(*scene, scene->v_start + AsVector(*config.initial.v_error));
  }
}

// Says where the effort limits cannot even hold the robot at its start.
void CheckGravity(Scene* scene) {
  if (scene->closed) return;  // loops pass loads on
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

void CheckStiffness(Scene* scene) {
  const Controller& law = *scene->controller;
  const auto parameters = law.parameters();
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].key != "K_D") continue;
    const std::string notice = DescribeStiffness(*scene, law, law.gain(static_cast<int>(i)));
    if (!notice.empty()) scene->notices.push_back(notice);
  }
}

void MakePushes(Scene* scene) {
  std::vector<std::string> names;
  for (int i = 1; i < scene->mj->nbody; ++i) {
    const char* name = mj_id2name(scene->mj.get(), mjOBJ_BODY, i);
    if (name != nullptr && *name != '\0') names.emplace_back(name);
  }
  const double dt = 1 / scene->config.rate_hz;
  for (size_t i = 0; i < scene->config.pushes.size(); ++i) {
    const PushConfig& given = scene->config.pushes[i];
    const std::string key = "pushes." + std::to_string(i);
    const int base = FindFreeBody(*scene->mj);
    const int body = mj_name2id(scene->mj.get(), mjOBJ_BODY, given.body.c_str());
    if (given.body.empty() && base < 0) {
      throw UserError(scene->config.Where(key) + ": " + key + " lacks the key 'body'");
    }
    if (!given.body.empty() && body <= 0) {
      throw UserError(scene->config.Where(key + ".body") + ": " +
                      UnknownName("body", given.body, names));
    }
    Push push{.body = given.body.empty() ? base : body,
              .start_s = given.start_s,
              .duration_s = given.duration_s,
              .shape = given.shape,
              .of_tree = given.body.empty()};
    push.force = given.impulse.empty() ? Eigen::Vector3d(AsVector(given.force))
                                       : CalcForceOfImpulse(push, AsVector(given.impulse), dt);
    scene->pushes.push_back(push);
  }
}

Model BuildNominal(const SceneConfig& config, const mjModel& mj) {
  try {
    return BuildModel(mj);
  } catch (const UserError& error) {
    throw UserError(config.model.string() + ": " + error.what());
  }
}

MjModelPtr LoadModelOf(const SceneConfig& config, std::vector<std::string>* notices) {
  const SpecEdit edit = [&config](mjSpec* spec, bool urdf) {
    if (config.robot.floating_base) AdaptLeggedUrdf(config, urdf, spec);
    AddFootBalls(config, spec);
    MakeGround(config)(spec, urdf);
    if (!config.payload.body.empty()) DrawPayload(config)(spec, urdf);
  };
  return LoadModelFile(config.model, config.physics.timestep_s, config.physics.contacts, notices,
                       edit, config.robot.floating_base);
}

}  // namespace

Scene::Scene(SceneConfig config_in, MjModelPtr mj_in)
    : config(std::move(config_in)),
      mj(std::move(mj_in)),
      control_model(BuildControlModel(config, *mj, BuildNominal(config, *mj))),
      plant(BuildTruePlant(config, mj.get())) {
  for (int iv = 0; iv < plant.nv(); ++iv) velocity_names.push_back(plant.VelocityName(iv));
}

std::unique_ptr<Scene> LoadScene(const SceneConfig& config) {
  std::vector<std::string> notices = config.notices;
  const bool grasps = !config.payload.body.empty();
  MjModelPtr mj = LoadModelOf(config, &notices);
  auto scene = std::make_unique<Scene>(config, std::move(mj));
  scene->notices = std::move(notices);
  CheckNumbers(scene->config, *scene->mj);
  CheckMode(scene->config);
  scene->actuation = Actuation::Make(scene->mj.get(), &scene->notices);
  scene->actuation.set_speed_max(FindSpeedLimits(scene->config, *scene->mj));
  std::vector<std::string> unknown;
  scene->couplings = FindCouplings(*scene->mj, &unknown);
  SettleRate(scene.get());
  CheckSensors(scene->config);

  Eigen::VectorXd center =
      FindStart(config, *scene->mj, scene->plant, scene->couplings, &scene->notices);
  scene->closed = FindClosedChains(*scene->mj, scene->control_model, scene->actuation, &center,
                                   &scene->notices);
  if (!scene->closed || !FindLaw(scene->config.controller).knows_loops) {
    scene->notices.insert(scene->notices.end(), unknown.begin(), unknown.end());
  }
  scene->legs = FindLegs(scene->config, *scene->mj, scene->control_model, scene->actuation);
  if (scene->legs && !config.initial.joints.empty()) {
    SetOnFloor(scene->plant, *scene->legs, &center);
  }
  scene->q_home = scene->q_start = center;
  if (config.initial.q) {
    scene->q_start = CloseStart(*scene, CheckedPosition(*scene, "initial.q", *config.initial.q));
  }
  MakeController(scene.get());
  MakeReference(center, scene.get());
  CheckJointLimits(*scene, &scene->notices);
  MakeStart(center, scene.get());
  CheckGravity(scene.get());
  CheckStiffness(scene.get());
  MakePushes(scene.get());
  if (grasps) scene->payload = GraspPayload(*scene->mj, scene->config);
  scene->model_hash = HashModel(*scene->mj);
  return scene;
}

}  // namespace civita
