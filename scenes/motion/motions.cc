#include "civita/scenes/motion/motions.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <limits>
#include <numbers>
#include <utility>

#include "civita/controllers/legs/leg_options.h"
#include "civita/error.h"
#include "civita/scenes/motion/body_motion.h"
#include "civita/scenes/motion/excitation.h"
#include "civita/scenes/motion/motion_file.h"
#include "civita/scenes/motion/spline.h"
#include "civita/scenes/motion/task_path.h"
#include "civita/scenes/plant/start.h"
#include "civita/scenes/schema/checked.h"
#include "civita/scenes/schema/key_error.h"
#include "civita/scenes/schema/text.h"
#include "civita/scenes/schema/yaml_value.h"
#include "civita/suggest.h"

namespace civita {
namespace {

using internal::CheckedPoint;
using internal::ShortNumber;

}  // namespace

// Through the rows at their times, from `center` at rest unless the first time is 0.
std::unique_ptr<Reference> MakeWaypoints(ReferenceConfig& r, const MotionContext& context) {
  const Eigen::VectorXd& center = context.center;
  const std::string times = "reference.times_s", rows = "reference.waypoints";
  if (r.waypoints.empty()) throw KeyError(rows, rows + " holds no rows");
  if (r.times_s.size() != r.waypoints.size()) {
    throw KeyError(times, times + " has " + internal::Count(r.times_s.size(), "number") + " for " +
                              internal::Count(r.waypoints.size(), "row") + " of " + rows);
  }
  const bool from_center = r.times_s.front() > 0;
  Knots knots;
  if (from_center) knots.t.push_back(0);
  for (const double t : r.times_s) knots.t.push_back(t);
  knots.q.resize(center.size(), static_cast<Eigen::Index>(knots.t.size()));
  if (from_center) knots.q.col(0) = center;
  if (knots.t.size() < 2) {
    throw KeyError(times, times + ": one waypoint at 0 s is no motion");
  }
  for (size_t k = 0; k < r.waypoints.size(); ++k) {
    if (k > 0 && r.times_s[k] <= r.times_s[k - 1]) {
      throw KeyError(times, times + " must grow: " + ToYamlText(r.times_s[k]) + " s follows " +
                                ToYamlText(r.times_s[k - 1]) + " s");
    }
    knots.q.col(static_cast<Eigen::Index>(k) + (from_center ? 1 : 0)) = internal::CheckedPosition(
        context.plant, rows + "[" + std::to_string(k) + "]", r.waypoints[k]);
  }
  if (const auto jump = FindJump(context.plant, knots)) {
    const auto k = static_cast<size_t>(jump->knot);
    throw KeyError(rows, rows + "[" + std::to_string(k - (from_center ? 1 : 0)) +
                             "] is a jump: " + context.plant.VelocityName(jump->iv) + " by " +
                             ShortNumber(jump->way) + " in " +
                             ShortNumber(knots.t[k] - knots.t[k - 1]) + " s");
  }
  return MakeSpline(context.plant, std::move(knots), r.repeat);
}

std::unique_ptr<Reference> MakeFromFile(ReferenceConfig& r, const MotionContext& context) {
  if (r.file.empty()) {
    throw KeyError("reference.file", "reference.file, the CSV file, is missing");
  }
  Knots knots = ReadMotionFile(r.file, context.plant);
  if (knots.v.size() > 0) {
    const double end = knots.t.back();
    Eigen::Index iv = 0;
    const double speed = knots.v.col(knots.v.cols() - 1).cwiseAbs().maxCoeff(&iv);
    if (speed > 0.01 && end < context.duration_s) {
      context.notices->push_back("the reference's file ends in motion at " + ShortNumber(end) +
                                 " s (" + context.plant.VelocityName(static_cast<int>(iv)) +
                                 "); it stands still from there on");
    }
  }
  return MakeSpline(context.plant, std::move(knots));
}

std::unique_ptr<Reference> MakeExcitationOf(ReferenceConfig& r, const MotionContext& context) {
  if (r.harmonics < 3) {
    throw KeyError("reference.harmonics",
                   "reference.harmonics must be 3 at least, not " + std::to_string(r.harmonics));
  }
  FillExcitation(context.mj, context.actuation, context.center, &r);
  return MakeExcitation(context.plant, context.center,
                        internal::Spread("reference.amplitude", r.amplitude, context.plant.nv()),
                        r.base_hz, r.harmonics, context.seed);
}

namespace {

TaskPath ReadTaskPath(const ReferenceConfig& r) {
  TaskPath path;
  path.start_s = r.start_s;
  path.duration_s = r.duration_s;
  path.repeat = r.repeat;
  path.fade_s = r.fade_s;
  path.turn = CheckedPoint("reference.turn", r.turn);
  if (r.type == "task_line") {
    path.by = CheckedPoint("reference.by_m", r.by);
    return path;
  }
  const bool circle = r.type == "task_circle";
  path.shape = circle ? TaskPath::Shape::kCircle : TaskPath::Shape::kEight;
  path.normal = CheckedPoint("reference.normal", r.normal);
  if (path.normal.norm() < 1e-9) {
    throw KeyError("reference.normal", "reference.normal is zero");
  }
  if (circle) {
    path.size[0] = r.radius;
  } else {
    if (r.size.size() != 2) {
      throw KeyError("reference.size_m", "reference.size_m must be 2 numbers, width and height");
    }
    std::copy(r.size.begin(), r.size.end(), path.size);
  }
  return path;
}

}  // namespace

std::unique_ptr<Reference> MakeTaskPathOf(ReferenceConfig& r, const MotionContext& context) {
  const Eigen::VectorXd& center = context.center;
  const Model::NamedFrame frame =
      FindFrameOf(context.mj, context.plant, r.frame, CheckedPoint("reference.offset_m", r.offset),
                  "reference.frame");
  std::unique_ptr<Reference> reference =
      MakeTaskPath(context.plant, center, frame, ReadTaskPath(r));
  // Repeated paths have been everywhere after going there and back.
  const double whole = r.start_s + r.fade_s + 2 * r.duration_s;
  const Miss miss =
      FindWorstMiss(context.plant, center, frame, *reference, std::min(whole, context.duration_s));
  if (miss.distance > 1e-3) {
    throw KeyError("reference.type", "the path is out of reach: at " + ShortNumber(miss.t) + " s " +
                                         r.frame + " stays " + ShortNumber(miss.distance) +
                                         " m away from it");
  }
  return reference;
}

namespace {

Eigen::Vector2d CheckedVelocity(const std::string& key, const std::vector<double>& given) {
  if (given.size() == 2) return Eigen::Vector2d(given.data());
  throw KeyError(key, key + " must be 2 numbers, ahead and to the left");
}

int FindFootToLift(const std::string& name, const LegOptions* legs) {
  const std::string key = "reference.foot";
  if (legs == nullptr) throw KeyError(key, key + ": the config names no feet (legs.feet)");
  std::vector<std::string> names;
  for (const Foot& foot : legs->feet) names.push_back(foot.name);
  if (names.size() < 2) throw KeyError(key, key + ": the robot would stand on no foot");
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<int>(found - names.begin());
  if (!name.empty()) throw KeyError(key, UnknownName("foot", name, names));
  throw KeyError(
      key, key + ", the foot to lift, is missing; valid: " + internal::List(names, names.size()));
}

[[noreturn]] void RefuseOrder(const std::string& key, double at, double before) {
  throw KeyError(key,
                 key + " must grow: " + ToYamlText(at) + " s follows " + ToYamlText(before) + " s");
}

// The course, or the one walk that the reference's own keys say.
std::vector<WalkCommand> ReadWalk(const ReferenceConfig& r, const MotionContext& context) {
  std::vector<WalkCommand> commands;
  if (r.commands.empty()) {
    const Eigen::Vector2d velocity = CheckedVelocity("reference.velocity", r.velocity);
    commands.push_back({r.start_s, velocity, r.yaw_rate, true});
    if (r.for_s) commands.push_back({r.start_s + *r.for_s - r.fade_s, {0, 0}, 0, false});
    return commands;
  }
  for (const char* key : {"start_s", "for_s", "velocity", "yaw_rate"}) {
    const std::string whole = std::string("reference.") + key;
    if (!context.is_given(whole)) continue;
    throw KeyError(whole, whole + " and reference.commands are both given; give one of them");
  }
  for (size_t i = 0; i < r.commands.size(); ++i) {
    const auto& command = r.commands[i];
    const std::string prefix = "reference.commands." + std::to_string(i);
    const Eigen::Vector2d velocity = CheckedVelocity(prefix + ".velocity", command.velocity);
    if (!command.walk && (velocity.norm() > 0 || command.yaw_rate != 0)) {
      throw KeyError(prefix, prefix + " stands and has a velocity");
    }
    if (i > 0 && command.at_s <= commands.back().at_s) {
      RefuseOrder(prefix + ".at_s", command.at_s, commands.back().at_s);
    }
    commands.push_back({command.at_s, velocity, command.yaw_rate, command.walk});
  }
  return commands;
}

// Fills in what suits the motion.
void FillBody(const MotionContext& context, ReferenceConfig* r) {
  const bool sine = r->motion == BodyMotion::Kind::kSine,
             squat = r->motion == BodyMotion::Kind::kSquat;
  if (r->frequency_hz.empty()) r->frequency_hz = {sine ? 0.5 : squat ? 0.3 : 0.25};
  if (r->frequency_hz.size() != 1 || r->frequency_hz[0] <= 0) {
    throw KeyError("reference.frequency_hz",
                   "reference.frequency_hz of a body must be one number > 0");
  }
  constexpr double kTurn = 10 * std::numbers::pi / 180;
  if (sine && r->amplitude.empty()) r->amplitude = {0.05, 0.05, 0.05, kTurn, kTurn, kTurn};
  if (sine && r->amplitude.size() != 6) {
    throw KeyError("reference.amplitude",
                   "reference.amplitude of a body must be 6 numbers: x y z roll pitch yaw");
  }
  const bool shift = r->motion == BodyMotion::Kind::kShift;
  if (shift && !context.is_given("reference.by_m")) r->by = {0, 0.04, 0};
  if (r->for_s && r->motion != BodyMotion::Kind::kLift && *r->for_s < 2 * r->fade_s) {
    throw KeyError("reference.for_s", "reference.for_s is " + ToYamlText(*r->for_s) +
                                          " s, too short to fade in and out in " +
                                          ToYamlText(r->fade_s) + " s (reference.fade_s) each");
  }
}

}  // namespace

std::unique_ptr<Reference> MakeBody(ReferenceConfig& r, const MotionContext& context) {
  using Kind = BodyMotion::Kind;
  if (context.plant.joints().front().type != JointType::kFree) {
    throw KeyError("reference.type",
                   "reference.type body moves a robot whose first joint is free; this one's is "
                   "not");
  }
  FillBody(context, &r);
  BodyMotion motion;
  motion.start_s = r.start_s;
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
    motion.by = CheckedPoint("reference.by_m", r.by);
  } else if (r.motion == Kind::kLift) {
    motion.foot = FindFootToLift(r.foot, context.legs);
  } else if (r.motion == Kind::kWalk) {
    motion.commands = ReadWalk(r, context);
  }
  return MakeBodyMotion(context.plant, context.center, motion);
}

