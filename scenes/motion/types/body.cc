#include <algorithm>
#include <cstddef>
#include <limits>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "civita/error.h"
#include "civita/scenes/motion/body_motion.h"
#include "civita/scenes/motion/types/types.h"
#include "civita/scenes/schema/checked.h"
#include "civita/scenes/schema/key_error.h"
#include "civita/scenes/schema/yaml_value.h"
#include "civita/suggest.h"

namespace civita {
namespace {

/// One command of a walk.
struct CommandKeys {
  double at_s = 0;
  std::vector<double> velocity = {0, 0};  ///< m/s
  double yaw_rate = 0;                    ///< rad/s
  bool walk = true;
};

struct BodyKeys {
  BodyMotion::Kind motion = BodyMotion::Kind::kStand;
  std::vector<double> amplitude, frequency_hz;
  double fade_s = 1;
  std::optional<double> start_s, for_s;
  bool repeat = true;
  double depth = 0.1;
  std::optional<std::vector<double>> by;
  std::optional<std::vector<double>> velocity;
  std::optional<double> yaw_rate;
  std::string foot;
  /// Replaces start_s, for_s, velocity and yaw_rate.
  std::vector<CommandKeys> commands;
};

constexpr Choice<BodyMotion::Kind> kMotions[] = {
    {"stand", BodyMotion::Kind::kStand}, {"sine", BodyMotion::Kind::kSine},
    {"squat", BodyMotion::Kind::kSquat}, {"shift", BodyMotion::Kind::kShift},
    {"lift", BodyMotion::Kind::kLift},   {"walk", BodyMotion::Kind::kWalk}};

std::span<const KeyRow<CommandKeys>> CommandRows() {
  static constexpr KeyRow<CommandKeys> kRows[] = {
      {"at_s", &CommandKeys::at_s, "s", "walk: time from which the command applies",
       NumberRange::kNotNegative},
      {"velocity", &CommandKeys::velocity, "m/s", "ahead and to the left"},
      {"yaw_rate", &CommandKeys::yaw_rate, "rad/s", "to the left"},
      {"walk", &CommandKeys::walk, "", "false: stop and stand"},
  };
  return kRows;
}

constexpr KeyRow<BodyKeys> kBodyKeys[] = {
    {"motion", OneOf<&BodyKeys::motion, kMotions>(), "", "what a legged robot does"},
    {"amplitude", OneOrAll{&BodyKeys::amplitude}, "rad, m", "sine: x y z roll pitch yaw"},
    {"frequency_hz", OneOrAll{&BodyKeys::frequency_hz}, "Hz", "sine, squat, shift: one number",
     NumberRange::kNotNegative},
    {"fade_s", &BodyKeys::fade_s, "s", "time to fade in and out", NumberRange::kNotNegative},
    {"start_s", &BodyKeys::start_s, "s", "when the motion starts; default: at 0 s",
     NumberRange::kNotNegative},
    {"for_s", &BodyKeys::for_s, "s", "how long, fades included; default: to the end",
     NumberRange::kPositive},
    {"repeat", &BodyKeys::repeat, "", "sine: forever"},
    {"depth_m", &BodyKeys::depth, "m", "squat: how far down", NumberRange::kPositive},
    {"by_m", &BodyKeys::by, "m", "shift: displacement, world axes; default: 4 cm to the left"},
    {"velocity", &BodyKeys::velocity, "m/s", "walk: ahead and to the left; default: 0"},
    {"yaw_rate", &BodyKeys::yaw_rate, "rad/s", "walk: to the left; default: 0"},
    {"foot", &BodyKeys::foot, "", "lift: which foot"},
    {"commands", ListOf<&BodyKeys::commands, CommandRows>(), "", ""},
};

Eigen::Vector2d CheckedVelocity(const std::string& key, const std::vector<double>& given) {
  if (given.size() == 2) return Eigen::Vector2d(given.data());
  RefuseValue(key, " must be 2 numbers, ahead and to the left");
}

int FindFootToLift(const std::string& name, const LegOptions* legs) {
  const std::string key = "reference.foot";
  if (legs == nullptr) RefuseValue(key, ": the config names no feet (legs.feet)");
  std::vector<std::string> names;
  for (const Foot& foot : legs->feet) names.push_back(foot.name);
  if (names.size() < 2) RefuseValue(key, ": the robot would stand on no foot");
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<int>(found - names.begin());
  if (!name.empty()) throw KeyError(key, UnknownName("foot", name, names));
  RefuseValue(key, ", the foot to lift, is missing; valid: " + internal::Join(names, ", "));
}

// The commands, or a single one from the reference's own keys.
std::vector<WalkCommand> ReadWalk(const BodyKeys& r) {
  std::vector<WalkCommand> commands;
  if (r.commands.empty()) {
    const Eigen::Vector2d velocity = CheckedVelocity("reference.velocity", *r.velocity);
    commands.push_back({*r.start_s, velocity, *r.yaw_rate, true});
    if (r.for_s) commands.push_back({*r.start_s + *r.for_s - r.fade_s, {0, 0}, 0, false});
    return commands;
  }
  for (const auto& [key, is_given] :
       {std::pair("start_s", r.start_s.has_value()), std::pair("for_s", r.for_s.has_value()),
        std::pair("velocity", r.velocity.has_value()),
        std::pair("yaw_rate", r.yaw_rate.has_value())}) {
    if (!is_given) continue;
    RefuseValue(std::string("reference.") + key,
                " and reference.commands are both given; give one of them");
  }
  for (size_t i = 0; i < r.commands.size(); ++i) {
    const auto& command = r.commands[i];
    const std::string prefix = "reference.commands." + std::to_string(i);
    const Eigen::Vector2d velocity = CheckedVelocity(prefix + ".velocity", command.velocity);
    if (!command.walk && (velocity.norm() > 0 || command.yaw_rate != 0)) {
      RefuseValue(prefix, " stands and has a velocity");
    }
    if (i > 0 && command.at_s <= commands.back().at_s) {
      RefuseValue(prefix + ".at_s", " must grow: " + ToYamlText(command.at_s) + " s follows " +
                                        ToYamlText(commands.back().at_s) + " s");
    }
    commands.push_back({command.at_s, velocity, command.yaw_rate, command.walk});
  }
  return commands;
}

// Fills in defaults that depend on the motion.
void FillBody(BodyKeys* r) {
  const bool sine = r->motion == BodyMotion::Kind::kSine,
             squat = r->motion == BodyMotion::Kind::kSquat;
  if (r->frequency_hz.empty()) r->frequency_hz = {sine ? 0.5 : squat ? 0.3 : 0.25};
  if (r->frequency_hz.size() != 1 || r->frequency_hz[0] <= 0) {
    RefuseValue("reference.frequency_hz", " of a body must be one number > 0");
  }
  constexpr double kTurn = 10 * std::numbers::pi / 180;
  if (sine && r->amplitude.empty()) r->amplitude = {0.05, 0.05, 0.05, kTurn, kTurn, kTurn};
  if (sine && r->amplitude.size() != 6) {
    RefuseValue("reference.amplitude", " of a body must be 6 numbers: x y z roll pitch yaw");
  }
  if (r->motion == BodyMotion::Kind::kShift && !r->by) r->by = {0, 0.04, 0};
  if (r->commands.empty()) {
    if (!r->start_s) r->start_s = 0;
    const bool walk = r->motion == BodyMotion::Kind::kWalk;
    if (walk && !r->velocity) r->velocity = {0, 0};
    if (walk && !r->yaw_rate) r->yaw_rate = 0;
  }
  if (r->for_s && r->motion != BodyMotion::Kind::kLift && *r->for_s < 2 * r->fade_s) {
    RefuseValue("reference.for_s", " is " + ToYamlText(*r->for_s) +
                                       " s, too short to fade in and out in " +
                                       ToYamlText(r->fade_s) + " s (reference.fade_s) each");
  }
}

std::unique_ptr<Reference> BodyOf(BodyKeys& r, const MotionContext& context) {
  using Kind = BodyMotion::Kind;
  if (context.plant.joints().front().type != JointType::kFree) {
    RefuseValue("reference.type",
                " body moves a robot whose first joint is free; this one's is not");
  }
  FillBody(&r);
  BodyMotion motion;
  motion.start_s = r.start_s.value_or(0);
  motion.for_s = r.for_s.value_or(std::numeric_limits<double>::infinity());
  motion.fade_s = r.fade_s;
  motion.frequency_hz = r.frequency_hz.front();
  motion.repeat = r.repeat;
  motion.kind = r.motion;
  if (r.motion == Kind::kSine) {
    motion.amplitude = internal::AsVector(r.amplitude);
  } else if (r.motion == Kind::kSquat) {
    motion.by = {0, 0, -r.depth};
  } else if (r.motion == Kind::kShift) {
    motion.by = internal::CheckedPoint("reference.by_m", *r.by);
  } else if (r.motion == Kind::kLift) {
    motion.foot = FindFootToLift(r.foot, context.legs);
  } else if (r.motion == Kind::kWalk) {
    motion.commands = ReadWalk(r);
  }
  return MakeBodyMotion(context.plant, context.center, motion);
}

}  // namespace

constinit const ReferenceType kBodyReference =
    ReferenceTypeOf<kBodyKeys, BodyOf>("body", "a legged robot's body or walk");

}  // namespace civita
