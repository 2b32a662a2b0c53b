#include "civita/scenes/scene.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/text.h"
#include "civita/error.h"
#include "civita/mujoco/convert.h"
#include "civita/scenes/motion/joint_limits.h"
#include "civita/scenes/motion/motion_context.h"
#include "civita/scenes/plant/closed_chain.h"
#include "civita/scenes/plant/coordinates_text.h"
#include "civita/scenes/plant/coupling.h"
#include "civita/scenes/plant/holding.h"
#include "civita/scenes/plant/leg_start.h"
#include "civita/scenes/plant/overlaps.h"
#include "civita/scenes/plant/plant_errors.h"
#include "civita/scenes/plant/soft_friction.h"
#include "civita/scenes/plant/speed_limits.h"
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

std::unique_ptr<const Models> MakeModels(const SceneConfig& config, mjModel* m) {
  Model control = BuildControlModel(config, *m, BuildNominal(config.model, *m));
  Model plant = BuildTruePlant(config.plant, config.seed, m);
  return std::make_unique<const Models>(Models{std::move(control), std::move(plant)});
}

// Records plug-ins in the config, so that the config alone reproduces the run.
void NamePlugins(const LawInfo& law, SceneConfig* config) {
  for (const std::string& plugin : FindPluginsOf(law, config->reference.type())) {
    if (std::ranges::find(config->plugins, plugin) == config->plugins.end()) {
      config->plugins.push_back(plugin);
    }
  }
}

// A scene is made of these, one after the other. Each has the config as it is resolved by then.

// The robot: drives, loops, feet, and where its reference moves about.
struct Robot {
  SceneConfig config;
  const LawInfo& law;
  MjModelPtr mj;
  std::unique_ptr<const Models> models;
  std::vector<Coupling> couplings = {};
  Actuation actuation = {};
  std::shared_ptr<const ClusterModel> closed = {};
  FreeParts free_parts = {};
  Eigen::VectorXd q_home = {};
  std::shared_ptr<const LegOptions> legs = {};

  bool has_legs() const { return !config.legs.feet.empty(); }
  // Whether the torques that hold single joints are known: not in loops that the model does not
  // have, and not with feet on the ground, which CheckStart looks at.
  bool loads_are_known() const { return (closed || !HasLoops(*mj)) && !law.needs_legs; }
};

// The law, with the config's values of its options and gains.
struct Law {
  SceneConfig config;
  std::unique_ptr<Controller> controller;
};

// The motion that it is to follow.
struct Motion {
  SceneConfig config;
  std::unique_ptr<const Reference> reference;
};

// Without a start of the user's or the model's own, one where the drives can hold the robot.
void MoveHome(Robot* robot, Notices* notices) {
  const mjModel& m = *robot->mj;
  const InitialConfig& initial = robot->config.initial;
  if (initial.q || mj_name2id(&m, mjOBJ_KEY, "home") >= 0 || !robot->loads_are_known()) return;
  std::vector<bool> kept(static_cast<size_t>(m.nv), false);
  for (const auto& [name, value] : initial.joints)
    kept[static_cast<size_t>(m.jnt_dofadr[mj_name2id(&m, mjOBJ_JOINT, name.c_str())])] = true;
  MoveToWhereDrivesHold(m, robot->models->plant, robot->actuation, robot->closed.get(), kept,
                        &robot->q_home, notices);
}