namespace {

std::vector<std::string> NamesOf(const mjModel& m, mjtObj type, mjtSize count) {
  std::vector<std::string> names;
  for (int i = type == mjOBJ_BODY ? 1 : 0; i < count; ++i) {
    const char* name = mj_id2name(&m, type, i);
    if (name != nullptr && *name != '\0') names.emplace_back(name);
  }
  return names;
}

}  // namespace

Model::NamedFrame FindFrameOf(const mjModel& m, const Model& plant, const std::string& name,
                              const Eigen::Vector3d& offset, const std::string& key) {
  const int site = mj_name2id(&m, mjOBJ_SITE, name.c_str());
  const int body = site >= 0 ? m.site_bodyid[site] : mj_name2id(&m, mjOBJ_BODY, name.c_str());
  if (body < 0) {
    std::vector<std::string> names = NamesOf(m, mjOBJ_SITE, m.nsite);
    const std::vector<std::string> bodies = NamesOf(m, mjOBJ_BODY, m.nbody);
    names.insert(names.end(), bodies.begin(), bodies.end());
    throw KeyError(key, UnknownName("site or body", name, names));
  }
  Pose X_BF;
  if (site >= 0) {
    mjtNum R[9];
    mju_quat2Mat(R, m.site_quat + 4 * site);
    X_BF.R = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(R);
    X_BF.p = Eigen::Map<const Eigen::Vector3d>(m.site_pos + 3 * site);
  }
  X_BF.p += X_BF.R * offset;
  Model::NamedFrame frame;  // of the world, for body 0
  if (body > 0) frame = plant.frames()[static_cast<size_t>(body) - 1];
  return {name, frame.body, frame.X_BF * X_BF};
}

