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
#include "civita/scenes/plant/control_model.h"
#include "civita/scenes/plant/coordinates_text.h"
#include "civita/scenes/plant/coupling.h"
#include "civita/scenes/plant/hard_couplings.h"
#include "civita/scenes/plant/holding.h"
#include "civita/scenes/plant/leg_needs.h"
#include "civita/scenes/plant/leg_start.h"
#include "civita/scenes/plant/overlaps.h"
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

Actuation MakeActuation(const SceneConfig& config, const std::vector<Coupling>& couplings,
                        mjModel* m, Notices* notices) {
  Actuation actuation = Actuation::Make(m, couplings, notices, !config.legs.feet.empty());
  actuation.set_speed_max(FindSpeedLimits(config.plant.speed_limit, !config.legs.feet.empty(), *m));
  return actuation;
}

std::unique_ptr<Reference> MakeReference(const Scene& scene, SceneConfig* config,
                                         Notices* notices) {
  const MotionContext context{*scene.mj,
                              scene.plant,
                              scene.q_home,
                              scene.actuation,
                              scene.couplings,
                              scene.closed.get(),
                              scene.legs.get(),
                              scene.controller->undriven().coordinates,
                              config->duration_s,
                              config->seed,
                              notices};
  std::unique_ptr<Reference> reference = config->reference.Make(context);
  CheckTaskPath(config->reference, *config);
  if (scene.couplings.empty()) return reference;
  return MakeCoupled(std::move(reference), scene.couplings);
}

Coordinates MakeCoordinates(const Scene& scene, SceneConfig* config) {
  const std::string key = "controller.coordinates";
  std::string& text = config->coordinates;
  const std::filesystem::path directory = config->DirectoryOf(key);
  if (text.ends_with(".yaml") || text.ends_with(".csv")) {
    text = (directory / text).lexically_normal().string();
  }
  try {
    if (scene.closed) {
      throw UserError("the law of closed loops has its own independent coordinates");
    }
    Coordinates coordinates = ReadCoordinates(text, scene.control_model, scene.q_start);
    if (coordinates.nw() == scene.control_model.nv()) return coordinates;
    throw UserError("A is not square: " + std::to_string(coordinates.nw()) +
                    " of nv = " + std::to_string(scene.control_model.nv()) + " columns");
  } catch (const UserError& error) {
    throw KeyError(key, key + ": " + error.what());
  }
}

// Options of the law that follow from the plant and from sections other than its own.
ControllerOptions MakeControllerOptions(const Scene& scene, SceneConfig* config) {
  ControllerOptions options;
  options.observer = MakeObserver(config->observer, scene.control_model.nv());
  options.q_start = scene.q_start;
  options.closed = scene.closed;
  options.legs = scene.legs;
  options.motors = scene.actuation.transmission();
  options.full_friction_speeds = FindFullFrictionSpeeds(*scene.mj, scene.control_model);
  if (config->has_own_coordinates()) options.coordinates = MakeCoordinates(scene, config);
  if (MovesFrame(*config)) {
    options.task = FindTask(config->reference, scene.plant, &config->task);
  }
  return options;
}

// Records plug-ins in the config, so that the config alone reproduces the run.
void NamePlugins(const LawInfo& law, SceneConfig* config) {
  for (const std::string& plugin : FindPluginsOf(law, config->reference.type())) {
    if (std::ranges::find(config->plugins, plugin) == config->plugins.end()) {
      config->plugins.push_back(plugin);
    }
  }
}

void TellUndriven(const Scene& scene, Notices* notices) {
  if (scene.closed && scene.law->knows_loops && scene.closed->nw() == 0) {
    notices->push_back(
        "the loops leave no velocity: nothing can move, and the law gives no torque");
  }
  const UndrivenDirections& undriven = scene.controller->undriven();
  if (undriven.number == 0) return;
  std::vector<std::string> names;
  for (const int iv : undriven.coordinates) names.push_back(scene.plant.VelocityName(iv));
  notices->push_back(
      internal::Count(static_cast<size_t>(undriven.number), "undriven direction") +
      ": motors do not move these joints on their own: " + internal::List(names) +
      "; torques there are the best fit in the norm of H⁻¹, and what the law claims of V holds for "
      "the driven directions alone");
}

// Whether the torques that hold single joints are known: not in loops that the model does not have,
// and not with feet on the ground, which CheckStart looks at.
bool LoadsAreKnown(const Scene& scene) {
  return (scene.closed || !HasLoops(*scene.mj)) && !scene.law->needs_legs;
}

// Without a start of the user's or the model's own, one where the drives can hold the robot.
void MoveHome(const InitialConfig& initial, Scene* scene, Notices* notices) {
  const mjModel& m = *scene->mj;
  if (initial.q || mj_name2id(&m, mjOBJ_KEY, "home") >= 0 || !LoadsAreKnown(*scene)) return;
  std::vector<bool> kept(static_cast<size_t>(m.nv), false);
  for (const auto& [name, value] : initial.joints)
    kept[static_cast<size_t>(m.jnt_dofadr[mj_name2id(&m, mjOBJ_JOINT, name.c_str())])] = true;
  MoveToWhereDrivesHold(m, scene->plant, scene->actuation, scene->closed.get(), kept,
                        &scene->q_home, notices);
}