Robot MakeRobot(SceneConfig resolved, const LawInfo& law, MjModelPtr mj,
                std::unique_ptr<const Models> models, Notices* notices) {
  Robot robot{std::move(resolved), law, std::move(mj), std::move(models)};
  SceneConfig& config = robot.config;
  mjModel* const m = robot.mj.get();
  const Model &plant = robot.models->plant, &control_model = robot.models->control;
  Notices unknown;
  robot.couplings = FindCouplings(*m, &unknown);
  // Before Make switches servos off: what drives their joints instead keeps their limits.
  const Eigen::VectorXd speed_max = FindSpeedLimits(config.plant.speed_limit, robot.has_legs(), *m);
  robot.actuation = Actuation::Make(m, robot.couplings, notices, robot.has_legs());
  robot.actuation.set_speed_max(speed_max);
  if (config.plant.loops == LoopForm::kSoft) HardenCouplings(m, notices);
  config.rate_hz = SettleRate(config, config.places.contains("control.rate_hz"), config.physics,
                              m->opt.timestep, notices);
  CheckSensors(config, config.noise);
  robot.q_home = FindStart(config.initial, *m, plant, robot.actuation, robot.couplings, notices);
  const size_t told = notices->size();
  robot.closed = FindClosedChains(*m, control_model, robot.actuation, config.plant.loops,
                                  &robot.q_home, notices);
  const bool loops_told = notices->size() > told;
  MoveHome(&robot, notices);
  if (config.plant.loops == LoopForm::kExact) {
    MakeLoopsExact(robot.closed.get(), robot.has_legs(), m, notices);
  }
  if (!loops_told && (!robot.closed || !law.knows_loops)) {
    notices->insert(notices->end(), unknown.begin(), unknown.end());
  }
  robot.free_parts = FindFreeParts(*m, robot.actuation);
  const bool every_stage = config.mode == ControlMode::kEveryStage;
  for (std::string& notice :
       DescribeFreeParts(robot.free_parts, *m, robot.has_legs(), every_stage)) {
    notices->push_back(std::move(notice));
  }
  if (law.needs_legs) CheckLegNeeds(config, *m);
  robot.legs =
      FindLegs(config.legs, *m, control_model, robot.actuation, robot.q_home, 1 / config.rate_hz);
  return robot;
}

Coordinates MakeCoordinates(const Robot& robot, const Eigen::VectorXd& q_start,
                            SceneConfig* config) {
  const std::string key = "controller.coordinates";
  std::string& text = config->coordinates;
  const std::filesystem::path directory = config->DirectoryOf(key);
  if (text.ends_with(".yaml") || text.ends_with(".csv")) {
    text = (directory / text).lexically_normal().string();
  }
  const Model& model = robot.models->control;
  try {
    if (robot.closed) {
      throw UserError("the law of closed loops has its own independent coordinates");
    }
    Coordinates coordinates = ReadCoordinates(text, model, q_start);
    if (coordinates.nw() == model.nv()) return coordinates;
    throw UserError("A is not square: " + std::to_string(coordinates.nw()) +
                    " of nv = " + std::to_string(model.nv()) + " columns");
  } catch (const UserError& error) {
    throw KeyError(key, key + ": " + error.what());
  }
}

// The law, and options of it that follow from the plant and from sections other than its own.
Law MakeLaw(const Robot& robot, const Eigen::VectorXd& q_start) {
  Law law{robot.config, nullptr};
  SceneConfig& config = law.config;
  const Model& model = robot.models->control;
  ControllerOptions options;
  options.observer = MakeObserver(config.observer, model.nv());
  options.q_start = q_start;
  options.closed = robot.closed;
  options.legs = robot.legs;
  options.motors = robot.actuation.transmission();
  options.full_friction_speeds = FindFullFrictionSpeeds(*robot.mj, model);
  if (config.has_own_coordinates()) options.coordinates = MakeCoordinates(robot, q_start, &config);
  if (MovesFrame(config)) {
    options.task = FindTask(config.reference, robot.models->plant, &config.task);
  }
  law.controller = MakeController(model, config.DirectoryOf("controller.factorization"),
                                  std::move(options), &config);
  return law;
}