void CheckJointLimits(const mjModel& m, const Model& plant, Reference& reference,
                      const Eigen::VectorXd& q_start, double duration_s,
                      std::vector<std::string>* notices) {
  constexpr int kSamples = 500;
  const int nv = plant.nv();
  ReferenceState state{q_start, Eigen::VectorXd::Zero(nv), Eigen::VectorXd::Zero(nv)};
  std::vector<double> beyond(static_cast<size_t>(m.njnt), 1e-6), when(beyond.size(), 0);
  for (int k = 0; k <= kSamples; ++k) {
    const double t = duration_s * k / kSamples;
    reference.Sample(t, state);
    for (int joint = 0; joint < m.njnt; ++joint) {
      const bool scalar = m.jnt_type[joint] == mjJNT_HINGE || m.jnt_type[joint] == mjJNT_SLIDE;
      if (!scalar || !m.jnt_limited[joint]) continue;
      const double q = state.q[m.jnt_qposadr[joint]];
      const double out = std::max(m.jnt_range[2 * joint] - q, q - m.jnt_range[2 * joint + 1]);
      double& worst = beyond[static_cast<size_t>(joint)];
      if (out <= worst) continue;
      worst = out;
      when[static_cast<size_t>(joint)] = t;
    }
  }
  std::vector<std::string> joints;
  for (int joint = 0; joint < m.njnt; ++joint) {
    const auto i = static_cast<size_t>(joint);
    if (beyond[i] <= 1e-6) continue;
    joints.push_back(plant.VelocityName(m.jnt_dofadr[joint]) + " by " + ShortNumber(beyond[i]) +
                     (m.jnt_type[joint] == mjJNT_HINGE ? " rad at " : " m at ") +
                     ShortNumber(when[i]) + " s");
  }
  if (!joints.empty()) {
    notices->push_back("the reference goes beyond joint limits: " + internal::List(joints));
  }
}

}  // namespace civita
