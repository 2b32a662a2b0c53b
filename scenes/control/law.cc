#include "civita/scenes/control/law.h"

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

#include "civita/error.h"
#include "civita/factorization_text.h"
#include "civita/scenes/motion/reference_types.h"
#include "civita/scenes/plant/coupling.h"
#include "civita/scenes/schema/checked.h"
#include "civita/scenes/schema/formula.h"
#include "civita/scenes/schema/gain_value.h"
#include "civita/scenes/schema/key_error.h"
#include "civita/scenes/schema/key_row.h"

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

}  // namespace civita