void TellUndriven(const Robot& robot, const Controller& law, Notices* notices) {
  if (robot.closed && robot.law.knows_loops && robot.closed->nw() == 0) {
    notices->push_back(
        "the loops leave no velocity: nothing can move, and the law gives no torque");
  }
  std::vector<std::string> names;
  const Model& plant = robot.models->plant;
  const auto adapts = std::ranges::find(robot.law.options, "adapt_bodies", &OptionInfo::key);
  if (adapts != robot.law.options.end() && !robot.closed && !robot.legs) {
    std::vector<bool> loose(static_cast<size_t>(plant.nv()), false);
    for (const LooseJoint& joint : robot.free_parts.loose) {
      std::fill_n(loose.begin() + joint.iv, joint.nv, true);
    }
    for (int iv = 0; iv < plant.nv(); ++iv) {
      const bool errs = robot.actuation.is_passive(iv) && !loose[static_cast<size_t>(iv)];
      if (errs) names.push_back(plant.VelocityName(iv));
    }
  }
  internal::TellNames("the errors of joints that no motor moves drive the estimates of " +
                          std::string(robot.law.type) + ", which may grow without bound: ",
                      names, notices);
  names.clear();
  const UndrivenDirections& undriven = law.undriven();
  if (undriven.number == 0) return;
  for (const int iv : undriven.coordinates) names.push_back(plant.VelocityName(iv));
  notices->push_back(
      internal::Count(static_cast<size_t>(undriven.number), "undriven direction") +
      ": motors do not move these joints on their own: " + internal::List(names) +
      "; torques there are the best fit in the norm of H⁻¹, and what the law claims of V holds for "
      "the driven directions alone");
}

Motion MakeMotion(const Robot& robot, Law* law, Notices* notices) {
  Motion motion{std::move(law->config), nullptr};
  SceneConfig& config = motion.config;
  const MotionContext context{*robot.mj,
                              robot.models->plant,
                              robot.q_home,
                              robot.actuation,
                              robot.couplings,
                              robot.closed.get(),
                              robot.legs.get(),
                              law->controller->undriven().coordinates,
                              config.duration_s,
                              config.seed,
                              notices};
  std::unique_ptr<Reference> reference = config.reference.Make(context);
  CheckTaskPath(config.reference, config);
  if (!robot.couplings.empty()) reference = MakeCoupled(std::move(reference), robot.couplings);
  motion.reference = std::move(reference);
  return motion;
}

// The start of a prior of velocity errors: on the reference, loose objects at home.
void StartOffSpeed(const Robot& robot, const Reference& reference, Eigen::VectorXd* q_start,
                   Eigen::VectorXd* v_start) {
  const Model& plant = robot.models->plant;
  ReferenceState start = SampleStart(plant, robot.closed, reference, robot.q_home);
  std::vector<bool> loose(static_cast<size_t>(plant.nv()), false);
  for (const LooseJoint& joint : robot.free_parts.loose) {
    start.q.segment(joint.iq, joint.nq) = robot.q_home.segment(joint.iq, joint.nq);
    start.v.segment(joint.iv, joint.nv).setZero();
    std::fill_n(loose.begin() + joint.iv, joint.nv, true);
  }
  *q_start = start.q;
  *v_start =
      start.v + DrawVelocityError(robot.config.initial, plant, robot.closed.get(), loose, *q_start);
}

