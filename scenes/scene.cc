#include "civita/scenes/scene.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/text.h"
#include "civita/error.h"
#include "civita/mujoco/convert.h"
#include "civita/scenes/motion/reference_types.h"
#include "civita/scenes/motion/room.h"
#include "civita/scenes/plant/auto_legs.h"
#include "civita/scenes/plant/closed_chain.h"
#include "civita/scenes/plant/coordinates_text.h"
#include "civita/scenes/plant/coupling.h"
#include "civita/scenes/plant/floating.h"
#include "civita/scenes/plant/leg_start.h"
#include "civita/scenes/plant/plant_errors.h"
#include "civita/scenes/plant/soft_friction.h"
#include "civita/scenes/plant/start.h"
#include "civita/scenes/plant/stiffness.h"
#include "civita/scenes/registry.h"
#include "civita/scenes/schema/key_error.h"
#include "civita/scenes/schema/yaml_value.h"

namespace civita {
namespace {

using Notices = std::vector<std::string>;

// MuJoCo compiles non-finite numbers without an error.
void CheckNumbers(const std::filesystem::path& file, const mjModel& m) {
  const auto refuse = [&file](const std::string& what) {
    throw UserError(file.string() + ": " + what);
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

Model BuildNominal(const std::filesystem::path& file, const mjModel& m) {
  try {
    return BuildModel(m);
  } catch (const UserError& error) {
    throw UserError(file.string() + ": " + error.what());
  }
}

// Records plug-ins in the config, so that the config alone reproduces the run.
void NamePlugins(const LawInfo& law, SceneConfig* config) {
  for (const std::string& plugin : FindPluginsOf(law, config->reference.type())) {
    if (std::ranges::find(config->plugins, plugin) == config->plugins.end()) {
      config->plugins.push_back(plugin);
    }
  }
}

void Append(const Notices& more, Notices* notices) {
  notices->insert(notices->end(), more.begin(), more.end());
}

// Whether the torques that hold single joints are known: not in loops that the model does not
// have, and not with feet on the ground, which CheckStart looks at.
bool LoadsAreKnown(const Scene& scene) {
  return (scene.closed || !HasLoops(*scene.mj)) && !scene.law->needs_legs;
}

// Without a start of the user's or the model's own, one where the drives can hold the robot.
void MoveHome(Scene* scene) {
  const mjModel& m = *scene->mj;
  const InitialConfig& initial = scene->config.initial;
  if (initial.q || mj_name2id(&m, mjOBJ_KEY, "home") >= 0 || !LoadsAreKnown(*scene)) return;
  std::vector<bool> kept(static_cast<size_t>(m.nv), false);
  for (const auto& [name, value] : initial.joints)
    kept[static_cast<size_t>(m.jnt_dofadr[mj_name2id(&m, mjOBJ_JOINT, name.c_str())])] = true;
  MoveToWhereDrivesHold(m, scene->plant, scene->actuation, scene->closed.get(), kept,
                        &scene->q_home, &scene->notices);
}

// The robot: drives, loops, feet, and where its reference moves about.
void MakeRobot(Scene* scene) {
  SceneConfig& config = scene->config;
  mjModel* const m = scene->mj.get();
  Notices* const notices = &scene->notices;
  const bool has_legs = !config.legs.feet.empty(),
             is_exact = config.plant.loops == LoopForm::kExact;
  Notices unknown;
  scene->couplings = FindCouplings(*m, &unknown);
  // Before Make switches servos off: what drives their joints instead keeps their limits.
  const Eigen::VectorXd speed_max = FindSpeedLimits(config.plant.speed_limit, has_legs, *m);
  scene->actuation = Actuation::Make(m, scene->couplings, notices, has_legs);
  scene->actuation.set_speed_max(speed_max);
  if (!is_exact) HardenCouplings(m, notices);
  config.rate_hz = SettleRate(config, config.places.contains("control.rate_hz"), config.physics,
                              m->opt.timestep, notices);
  CheckSensors(config, config.noise);
  scene->q_home =
      FindStart(config.initial, *m, scene->plant, scene->actuation, scene->couplings, notices);
  const size_t told = notices->size();
  scene->closed = FindClosedChains(*m, scene->control_model, scene->actuation, config.plant.loops,
                                   &scene->q_home, notices);
  const bool loops_told = notices->size() > told;
  MoveHome(scene);
  if (is_exact) MakeLoopsExact(scene->closed.get(), has_legs, m, notices);
  if (!loops_told && (!scene->closed || !scene->law->knows_loops)) Append(unknown, notices);
  scene->free_parts = FindFreeParts(*m, scene->actuation);
  const bool every_stage = config.mode == ControlMode::kEveryStage;
  Append(DescribeFreeParts(scene->free_parts, *m, has_legs, every_stage), notices);
  if (scene->law->needs_legs) CheckLegNeeds(config, *m);
  scene->legs = FindLegs(config.legs, *m, scene->control_model, scene->actuation, scene->q_home,
                         1 / config.rate_hz);
}

Coordinates MakeCoordinates(Scene* scene) {
  const std::string key = "controller.coordinates";
  std::string& text = scene->config.coordinates;
  const std::filesystem::path directory = scene->config.DirectoryOf(key);
  if (text.ends_with(".yaml") || text.ends_with(".csv")) {
    text = (directory / text).lexically_normal().string();
  }
  const Model& model = scene->control_model;
  try {
    if (scene->closed) {
      throw UserError("the law of closed loops has its own independent coordinates");
    }
    Coordinates coordinates = ReadCoordinates(text, model, scene->q_start);
    if (coordinates.nw() == model.nv()) return coordinates;
    throw UserError("A is not square: " + std::to_string(coordinates.nw()) +
                    " of nv = " + std::to_string(model.nv()) + " columns");
  } catch (const UserError& error) {
    RefuseValue(key, std::string(": ") + error.what());
  }
}

// The law, and options of it that follow from the plant and from sections other than its own.
void MakeLaw(Scene* scene) {
  SceneConfig& config = scene->config;
  const Model& model = scene->control_model;
  ControllerOptions options;
  options.observer = MakeObserver(config.observer, model.nv());
  options.q_start = scene->q_start;
  options.closed = scene->closed;
  options.legs = scene->legs;
  options.motors = scene->actuation.transmission();
  options.full_friction_speeds = FindFullFrictionSpeeds(*scene->mj, model);
  if (config.has_own_coordinates()) options.coordinates = MakeCoordinates(scene);
  if (MovesFrame(config)) options.task = FindTask(config.reference, scene->plant, &config.task);
  scene->controller = MakeController(model, config.DirectoryOf("controller.factorization"),
                                     std::move(options), &config);
}

// By velocity: whether it is of an object that no motor moves.
std::vector<bool> FindLoose(const Scene& scene) {
  std::vector<bool> loose(static_cast<size_t>(scene.plant.nv()), false);
  for (const LooseJoint& joint : scene.free_parts.loose) {
    std::fill_n(loose.begin() + joint.iv, joint.nv, true);
  }
  return loose;
}

void TellUndriven(Scene* scene) {
  const LawInfo& law = *scene->law;
  Notices* const notices = &scene->notices;
  if (scene->closed && law.knows_loops && scene->closed->nw() == 0) {
    notices->push_back(
        "the loops leave no velocity: nothing can move, and the law gives no torque");
  }
  std::vector<std::string> names;
  const Model& plant = scene->plant;
  const auto adapts = std::ranges::find(law.options, "adapt_bodies", &OptionInfo::key);
  if (adapts != law.options.end() && !scene->closed && !scene->legs) {
    const std::vector<bool> loose = FindLoose(*scene);
    for (int iv = 0; iv < plant.nv(); ++iv) {
      const bool errs = scene->actuation.is_passive(iv) && !loose[static_cast<size_t>(iv)];
      if (errs) names.push_back(plant.VelocityName(iv));
    }
  }
  internal::TellNames("the errors of joints that no motor moves drive the estimates of " +
                          std::string(law.type) + ", which may grow without bound: ",
                      names, notices);
  names.clear();
  const UndrivenDirections& undriven = scene->controller->undriven();
  if (undriven.number == 0) return;
  for (const int iv : undriven.coordinates) names.push_back(plant.VelocityName(iv));
  notices->push_back(
      internal::Count(static_cast<size_t>(undriven.number), "undriven direction") +
      ": motors do not move these joints on their own: " + internal::List(names) +
      "; torques there are the best fit in the norm of H⁻¹, and what the law claims of V holds for "
      "the driven directions alone");
}

void MakeMotion(Scene* scene) {
  SceneConfig& config = scene->config;
  const MotionContext context{*scene->mj,        scene->plant,
                              scene->q_home,     scene->actuation,
                              scene->couplings,  scene->closed.get(),
                              scene->legs.get(), scene->controller->undriven().coordinates,
                              config.duration_s, config.seed,
                              &scene->notices};
  std::unique_ptr<Reference> reference = config.reference.Make(context);
  CheckTaskPath(config.reference, config);
  if (!scene->couplings.empty()) reference = MakeCoupled(std::move(reference), scene->couplings);
  scene->reference = std::move(reference);
}

// The start of a prior of velocity errors: on the reference, loose objects at home.
void StartOffSpeed(Scene* scene) {
  ReferenceState start = SampleStart(scene->plant, scene->closed, *scene->reference, scene->q_home);
  for (const LooseJoint& joint : scene->free_parts.loose) {
    start.q.segment(joint.iq, joint.nq) = scene->q_home.segment(joint.iq, joint.nq);
    start.v.segment(joint.iv, joint.nv).setZero();
  }
  scene->q_start = start.q;
  scene->v_start = start.v + DrawVelocityError(scene->config.initial, scene->plant,
                                               scene->closed.get(), FindLoose(*scene), start.q);
}

// Notices for held gains and damping that are stiff, and for effort limits that cannot hold the
// robot.
Notices CheckGains(const Scene& scene) {
  Notices notices;
  const auto tell = [&notices](std::string notice) {
    if (!notice.empty()) notices.push_back(std::move(notice));
  };
  if (LoadsAreKnown(scene)) {
    tell(DescribeWeakLimits(scene.plant, scene.actuation, scene.closed.get(), scene.q_start));
  }
  tell(DescribeFastDamping(scene));
  const Controller& law = *scene.controller;
  for (size_t i = 0; i < law.parameters().size(); ++i) {
    if (law.parameters()[i].key != "K_D") continue;
    tell(DescribeStiffness(scene, law.gain(static_cast<int>(i))));
  }
  return notices;
}

// A scene with its models alone; `overlaps` of the model `known`, if given, do not touch.
std::unique_ptr<Scene> BeginScene(const SceneConfig& config, const mjModel* known,
                                  const std::vector<BodyOverlap>& overlaps) {
  Notices notices = config.notices;
  SpecEdit edit;
  if (known != nullptr) edit = LeaveOutContacts(overlaps, *known, &notices);
  MjModelPtr mj = CompileModel(config, true, edit, &notices);
  const Model nominal = BuildNominal(config.model, *mj);
  Model control_model = BuildControlModel(config, *mj, nominal);
  Model plant = BuildTruePlant(config.plant, config.seed, nominal, mj.get());
  const LawInfo& law = FindLaw(config.controller);
  TellSize(plant, &notices);
  return std::unique_ptr<Scene>(new Scene{{.config = config,
                                           .mj = std::move(mj),
                                           .control_model = control_model,
                                           .plant = plant,
                                           .law = &law,
                                           .notices = std::move(notices)},
                                          nullptr});
}

std::unique_ptr<Scene> Load(const SceneConfig& given, const mjModel* known = nullptr,
                            const std::vector<BodyOverlap>& overlaps = {}) {
  std::unique_ptr<Scene> made = BeginScene(given, known, overlaps);
  Scene* const scene = made.get();
  const mjModel& m = *scene->mj;
  SceneConfig& config = scene->config;
  const InitialConfig& initial = config.initial;
  config.law_options.Complete(scene->law->options);
  NamePlugins(*scene->law, &config);
  CheckNumbers(config.model, m);
  CheckMode(config, *scene->law);

  MakeRobot(scene);
  const std::optional<FloorPlane> floor = FindFloorPlane(config.ground, m);
  if (scene->legs && floor) {
    scene->q_home = PlaceOnFloor(initial, m, scene->plant, *scene->legs, *floor,
                                 std::move(scene->q_home), &scene->notices);
  }
  scene->q_start = FindStartPosition(initial, scene->plant, scene->closed.get(), scene->q_home);
  const bool touches = config.mode != ControlMode::kEveryStage;
  if (known == nullptr && touches && scene->legs == nullptr) {
    const std::unique_ptr<mjData, MjDataDeleter> d(mj_makeData(&m));
    const auto found = FindOverlaps(m, scene->free_parts, scene->q_start, d.get());
    if (!found.empty()) return Load(given, &m, found);
  }
  MakeLaw(scene);
  TellUndriven(scene);
  MakeMotion(scene);
  if (HasVelocityErrorPrior(initial)) {
    StartOffSpeed(scene);
  } else {
    scene->v_start = FindStartVelocity(initial, scene->plant, scene->closed, *scene->reference,
                                       scene->q_home, scene->q_start);
  }
  CheckJointLimits(m, scene->plant, *scene->reference, scene->q_start, config.duration_s,
                   &scene->notices);
  if (!config.thrown.size) config.thrown.size = DefaultThrowSize(scene->legs != nullptr);
  scene->pushes = MakePushes(config.pushes, m, 1 / config.rate_hz);
  if (!config.payload.body.empty()) scene->payload = GraspPayload(m, config.payload);
  scene->model_hash = HashModel(m);
  for (int iv = 0; iv < scene->plant.nv(); ++iv) {
    scene->velocity_names.push_back(scene->plant.VelocityName(iv));
  }
  for (const Notices& told : {CheckGains(*scene), CheckStart(*scene, floor)}) {
    Append(told, &scene->notices);
  }
  return made;
}

}  // namespace

MjModelPtr CompileModel(const SceneConfig& config, bool simulated, const SpecEdit& edit,
                        Notices* notices) {
  const SpecEdit all = [&](mjSpec* spec, bool urdf) {
    if (config.robot.floating_base) {
      AdaptLeggedUrdf(config.robot, config.legs, config.model, urdf, spec);
    }
    if (!config.legs.feet.empty()) ProvideFloor(spec, notices);
    AddFootBalls(config.legs, spec);
    MakeGround(config.ground, config.seed)(spec, urdf);
    if (!config.payload.body.empty()) DrawPayload(config.payload)(spec, urdf);
    if (edit) edit(spec, urdf);
  };
  return LoadModelFile(config.model,
                       {.physics = config.physics,
                        .edit = all,
                        .visuals = config.robot.floating_base,
                        .simulated = simulated},
                       notices);
}

void TellSize(const Model& model, Notices* notices) {
  constexpr int kLarge = 200;
  const std::string nv = std::to_string(model.nv());
  if (model.nv() < kLarge) return;
  notices->push_back("a large model: nv = " + nv + " velocities of " +
                     std::to_string(model.num_bodies()) + " bodies, matrices of " + nv + " × " +
                     nv);
}

namespace {

// Of a robot's file alone, without a config: whether it would stand on legs.
void TellLegs(const SceneConfig& config, Scene* scene) {
  const mjModel& m = *scene->mj;
  const bool free = m.njnt > 0 && m.jnt_type[0] == mjJNT_FREE;
  if (!IsModelName(config.source) || scene->law->needs_legs || scene->legs) return;
  const FoundLegs found = FindLegsOf(m, !free);
  if (!found.why.empty()) return;
  try {
    LoadScene(ReadConfig(config.source, {"controller.type=whole_body"}));
  } catch (const UserError&) {
    return;
  }
  std::vector<std::string> feet;
  for (const FoundLegs::Leg& leg : found.legs) feet.push_back(leg.foot);
  scene->notices.push_back("the robot has legs, with the feet " + internal::List(feet) +
                           ": --set controller.type=whole_body makes it stand on them");
}

// Limits in a URDF that stand for none.
void TellPlaceholders(const SceneConfig& config, Scene* scene) {
  constexpr double kPlaceholder = 1000;  // N·m or N
  std::vector<std::string> names;
  for (int iv = 6; iv < scene->plant.nv(); ++iv) {
    if (scene->actuation.is_passive(iv) || scene->actuation.upper()[iv] < kPlaceholder) continue;
    names.push_back(scene->velocity_names[static_cast<size_t>(iv)]);
  }
  if (config.model.extension() != ".urdf") return;
  internal::TellNames("legs, from the robot's file: efforts of 0 or ≥ 1000 N·m limit nothing: ",
                      names, &scene->notices);
}

}  // namespace

std::unique_ptr<Scene> LoadScene(const SceneConfig& given) {
  SceneConfig config = given;
  try {
    const bool on_legs = FindLaw(config.controller).needs_legs && config.legs.feet.empty();
    if (on_legs) SetChosen(ChooseLegs(given), &config);
    std::unique_ptr<Scene> scene = Load(config);
    if (on_legs) TellPlaceholders(config, scene.get());
    TellLegs(config, scene.get());
    return scene;
  } catch (const KeyError& error) {
    throw UserError(config.Where(error.key()) + ": " + error.what());
  }
}

}  // namespace civita
