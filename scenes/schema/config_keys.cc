#include "scenes/schema/config_keys.h"

#include <algorithm>
#include <mutex>
#include <set>

#include "scenes/motion/reference_types.h"

namespace civita {
namespace internal {
namespace {

std::vector<std::string> ModeNames() { return {"held", "every_stage"}; }
std::vector<std::string> TaskKindNames() { return {"position", "pose"}; }
std::vector<std::string> GainFormNames() { return {"mass", "diagonal"}; }
std::vector<std::string> ReferenceNames() {
  std::vector<std::string> names;
  for (const ReferenceType* type : ReferenceTypes()) names.emplace_back(type->name);
  return names;
}
std::vector<std::string> MotionNames() {
  return {"stand", "sine", "squat", "shift", "lift", "walk"};
}
std::vector<std::string> GroundNames() { return {"flat", "slope", "blocks", "soft"}; }
std::vector<std::string> ShapeNames() { return {"constant", "half_sine"}; }
std::vector<std::string> ControllerNames() {
  std::vector<std::string> names;
  for (const LawInfo* law : Laws()) names.emplace_back(law->type);
  return names;
}

using enum ConfigType;
using enum Range;
using C = SceneConfig;
using P = SceneConfig::PushConfig;
using W = SceneConfig::ReferenceConfig::CommandConfig;

constexpr KeyRow<C> kSceneKeys[] = {
    {{"name", kText, "", "short name; else the file's"},
     kAny,
     [](C& c) -> std::string& { return c.name; }},
    {{"title", kText, "", "name for people"}, kAny, [](C& c) -> std::string& { return c.title; }},
    {{"model", kText, "", "MJCF or URDF file, relative to this file; required"},
     kAny,
     [](C& c) -> std::filesystem::path& { return c.model; }},
    {{"plugins", kTexts, "", "shared libraries that add control laws, relative to this file"},
     kAny,
     [](C& c) -> std::vector<std::string>& { return c.plugins; }},
    {{"duration_s", kNumber, "s", "length of a headless run"},
     kPositive,
     [](C& c) -> double& { return c.duration_s; }},
    {{"seed", kInteger, "", "of all random numbers"},
     kNotNegative,
     [](C& c) -> int& { return c.seed; }},
    {{"list.group", kText, "", "lists of scenes: the heading under which it stands"},
     kAny,
     [](C& c) -> std::string& { return c.list.group; }},
    {{"list.order", kNumber, "", "lists of scenes: smaller ones come first"},
     kAny,
     [](C& c) -> std::optional<double>& { return c.list.order; }},
    {{"list.line", kText, "", "lists of scenes: what one sees, in a line"},
     kAny,
     [](C& c) -> std::string& { return c.list.line; }},
    {{"control.mode", kChoice, "", "torque held between control steps, or law in every stage"},
     kAny,
     [](C& c) -> ControlMode& { return c.mode; },
     ModeNames},
    {{"control.rate_hz", kNumber, "Hz", "control steps; held mode"},
     kPositive,
     [](C& c) -> double& { return c.rate_hz; }},
    {{"control.delay_s", kNumber, "s",
      "held mode: age of what the law sees, whole control periods"},
     kNotNegative,
     [](C& c) -> double& { return c.delay_s; }},
    {{"control.encoder_resolution", kNumber, "rad, m", "held mode: of hinges and slides; 0: exact"},
     kNotNegative,
     [](C& c) -> double& { return c.encoder_resolution; }},
    {{"control.velocity_filter_hz", kNumber, "Hz",
      "held mode: velocity by a low-pass filtered difference of the positions; 0: as it is"},
     kNotNegative,
     [](C& c) -> double& { return c.velocity_filter_hz; }},
    {{"control.actuation_delay_s", kNumber, "s",
      "held mode: torques reach the joints so much later, whole control periods"},
     kNotNegative,
     [](C& c) -> double& { return c.actuation_delay_s; }},
    {{"physics.timestep_s", kNumber, "s", "else the model's own"},
     kPositive,
     [](C& c) -> std::optional<double>& { return c.timestep_s; }},
    {{"physics.contacts", kBoolean, "", "bodies touch; else the model's own, none in a URDF"},
     kAny,
     [](C& c) -> std::optional<bool>& { return c.contacts; }},
    {{"plant.mass_scale", kNumber, "", "the plant's masses and inertias over the model file's"},
     kPositive,
     [](C& c) -> double& { return c.plant.mass_scale; }},
    {{"plant.mass_error", kNumber, "",
      "and each body's times 1 + u, u uniform within ± this, by seed; below 1"},
     kNotNegative,
     [](C& c) -> double& { return c.plant.mass_error; }},
    {{"plant.speed_limit", kNumberOrNumbers, "rad/s, m/s",
      "torque along the motion fades to 0 from 0.9 to 1 of it; else the legged robot's own"},
     kPositive,
     [](C& c) -> std::vector<double>& { return c.plant.speed_limit; }},
    {{"noise.joint_position", kNumber, "rad, m", "held mode: σ of what hinges and slides measure"},
     kNotNegative,
     [](C& c) -> double& { return c.noise.joint_position; }},
    {{"noise.joint_velocity", kNumber, "rad/s, m/s", "held mode: σ of their velocities"},
     kNotNegative,
     [](C& c) -> double& { return c.noise.joint_velocity; }},
    {{"noise.orientation_rad", kNumber, "rad", "held mode: σ of free and ball joints, each axis"},
     kNotNegative,
     [](C& c) -> double& { return c.noise.orientation; }},
    {{"noise.angular_velocity", kNumber, "rad/s", "held mode: σ of free and ball joints"},
     kNotNegative,
     [](C& c) -> double& { return c.noise.angular_velocity; }},
    {{"noise.position_m", kNumber, "m", "held mode: σ of free joints, each axis"},
     kNotNegative,
     [](C& c) -> double& { return c.noise.position; }},
    {{"noise.velocity", kNumber, "m/s", "held mode: σ of free joints, each axis"},
     kNotNegative,
     [](C& c) -> double& { return c.noise.velocity; }},
    {{"controller.type", kChoice, "", "control law"},
     kAny,
     [](C& c) -> std::string& { return c.controller; },
     ControllerNames},
    {{"controller.factorization", kText, "", "which Coriolis matrix"},
     kAny,
     [](C& c) -> std::string& { return c.factorization; }},
    {{"controller.gain_form", kChoice, "", "gains times H(q), or diagonal in joint units"},
     kAny,
     [](C& c) -> GainForm& { return c.gain_form; },
     GainFormNames},
    {{"controller.model_scale", kNumber, "", "controller's inertias over the model file's"},
     kPositive,
     [](C& c) -> double& { return c.model_scale; }},
    {{"controller.estimate", kText, "",
      "YAML or JSON file of what the controller takes some bodies' inertias for"},
     kAny,
     [](C& c) -> std::filesystem::path& { return c.estimate; }},
    {{"observer.gain", kNumberOrNumbers, "1/s", "momentum observer of the disturbance; else none"},
     kNotNegative,
     [](C& c) -> std::vector<double>& { return c.observer.gain; }},
    {{"observer.threshold", kNumberOrNumbers, "N·m, N", "a disturbance above is a contact"},
     kNotNegative,
     [](C& c) -> std::vector<double>& { return c.observer.threshold; }},
    {{"observer.compensate", kBoolean, "", "take the disturbance off the torque"},
     kAny,
     [](C& c) -> bool& { return c.observer.compensate; }},
    {{"task.frame", kText, "",
      "laws of a task: site or body; else reference.frame or the last body"},
     kAny,
     [](C& c) -> std::string& { return c.task.frame; }},
    {{"task.kind", kChoice, "", "laws of a task: the frame's position, or its orientation too"},
     kAny,
     [](C& c) -> TaskKind& { return c.task.kind; },
     TaskKindNames},
    {{"task.offset_m", kNumbers, "m", "laws of a task: from the frame's origin, in its axes"},
     kAny,
     [](C& c) -> std::vector<double>& { return c.task.offset; }},
    {{"robot.floating_base", kBoolean, "", "a URDF as a free robot with motors, on our floor"},
     kAny,
     [](C& c) -> bool& { return c.robot.floating_base; }},
    {{"robot.armature", kNumber, "kg·m²", "of each joint of a URDF with a floating base"},
     kNotNegative,
     [](C& c) -> double& { return c.robot.armature; }},
    {{"legs.feet", kTexts, "", "whole_body: bodies or sites whose spheres are the feet"},
     kAny,
     [](C& c) -> std::vector<std::string>& { return c.legs.feet; }},
    {{"legs.points_m", kRows, "m", "spheres to add to each foot's body; else the model's own"},
     kAny,
     [](C& c) -> std::vector<std::vector<double>>& { return c.legs.points; }},
    {{"legs.radius_m", kNumber, "m", "of the spheres that are added"},
     kPositive,
     [](C& c) -> double& { return c.legs.radius; }},
    {{"legs.friction", kNumber, "", "whole_body: coefficient that the law believes in"},
     kPositive,
     [](C& c) -> double& { return c.legs.friction; }},
    {{"legs.base_task", kBoolean, "", "whole_body: standing, the base is moved, not the CoM"},
     kAny,
     [](C& c) -> bool& { return c.legs.base_task; }},
    {{"legs.momentum_weight", kNumber, "s/(kg·m²)",
      "whole_body: of the task that damps the angular momentum"},
     kNotNegative,
     [](C& c) -> double& { return c.legs.momentum_weight; }},
    {{"gait.step_s", kNumber, "s", "whole_body: duration of a step"},
     kPositive,
     [](C& c) -> double& { return c.legs.gait.step_s; }},
    {{"gait.shortest_step_s", kNumber, "s", "whole_body: bipeds step as fast where they must"},
     kPositive,
     [](C& c) -> double& { return c.legs.gait.shortest_step_s; }},
    {{"gait.longest_step_s", kNumber, "s", "whole_body: and as slowly"},
     kPositive,
     [](C& c) -> double& { return c.legs.gait.longest_step_s; }},
    {{"gait.exchange_s", kNumber, "s", "whole_body: of a step, load passes from foot to foot"},
     kNotNegative,
     [](C& c) -> double& { return c.legs.gait.exchange_s; }},
    {{"gait.swing_height_m", kNumber, "m", "whole_body: how high a foot is lifted"},
     kPositive,
     [](C& c) -> double& { return c.legs.gait.swing_height; }},
    {{"gait.reach_m", kNumber, "m", "whole_body: how far from below its hip a point foot is set"},
     kPositive,
     [](C& c) -> double& { return c.legs.gait.reach; }},
    {{"gait.trigger_m", kNumber, "m",
      "whole_body: it steps when the capture point is less inside the feet"},
     kAny,
     [](C& c) -> double& { return c.legs.gait.trigger; }},
    {{"gait.dcm_gain", kNumber, "1/s", "whole_body: of an observer of the DCM; 0: as measured"},
     kNotNegative,
     [](C& c) -> double& { return c.legs.gait.dcm_gain; }},
    {{"gait.return_s", kNumber, "s", "whole_body: time to come back over the feet"},
     kPositive,
     [](C& c) -> double& { return c.legs.gait.return_s; }},
    {{"gait.may_step", kBoolean, "", "whole_body: false: it never lifts a foot by itself"},
     kAny,
     [](C& c) -> bool& { return c.legs.gait.may_step; }},
    {{"reference.type", kChoice, "", "desired motion"},
     kAny,
     [](C& c) -> std::string& { return c.reference.type; },
     ReferenceNames},
    {{"reference.amplitude", kNumberOrNumbers, "rad, m",
      "sinusoid, excitation; body, sine: x y z roll pitch yaw"},
     kAny,
     [](C& c) -> std::vector<double>& { return c.reference.amplitude; }},
    {{"reference.frequency_hz", kNumberOrNumbers, "Hz", "sinusoid; body, one number"},
     kNotNegative,
     [](C& c) -> std::vector<double>& { return c.reference.frequency_hz; }},
    {{"reference.phase", kNumberOrNumbers, "rad", "sinusoid"},
     kAny,
     [](C& c) -> std::vector<double>& { return c.reference.phase; }},
    {{"reference.fade_s", kNumber, "s",
      "sinusoid, closed task paths: time to fade in; body: in and out"},
     kNotNegative,
     [](C& c) -> double& { return c.reference.fade_s; }},
    {{"reference.to", kNumbers, "rad, m", "quintic: goal, as q"},
     kAny,
     [](C& c) -> std::vector<double>& { return c.reference.to; }},
    {{"reference.start_s", kNumber, "s", "quintic, task paths, body: when the motion starts"},
     kNotNegative,
     [](C& c) -> double& { return c.reference.start_s; }},
    {{"reference.duration_s", kNumber, "s", "quintic, task paths: from end to end, or round"},
     kPositive,
     [](C& c) -> double& { return c.reference.duration_s; }},
    {{"reference.repeat", kBoolean, "", "quintic, waypoints, task paths, body's sine: for ever"},
     kAny,
     [](C& c) -> bool& { return c.reference.repeat; }},
    {{"reference.waypoints", kRows, "rad, m", "waypoints: rows as q"},
     kAny,
     [](C& c) -> std::vector<std::vector<double>>& { return c.reference.waypoints; }},
    {{"reference.times_s", kNumbers, "s", "waypoints: when each is passed; from home at 0"},
     kNotNegative,
     [](C& c) -> std::vector<double>& { return c.reference.times_s; }},
    {{"reference.file", kText, "", "file: CSV of t, q, and if wanted v and vdot"},
     kAny,
     [](C& c) -> std::string& { return c.reference.file; }},
    {{"reference.base_hz", kNumber, "Hz", "excitation: its lowest frequency"},
     kPositive,
     [](C& c) -> double& { return c.reference.base_hz; }},
    {{"reference.harmonics", kInteger, "", "excitation: multiples of the lowest frequency, ≥ 3"},
     kNotNegative,
     [](C& c) -> int& { return c.reference.harmonics; }},
    {{"reference.frame", kText, "", "task paths: the site or body that moves"},
     kAny,
     [](C& c) -> std::string& { return c.reference.frame; }},
    {{"reference.offset_m", kNumbers, "m", "task paths: from the frame's origin, in its axes"},
     kAny,
     [](C& c) -> std::vector<double>& { return c.reference.offset; }},
    {{"reference.by_m", kNumbers, "m", "task_line, body's shift: the way, world axes"},
     kAny,
     [](C& c) -> std::vector<double>& { return c.reference.by; }},
    {{"reference.radius_m", kNumber, "m", "task_circle"},
     kPositive,
     [](C& c) -> double& { return c.reference.radius; }},
    {{"reference.size_m", kNumbers, "m", "task_eight: width and height"},
     kPositive,
     [](C& c) -> std::vector<double>& { return c.reference.size; }},
    {{"reference.normal", kNumbers, "", "task_circle, task_eight: of the plane, world axes"},
     kAny,
     [](C& c) -> std::vector<double>& { return c.reference.normal; }},
    {{"reference.turn", kNumbers, "rad", "task paths: turn there and back, a rotation vector"},
     kAny,
     [](C& c) -> std::vector<double>& { return c.reference.turn; }},
    {{"reference.motion", kChoice, "", "body: what a legged robot does"},
     kAny,
     [](C& c) -> std::string& { return c.reference.motion; },
     MotionNames},
    {{"reference.for_s", kNumber, "s", "body: how long, fades included; else to the end"},
     kPositive,
     [](C& c) -> std::optional<double>& { return c.reference.for_s; }},
    {{"reference.depth_m", kNumber, "m", "body, squat: how far down"},
     kPositive,
     [](C& c) -> double& { return c.reference.depth; }},
    {{"reference.foot", kText, "", "body, lift: which foot"},
     kAny,
     [](C& c) -> std::string& { return c.reference.foot; }},
    {{"reference.velocity", kNumbers, "m/s", "body, walk: ahead and to the left"},
     kAny,
     [](C& c) -> std::vector<double>& { return c.reference.velocity; }},
    {{"reference.yaw_rate", kNumber, "rad/s", "body, walk: to the left"},
     kAny,
     [](C& c) -> double& { return c.reference.yaw_rate; }},
    {{"reference.coordinate", kInteger, "", "line: which coordinate of v, from 0"},
     kNotNegative,
     [](C& c) -> int& { return c.reference.coordinate; }},
    {{"initial.q", kNumbers, "rad, m", "first configuration; else the keyframe home or qpos0"},
     kAny,
     [](C& c) -> std::optional<std::vector<double>>& { return c.initial_q; }},
    {{"initial.v", kNumbers, "rad/s, m/s", "first velocity; else the reference's"},
     kAny,
     [](C& c) -> std::optional<std::vector<double>>& { return c.initial_v; }},
    {{"initial.v_error", kNumbers, "rad/s, m/s", "first velocity less the reference's"},
     kAny,
     [](C& c) -> std::optional<std::vector<double>>& { return c.initial_v_error; }},
    {{"ground.type", kChoice, "",
      "what the floor is made into, beyond a flat part around the origin"},
     kAny,
     [](C& c) -> std::string& { return c.ground.type; },
     GroundNames},
    {{"ground.friction", kNumber, "", "true coefficient; else the model's"},
     kPositive,
     [](C& c) -> std::optional<double>& { return c.ground.friction; }},
    {{"ground.start_m", kNumber, "m", "slope, blocks: how far from the origin they begin"},
     kPositive,
     [](C& c) -> double& { return c.ground.start_m; }},
    {{"ground.slope_deg", kNumber, "°", "slope: up along x, and down again"},
     kPositive,
     [](C& c) -> double& { return c.ground.slope_deg; }},
    {{"ground.height_m", kNumber, "m", "blocks: their tops, up and down, by seed"},
     kPositive,
     [](C& c) -> double& { return c.ground.height_m; }},
    {{"ground.block_m", kNumber, "m", "blocks: how wide"},
     kPositive,
     [](C& c) -> double& { return c.ground.block_m; }},
    {{"ground.solref", kNumbers, "s, 1", "soft: time constant and damping ratio of contacts"},
     kPositive,
     [](C& c) -> std::vector<double>& { return c.ground.solref; }},
    {{"ground.solimp", kNumbers, "", "soft: MuJoCo's impedance of contacts"},
     kPositive,
     [](C& c) -> std::vector<double>& { return c.ground.solimp; }},
    {{"payload.body", kText, "", "the body that grasps the payload, a ball, and keeps it"},
     kAny,
     [](C& c) -> std::string& { return c.payload.body; }},
    {{"payload.mass_kg", kNumber, "kg", "mass of the payload"},
     kPositive,
     [](C& c) -> double& { return c.payload.mass_kg; }},
    {{"payload.at_s", kNumber, "s", "when the payload is grasped"},
     kNotNegative,
     [](C& c) -> double& { return c.payload.at_s; }},
    {{"payload.position_m", kNumbers, "m", "3 numbers, its centre in the body's frame"},
     kAny,
     [](C& c) -> std::vector<double>& { return c.payload.position; }},
    {{"payload.radius_m", kNumber, "m", "of the ball"},
     kPositive,
     [](C& c) -> double& { return c.payload.radius; }},
    {{"marks_s", kNumbers, "s", "times at which V is tabulated"},
     kNotNegative,
     [](C& c) -> std::vector<double>& { return c.marks_s; }},
};

constexpr KeyRow<W> kCommandKeys[] = {
    {{"reference.commands.*.at_s", kNumber, "s", "body, walk: from when on the command holds"},
     kNotNegative,
     [](W& w) -> double& { return w.at_s; }},
    {{"reference.commands.*.velocity", kNumbers, "m/s", "ahead and to the left"},
     kAny,
     [](W& w) -> std::vector<double>& { return w.velocity; }},
    {{"reference.commands.*.yaw_rate", kNumber, "rad/s", "to the left"},
     kAny,
     [](W& w) -> double& { return w.yaw_rate; }},
    {{"reference.commands.*.walk", kBoolean, "", "false: stop and stand"},
     kAny,
     [](W& w) -> bool& { return w.walk; }},
};

constexpr KeyRow<P> kPushKeys[] = {
    {{"pushes.*.body", kText, "",
      "the body's name in the model; else, for robots with a free joint, the robot as a whole"},
     kAny,
     [](P& p) -> std::string& { return p.body; }},
    {{"pushes.*.start_s", kNumber, "s", "when the push starts"},
     kNotNegative,
     [](P& p) -> double& { return p.start_s; }},
    {{"pushes.*.duration_s", kNumber, "s", "how long it lasts"},
     kPositive,
     [](P& p) -> double& { return p.duration_s; }},
    {{"pushes.*.shape", kChoice, "", "of the force over time"},
     kAny,
     [](P& p) -> std::string& { return p.shape; },
     ShapeNames},
    {{"pushes.*.force_N", kNumbers, "N",
      "3 numbers, world axes, at the centre of mass; a half sine's peak"},
     kAny,
     [](P& p) -> std::vector<double>& { return p.force; }},
    {{"pushes.*.impulse_Ns", kNumbers, "N·s", "3 numbers, in place of force_N"},
     kAny,
     [](P& p) -> std::vector<double>& { return p.impulse; }},
};

ConfigType TypeOf(const OptionInfo& option) {
  constexpr ConfigType kTypes[] = {kBoolean, kNumber, kText, kNumbers, kTexts};
  return option.choices.empty() ? kTypes[option.default_value.index()] : kChoice;
}

// Text that stays, as a row's key must.
std::string_view Keep(const std::string& text) {
  static std::mutex mutex;
  static std::set<std::string> kept;
  const std::lock_guard lock(mutex);
  return *kept.insert(text).first;
}

void AddOptionKeys(std::vector<ConfigKey>* keys) {
  for (const LawInfo* law : Laws()) {
    for (const OptionInfo& option : law->options) {
      const std::string key = "controller." + std::string(option.key);
      const bool has =
          std::any_of(keys->begin(), keys->end(), [&](const auto& row) { return row.key == key; });
      if (!has) keys->push_back({Keep(key), TypeOf(option), option.unit, option.doc});
    }
  }
}

}  // namespace

bool IsOfEveryLaw(std::string_view key) {
  const std::string full = "controller." + std::string(key);
  return std::ranges::any_of(SceneKeys(), [&](const auto& row) { return row.info.key == full; });
}

std::span<const KeyRow<SceneConfig>> SceneKeys() { return kSceneKeys; }
std::span<const KeyRow<SceneConfig::PushConfig>> PushKeys() { return kPushKeys; }
std::span<const KeyRow<W>> CommandKeys() { return kCommandKeys; }

}  // namespace internal

const char* ToString(ConfigType type) {
  switch (type) {
    case ConfigType::kText:
      return "text";
    case ConfigType::kTexts:
      return "texts";
    case ConfigType::kChoice:
      return "choice";
    case ConfigType::kNumber:
      return "number";
    case ConfigType::kInteger:
      return "whole number";
    case ConfigType::kBoolean:
      return "true or false";
    case ConfigType::kNumbers:
      return "numbers";
    case ConfigType::kRows:
      return "lists of numbers";
    case ConfigType::kNumberOrNumbers:
      break;
  }
  return "number or numbers";
}

std::vector<ConfigKey> ConfigKeys() {
  std::vector<ConfigKey> all;
  for (const auto& row : internal::SceneKeys()) {
    if (row.info.key == "name") all.push_back(internal::kBaseKey);
    if (row.info.key == "observer.gain") internal::AddOptionKeys(&all);
    if (row.info.key == "reference.type") all.push_back(internal::kGainKey);
    all.push_back(row.info);
    if (row.info.key == "initial.q") all.push_back(internal::kJointKey);
    if (row.info.key != "reference.yaw_rate") continue;
    for (const auto& command : internal::CommandKeys()) all.push_back(command.info);
  }
  for (const auto& row : internal::PushKeys()) all.push_back(row.info);
  return all;
}

std::vector<std::string> ConfigKeyNames(const std::string& prefix) {
  std::vector<std::string> names;
  const std::string start = prefix.empty() ? "" : prefix + ".";
  for (const ConfigKey& row : ConfigKeys()) {
    if (!row.key.starts_with(start)) continue;
    const std::string_view rest = row.key.substr(start.size());
    const std::string name(rest.substr(0, rest.find('.')));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

}  // namespace civita