// Notices for held gains and damping that are stiff, and for effort limits that cannot hold the
// robot.
Notices CheckGains(const Scene& scene, bool loads_are_known) {
  Notices notices;
  const auto tell = [&notices](std::string notice) {
    if (!notice.empty()) notices.push_back(std::move(notice));
  };
  if (loads_are_known) {
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

std::unique_ptr<Scene> Assemble(Robot robot, Law law, Motion motion, Eigen::VectorXd q_start,
                                Eigen::VectorXd v_start) {
  SceneConfig config = std::move(motion.config);
  if (!config.thrown.size) config.thrown.size = DefaultThrowSize(robot.legs != nullptr);
  const mjModel& m = *robot.mj;
  const Model &control_model = robot.models->control, &plant = robot.models->plant;
  std::vector<std::string> names;
  for (int iv = 0; iv < plant.nv(); ++iv) names.push_back(plant.VelocityName(iv));
  std::vector<Push> pushes = MakePushes(config.pushes, m, 1 / config.rate_hz);
  std::unique_ptr<LoadedPlant> payload;
  if (!config.payload.body.empty()) payload = GraspPayload(m, config.payload);
  std::string hash = HashModel(m);
  return std::unique_ptr<Scene>(new Scene{{.config = std::move(config),
                                           .mj = std::move(robot.mj),
                                           .models = std::move(robot.models),
                                           .control_model = control_model,
                                           .plant = plant,
                                           .law = &robot.law,
                                           .reference = std::move(motion.reference),
                                           .actuation = std::move(robot.actuation),
                                           .free_parts = std::move(robot.free_parts),
                                           .couplings = std::move(robot.couplings),
                                           .closed = std::move(robot.closed),
                                           .legs = std::move(robot.legs),
                                           .pushes = std::move(pushes),
                                           .payload = std::move(payload),
                                           .q_home = std::move(robot.q_home),
                                           .q_start = std::move(q_start),
                                           .v_start = std::move(v_start),
                                           .notices = {},
                                           .model_hash = std::move(hash),
                                           .velocity_names = std::move(names)},
                                          std::move(law.controller)});
}

std::unique_ptr<Scene> Load(const SceneConfig& given, const mjModel* known = nullptr,
                            const std::vector<BodyOverlap>& overlaps = {}) {
  Notices notices = given.notices;
  SpecEdit edit;
  if (known != nullptr) edit = LeaveOutContacts(overlaps, *known, &notices);
  MjModelPtr mj = CompileModel(given, true, edit, &notices);
  std::unique_ptr<const Models> models = MakeModels(given, mj.get());
  const LawInfo& type = FindLaw(given.controller);
  TellSize(models->plant, &notices);
  SceneConfig config = given;
  config.law_options.Complete(type.options);
  NamePlugins(type, &config);
  CheckNumbers(config.model, *mj);
  CheckMode(config, type);

  Robot robot = MakeRobot(std::move(config), type, std::move(mj), std::move(models), &notices);
  const mjModel& m = *robot.mj;
  const Model& plant = robot.models->plant;
  const InitialConfig& initial = robot.config.initial;
  const std::optional<FloorPlane> floor = FindFloorPlane(robot.config.ground, m);
  if (robot.legs && floor) {
    robot.q_home =
        PlaceOnFloor(initial, m, plant, *robot.legs, *floor, std::move(robot.q_home), &notices);
  }
  Eigen::VectorXd q_start = FindStartPosition(initial, plant, robot.closed.get(), robot.q_home);
  const bool touches = robot.config.mode != ControlMode::kEveryStage;
  if (known == nullptr && touches && robot.legs == nullptr) {
    const std::vector<BodyOverlap> found = FindOverlaps(m, robot.free_parts, q_start);
    if (!found.empty()) return Load(given, &m, found);
  }
  Law law = MakeLaw(robot, q_start);
  TellUndriven(robot, *law.controller, &notices);
  Motion motion = MakeMotion(robot, &law, &notices);
  Eigen::VectorXd v_start;
  if (HasVelocityErrorPrior(initial)) {
    StartOffSpeed(robot, *motion.reference, &q_start, &v_start);
  } else {
    v_start =
        FindStartVelocity(initial, plant, robot.closed, *motion.reference, robot.q_home, q_start);
  }
  CheckJointLimits(m, plant, *motion.reference, q_start, motion.config.duration_s, &notices);
  const bool loads_are_known = robot.loads_are_known();
  std::unique_ptr<Scene> scene = Assemble(std::move(robot), std::move(law), std::move(motion),
                                          std::move(q_start), std::move(v_start));
  for (const Notices& told : {CheckGains(*scene, loads_are_known), CheckStart(*scene, floor)}) {
    notices.insert(notices.end(), told.begin(), told.end());
  }
  scene->notices = std::move(notices);
  return scene;
}

}  // namespace

MjModelPtr CompileModel(const SceneConfig& config, bool simulated, const SpecEdit& edit,
                        Notices* notices) {
  const SpecEdit all = [&](mjSpec* spec, bool urdf) {
    if (config.robot.floating_base) {
      AdaptLeggedUrdf(config.robot, config.legs, config.model, urdf, spec);
    }
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

std::unique_ptr<Scene> LoadScene(const SceneConfig& config) {
  try {
    return Load(config);
  } catch (const KeyError& error) {
    throw UserError(config.Where(error.key()) + ": " + error.what());
  }
}

}  // namespace civita