// Notices for held gains that are stiff, and for effort limits that cannot hold the robot.
void CheckGains(const Scene& scene, Notices* notices) {
  const auto tell = [notices](const std::string& notice) {
    if (!notice.empty()) notices->push_back(notice);
  };
  if (LoadsAreKnown(scene))
    tell(DescribeWeakLimits(scene.plant, scene.actuation, scene.closed.get(), scene.q_start));
  const Controller& law = *scene.controller;
  for (size_t i = 0; i < law.parameters().size(); ++i) {
    if (law.parameters()[i].key != "K_D") continue;
    tell(DescribeStiffness(scene, law.gain(static_cast<int>(i))));
  }
}

// The plant: drives, loops, feet.
void SetUpPlant(Scene* scene, Notices* notices) {
  SceneConfig& config = scene->config;
  const mjModel& m = *scene->mj;
  const LawInfo& law = *scene->law;
  Notices unknown;
  scene->couplings = FindCouplings(m, &unknown);
  scene->actuation = MakeActuation(config, scene->couplings, scene->mj.get(), notices);
  if (config.plant.loops == LoopForm::kSoft) HardenCouplings(scene->mj.get(), notices);
  config.rate_hz = SettleRate(config, config.places.contains("control.rate_hz"), config.physics,
                              m.opt.timestep, notices);
  CheckSensors(config, config.noise);
  scene->q_home =
      FindStart(config.initial, m, scene->plant, scene->actuation, scene->couplings, notices);
  const size_t told = notices->size();
  scene->closed = FindClosedChains(m, scene->control_model, scene->actuation, config.plant.loops,
                                   &scene->q_home, notices);
  const bool loops_told = notices->size() > told;
  MoveHome(config.initial, scene, notices);
  if (config.plant.loops == LoopForm::kExact) {
    MakeLoopsExact(scene->closed.get(), !config.legs.feet.empty(), scene->mj.get(), notices);
  }
  if (!loops_told && (!scene->closed || !law.knows_loops)) {
    notices->insert(notices->end(), unknown.begin(), unknown.end());
  }
  scene->free_parts = FindFreeParts(m, scene->actuation);
  const bool every_stage = config.mode == ControlMode::kEveryStage;
  for (std::string& notice :
       DescribeFreeParts(scene->free_parts, m, !config.legs.feet.empty(), every_stage)) {
    notices->push_back(std::move(notice));
  }
  if (law.needs_legs) CheckLegNeeds(config, m);
  scene->legs = FindLegs(config.legs, m, scene->control_model, scene->actuation, scene->q_home,
                         1 / config.rate_hz);
}

std::unique_ptr<Scene> Load(const SceneConfig& given, const mjModel* known = nullptr,
                            const std::vector<BodyOverlap>& overlaps = {}) {
  Notices given_notices = given.notices;
  SpecEdit edit;
  if (known != nullptr) edit = LeaveOutContacts(overlaps, *known, &given_notices);
  MjModelPtr mj = CompileModel(given, true, edit, &given_notices);
  auto scene = std::make_unique<Scene>(given, std::move(mj));
  SceneConfig& config = scene->config;
  Notices& notices = scene->notices = std::move(given_notices);
  const mjModel& m = *scene->mj;
  const LawInfo& law = *scene->law;
  TellSize(scene->plant, &notices);
  config.law_options.Complete(law.options);
  NamePlugins(law, &config);
  CheckNumbers(config.model, m);
  CheckMode(config, law);

  SetUpPlant(scene.get(), &notices);
  const std::optional<FloorPlane> floor = FindFloorPlane(config.ground, m);
  PlaceOnFloor(floor, scene.get());

  // The run: start, law, reference, disturbances.
  scene->q_start =
      FindStartPosition(config.initial, scene->plant, scene->closed.get(), scene->q_home);
  const bool touches = config.mode != ControlMode::kEveryStage;
  if (known == nullptr && touches && scene->legs == nullptr) {
    const std::vector<BodyOverlap> found = FindOverlaps(m, scene->free_parts, scene->q_start);
    if (!found.empty()) return Load(given, &m, found);
  }
  scene->controller =
      MakeController(scene->control_model, config.DirectoryOf("controller.factorization"),
                     MakeControllerOptions(*scene, &config), &config);
  TellUndriven(*scene, &notices);
  scene->reference = MakeReference(*scene, &config, &notices);
  CheckJointLimits(m, scene->plant, *scene->reference, scene->q_start, config.duration_s, &notices);
  scene->v_start = FindStartVelocity(config.initial, scene->plant, scene->closed, *scene->reference,
                                     scene->q_home, scene->q_start);
  CheckGains(*scene, &notices);
  CheckStart(floor, scene.get());
  if (!config.thrown.size) config.thrown.size = DefaultThrowSize(scene->legs != nullptr);
  scene->pushes = MakePushes(config.pushes, m, 1 / config.rate_hz);
  if (!config.payload.body.empty()) scene->payload = GraspPayload(m, config.payload);
  scene->model_hash = HashModel(m);
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
                       {.timestep_s = config.physics.timestep_s,
                        .contacts = config.physics.contacts,
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

SceneData::SceneData(SceneConfig config_in, MjModelPtr mj_in)
    : config(std::move(config_in)),
      mj(std::move(mj_in)),
      control_model(BuildControlModel(config, *mj, BuildNominal(config.model, *mj))),
      plant(BuildTruePlant(config.plant, config.seed, mj.get())),
      law(&FindLaw(config.controller)) {
  for (int iv = 0; iv < plant.nv(); ++iv) velocity_names.push_back(plant.VelocityName(iv));
}

std::unique_ptr<Scene> LoadScene(const SceneConfig& config) {
  try {
    return Load(config);
  } catch (const KeyError& error) {
    throw UserError(config.Where(error.key()) + ": " + error.what());
  }
}

}  // namespace civita
