#include "civita/scenes/control/law.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <string>
#include <utility>
#include <variant>

#include "base/text.h"
#include "civita/controllers/law_info.h"
#include "civita/error.h"
#include "civita/factorization_text.h"
#include "civita/scenes/motion/reference_types.h"
#include "civita/scenes/plant/coupling.h"
#include "civita/scenes/plant/model_file.h"
#include "civita/scenes/schema/checked.h"
#include "civita/scenes/schema/formula.h"
#include "civita/scenes/schema/gain_value.h"
#include "civita/scenes/schema/key_error.h"
#include "civita/scenes/schema/key_row.h"
#include "civita/scenes/schema/yaml_value.h"

namespace civita {
namespace {

std::vector<std::string> LawNames() {
  std::vector<std::string> names;
  for (const LawInfo* law : Laws()) names.emplace_back(law->type);
  return names;
}

// Makes the law; prefixes its errors with the key.
std::unique_ptr<Controller> MakeLawOf(const LawInfo& law, const Model& model,
                                      const ControllerOptions& options) {
  const std::string name = "controller.type: the law '" + std::string(law.type) + "' ";
  std::unique_ptr<Controller> made;
  try {
    made = law.make(model, options);
  } catch (const UserError& error) {
    const std::string what = error.what();
    throw KeyError(what.substr(0, what.find(':')), what);
  } catch (const std::exception&) {
    throw;
  } catch (...) {
    throw KeyError("controller.type", name + "threw what is no exception when it was made");
  }
  if (made == nullptr) throw KeyError("controller.type", name + "made no controller");
  return made;
}

// The laws that move a frame, and those that do so with one of their options set.
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

constexpr double kMaxSubsteps = 1e6;
constexpr double kMaxDelay = 1000;  // control periods

}  // namespace

std::span<const KeyRow<LawConfig>> LawKeys() {
  using C = LawConfig;
  using enum NumberRange;
  static constexpr Choice<GainForm> kForms[] = {{"mass", GainForm::kMass},
                                                {"diagonal", GainForm::kDiagonal}};
  static constexpr KeyRow<C> kKeys[] = {
      {"type", OneOfNames<&C::controller, LawNames>(), "", "control law"},
      {"factorization", &C::factorization, "", "which Coriolis matrix"},
      {"coordinates", &C::coordinates, "",
       "velocities of the law's gains and errors: v, or w with v = A(q) w"},
      {"gain_form", OneOf<&C::gain_form, kForms>(), "",
       "gains times H(q), or diagonal in joint units"},
      {"model_scale", &C::model_scale, "",
       "factor on the model file's inertias in the controller's model", kPositive},
      {"estimate", &C::estimate, "",
       "YAML or JSON file of the controller's estimates of some bodies' inertias"},
      {"*", &C::law_options, "", "options of the law, LawInfo::options"},
  };
  return kKeys;
}

std::span<const KeyRow<LawConfig>> GainKeys() {
  static constexpr KeyRow<LawConfig> kKeys[] = {
      {"gains", &LawConfig::gains, "see the law",
       "gains of the law, ≥ 0; or bandwidth_hz, damping_ratio", NumberRange::kNotNegative},
  };
  return kKeys;
}

std::unique_ptr<Controller> MakeController(const Model& control_model,
                                           const std::filesystem::path& directory,
                                           ControllerOptions options, LawConfig* config) {
  const LawInfo& law = FindLaw(config->controller);
  try {
    options.factorization = ReadFactorization(config->factorization, control_model, directory);
  } catch (const UserError& error) {
    throw KeyError("controller.factorization", std::string("controller.") + error.what());
  }
  config->factorization = ToString(options.factorization);
  options.own = config->law_options;
  options.gain_form = config->gain_form;
  std::unique_ptr<Controller> controller = MakeLawOf(law, control_model, options);
  for (const ParameterInfo& gain : controller->parameters()) {
    const auto given = config->gains.find(std::string(gain.key));
    if (given == config->gains.end()) continue;
    const bool is_whole = !config->gains_by_entries.contains(given->first);
    controller->set_gain(gain.key,
                         internal::FitGain(gain, {given->second, is_whole}, control_model.nv()));
  }
  return controller;
}

std::span<const KeyRow<ObserverConfig>> ObserverKeys() {
  using C = ObserverConfig;
  using enum NumberRange;
  static constexpr KeyRow<C> kKeys[] = {
      {"gain", OneOrAll{&C::gain}, "1/s", "momentum observer of the disturbance; default: none",
       kNotNegative},
      {"threshold", OneOrAll{&C::threshold}, "N·m, N", "a disturbance above is a contact",
       kNotNegative},
      {"compensate", &C::compensate, "", "subtract the disturbance from the torque"},
  };
  return kKeys;
}

ObserverOptions MakeObserver(const ObserverConfig& observer, int nv) {
  if (observer.gain.empty()) {
    const std::string key = observer.compensate ? "observer.compensate" : "observer.threshold";
    if (!observer.compensate && observer.threshold.empty()) return {};
    RefuseValue(key, " needs observer.gain: there is no observer");
  }
  ObserverOptions options;
  options.K_I = internal::Spread("observer.gain", observer.gain, nv);
  if (!observer.threshold.empty()) {
    options.threshold = internal::Spread("observer.threshold", observer.threshold, nv);
  }
  options.compensate = observer.compensate;
  return options;
}

std::span<const KeyRow<TaskConfig>> TaskKeys() {
  using C = TaskConfig;
  static constexpr Choice<TaskKind> kKinds[] = {{"position", TaskKind::kPosition},
                                                {"pose", TaskKind::kPose},
                                                {"xy", TaskKind::kXY},
                                                {"xz", TaskKind::kXZ},
                                                {"yz", TaskKind::kYZ}};
  static constexpr KeyRow<C> kKeys[] = {
      {"frame", &C::frame, "",
       "laws of a task: site or body; default: reference.frame or the last body that moves"},
      {"kind", OneOf<&C::kind, kKinds>(), "",
       "laws of a task: the frame's position, its orientation too, or its position in a plane of "
       "the world"},
      {"offset_m", &C::offset, "m", "laws of a task: from the frame's origin, in its axes"},
  };
  return kKeys;
}

bool MovesFrame(const LawConfig& law) {
  return FindLaw(law.controller).MovesFrame(law.law_options);
}

TaskFrame FindTask(const ReferenceConfig& reference, const Model& plant, TaskConfig* task) {
  if (const MovedFrame* moved = reference.moved_frame(); moved && task->frame.empty()) {
    task->frame = moved->frame;
    task->offset = moved->offset;
  }
  if (task->frame.empty()) {
    const auto moves = [](const Model::NamedFrame& frame) { return frame.body >= 0; };
    const auto last = std::ranges::find_if(plant.frames().rbegin(), plant.frames().rend(), moves);
    task->frame = last->name;
  }
  return {FindFrameOf(plant, task->frame, internal::CheckedPoint("task.offset_m", task->offset),
                      "task.frame"),
          task->kind};
}

void CheckTaskPath(const ReferenceConfig& reference, const LawConfig& law) {
  if (reference.moved_frame() == nullptr || MovesFrame(law)) return;
  RefuseValue("reference.type", " " + std::string(reference.type().name) +
                                    " moves a frame, which controller.type " + law.controller +
                                    " cannot follow; valid: " + ListTaskLaws());
}

std::span<const KeyRow<ControlConfig>> ControlKeys() {
  using C = ControlConfig;
  using enum NumberRange;
  static constexpr Choice<ControlMode> kModes[] = {{"held", ControlMode::kHeld},
                                                   {"every_stage", ControlMode::kEveryStage}};
  static constexpr KeyRow<C> kKeys[] = {
      {"mode", OneOf<&C::mode, kModes>(), "",
       "torque held between control steps, or law in every stage"},
      {"rate_hz", &C::rate_hz, "Hz", "control steps; held mode", kPositive},
      {"delay_s", &C::delay_s, "s", "held mode: delay of the measurements, whole control periods",
       kNotNegative},
      {"encoder_resolution", &C::encoder_resolution, "rad, m",
       "held mode: of hinges and slides; 0: exact", kNotNegative},
      {"velocity_filter_hz", &C::velocity_filter_hz, "Hz",
       "held mode: velocity by a low-pass filtered difference of the positions; 0: measured",
       kNotNegative},
      {"actuation_delay_s", &C::actuation_delay_s, "s",
       "held mode: delay of the torques, whole control periods", kNotNegative},
  };
  return kKeys;
}

std::span<const KeyRow<NoiseConfig>> NoiseKeys() {
  using C = NoiseConfig;
  using enum NumberRange;
  static constexpr KeyRow<C> kKeys[] = {
      {"joint_position", &C::joint_position, "rad, m",
       "held mode: σ of the positions of hinges and slides", kNotNegative},
      {"joint_velocity", &C::joint_velocity, "rad/s, m/s", "held mode: σ of their velocities",
       kNotNegative},
      {"orientation_rad", &C::orientation, "rad", "held mode: σ of free and ball joints, each axis",
       kNotNegative},
      {"angular_velocity", &C::angular_velocity, "rad/s", "held mode: σ of free and ball joints",
       kNotNegative},
      {"position_m", &C::position, "m", "held mode: σ of free joints, each axis", kNotNegative},
      {"velocity", &C::velocity, "m/s", "held mode: σ of free joints, each axis", kNotNegative},
  };
  return kKeys;
}

double SettleRate(const ControlConfig& control, bool is_given, const PhysicsConfig& physics,
                  double timestep_s, std::vector<std::string>* notices) {
  if (control.mode == ControlMode::kEveryStage) {
    const double rate_hz = 1 / timestep_s;
    if (is_given && std::abs(control.rate_hz / rate_hz - 1) > 1e-6) {
      notices->push_back("control.rate_hz = " + ToYamlText(control.rate_hz) +
                         " does not apply: in every_stage the law acts at each stage of the "
                         "integrator, whose step is " +
                         ToYamlText(timestep_s) + " s");
    }
    return rate_hz;
  }
  const double ratio = 1 / (control.rate_hz * timestep_s);
  const double whole = std::max(1.0, std::round(ratio));
  if (whole > kMaxSubsteps) {
    throw KeyError("physics.timestep_s", "a control period of " + ToYamlText(1 / control.rate_hz) +
                                             " s takes more than 1e6 timesteps of " +
                                             ToYamlText(timestep_s) + " s");
  }
  if (std::abs(ratio / whole - 1) < 1e-6) return control.rate_hz;
  if (is_given) {
    RefuseValue("control.rate_hz",
                " = " + ToYamlText(control.rate_hz) +
                    ": the control period must be a whole multiple of the timestep, which is " +
                    ToYamlText(timestep_s) + " s" +
                    (physics.timestep_s ? " (physics.timestep_s)" : " in the model"));
  }
  const double rate_hz = 1 / (whole * timestep_s);
  notices->push_back("control runs at " + internal::ShortNumber(rate_hz) +
                     " Hz, which the model's timestep allows");
  return rate_hz;
}

void CheckMode(const ControlConfig& control, const LawInfo& law) {
  if (control.mode != ControlMode::kEveryStage || !law.is_discrete) return;
  RefuseValue("control.mode", " every_stage: controller.type " + std::string(law.type) +
                                  " counts control steps; valid: held");
}

void CheckSensors(const ControlConfig& control, const NoiseConfig& noise) {
  std::vector<internal::BoundKey> keys;
  ControlConfig bound_control = control;  // only for reading
  NoiseConfig bound_noise = noise;
  // All but mode and rate_hz.
  internal::Bind("control", ControlKeys().subspan(2), &bound_control, &keys);
  internal::Bind("noise", NoiseKeys(), &bound_noise, &keys);
  for (const internal::BoundKey& row : keys) {
    if (*std::get<double*>(row.value) == 0 || control.mode == ControlMode::kHeld) continue;
    RefuseValue(row.key, " needs control.mode held; in every_stage the law sees the motion itself");
  }
  for (const auto& [key, delay_s] :
       {std::pair("control.delay_s", control.delay_s),
        std::pair("control.actuation_delay_s", control.actuation_delay_s)}) {
    const double steps = delay_s * control.rate_hz;
    if (std::abs(steps - std::round(steps)) <= 1e-6 && steps <= kMaxDelay) continue;
    RefuseValue(key, " = " + ToYamlText(delay_s) +
                         ": a whole number of control periods, which are " +
                         ToYamlText(1 / control.rate_hz) + " s, up to " + ToYamlText(kMaxDelay) +
                         " of them");
  }
}

}  // namespace civita
