#include "civita/scenes/motion/reference_config.h"

#include "civita/scenes/motion/reference_types.h"
#include "civita/scenes/schema/key_row.h"

namespace civita {
namespace {

using enum NumberRange;
using Ref = ReferenceConfig;

std::vector<std::string> TypeNames() {
  std::vector<std::string> names;
  for (const ReferenceType* type : ReferenceTypes()) names.emplace_back(type->name);
  return names;
}

constexpr Choice<BodyMotion::Kind> kMotions[] = {
    {"stand", BodyMotion::Kind::kStand}, {"sine", BodyMotion::Kind::kSine},
    {"squat", BodyMotion::Kind::kSquat}, {"shift", BodyMotion::Kind::kShift},
    {"lift", BodyMotion::Kind::kLift},   {"walk", BodyMotion::Kind::kWalk}};

constexpr KeyRow<CommandConfig> kCommandKeys[] = {
    {"at_s", &CommandConfig::at_s, "s", "body, walk: from when on the command holds", kNotNegative},
    {"velocity", &CommandConfig::velocity, "m/s", "ahead and to the left"},
    {"yaw_rate", &CommandConfig::yaw_rate, "rad/s", "to the left"},
    {"walk", &CommandConfig::walk, "", "false: stop and stand"},
};

constexpr KeyRow<Ref> kReferenceKeys[] = {
    {"type", OneOfNames<&Ref::type, TypeNames>(), "", "desired motion"},
    {"amplitude", OneOrAll{&Ref::amplitude}, "rad, m",
     "sinusoid, excitation; body, sine: x y z roll pitch yaw"},
    {"frequency_hz", OneOrAll{&Ref::frequency_hz}, "Hz", "sinusoid; body, one number",
     kNotNegative},
    {"phase", OneOrAll{&Ref::phase}, "rad", "sinusoid"},
    {"fade_s", &Ref::fade_s, "s", "sinusoid, closed task paths: time to fade in; body: in and out",
     kNotNegative},
    {"to", &Ref::to, "rad, m", "quintic: goal, as q"},
    {"start_s", &Ref::start_s, "s", "quintic, task paths, body: when the motion starts",
     kNotNegative},
    {"duration_s", &Ref::duration_s, "s", "quintic, task paths: from end to end, or round",
     kPositive},
    {"repeat", &Ref::repeat, "", "quintic, waypoints, task paths, body's sine: for ever"},
    {"waypoints", &Ref::waypoints, "rad, m", "waypoints: rows as q"},
    {"times_s", &Ref::times_s, "s", "waypoints: when each is passed; from home at 0", kNotNegative},
    {"file", &Ref::file, "", "file: CSV of t, q, and if wanted v and vdot"},
    {"base_hz", &Ref::base_hz, "Hz", "excitation: its lowest frequency", kPositive},
    {"harmonics", &Ref::harmonics, "", "excitation: multiples of the lowest frequency, ≥ 3",
     kNotNegative},
    {"frame", &Ref::frame, "", "task paths: the site or body that moves"},
    {"offset_m", &Ref::offset, "m", "task paths: from the frame's origin, in its axes"},
    {"by_m", &Ref::by, "m", "task_line, body's shift: the way, world axes"},
    {"radius_m", &Ref::radius, "m", "task_circle", kPositive},
    {"size_m", &Ref::size, "m", "task_eight: width and height", kPositive},
    {"normal", &Ref::normal, "", "task_circle, task_eight: of the plane, world axes"},
    {"turn", &Ref::turn, "rad", "task paths: turn there and back, a rotation vector"},
    {"motion", OneOf<&Ref::motion, kMotions>(), "", "body: what a legged robot does"},
    {"for_s", &Ref::for_s, "s", "body: how long, fades included; else to the end", kPositive},
    {"depth_m", &Ref::depth, "m", "body, squat: how far down", kPositive},
    {"foot", &Ref::foot, "", "body, lift: which foot"},
    {"velocity", &Ref::velocity, "m/s", "body, walk: ahead and to the left"},
    {"yaw_rate", &Ref::yaw_rate, "rad/s", "body, walk: to the left"},
    {"commands", ListOf<&Ref::commands, CommandKeys>(), "", ""},
    {"coordinate", &Ref::coordinate, "", "line: which coordinate of v, from 0", kNotNegative},
};

}  // namespace

std::span<const KeyRow<CommandConfig>> CommandKeys() { return kCommandKeys; }

std::span<const KeyRow<ReferenceConfig>> ReferenceKeys() { return kReferenceKeys; }

}  // namespace civita
