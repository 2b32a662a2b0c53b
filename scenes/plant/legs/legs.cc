#include "civita/scenes/plant/legs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/text.h"
#include "civita/controllers/legs/leg_state.h"
#include "civita/frame_motion.h"
#include "civita/kinematics.h"
#include "civita/scenes/plant/actuation.h"
#include "civita/scenes/plant/coupling.h"
#include "civita/scenes/schema/checked.h"
#include "civita/scenes/schema/key_error.h"
#include "civita/scenes/schema/key_row.h"
#include "civita/scenes/schema/yaml_value.h"
#include "civita/suggest.h"
#include "civita/workspace.h"

namespace civita {
namespace {

constexpr const char* kFeetKey = "legs.feet";

[[noreturn]] void RefuseFeet(const std::string& what) { RefuseValue(kFeetKey, ": " + what); }

// Whether the geom touches anything of the world; where the world has nothing to touch, whether it
// touches any other geom.
bool Carries(const mjModel& m, int geom) {
  bool any = false;
  for (int other = 0; other < m.ngeom; ++other) {
    if (m.body_weldid[m.geom_bodyid[other]] != 0 || !CanTouchAny(m, other)) continue;
    if (CanTouch(m, geom, other)) return true;
    any = true;
  }
  return !any && CanTouchAny(m, geom);
}

// Takes the spheres of `body`, and of bodies fixed to it, that carry the robot as the balls of a
// foot whose frame is known.
void FindBalls(const mjModel& m, int body, const Model& model, Foot* foot) {
  const Pose& X_BF = foot->frame.X_BF;
  for (int geom = 0; geom < m.ngeom; ++geom) {
    if (m.geom_type[geom] != mjGEOM_SPHERE || !IsFixedTo(m, m.geom_bodyid[geom], body)) continue;
    if (!Carries(m, geom)) continue;
    const double radius = m.geom_size[3 * geom];
    if (!foot->points.empty() && radius != foot->radius) {
      RefuseFeet("the balls of " + foot->name + " have different radii, " +
                 ToYamlText(foot->radius) + " and " + ToYamlText(radius) + " m");
    }
    foot->radius = radius;
    const Pose& X_BM = model.frames()[static_cast<size_t>(m.geom_bodyid[geom]) - 1].X_BF;
    const Eigen::Vector3d center = Eigen::Map<const Eigen::Vector3d>(m.geom_pos + 3 * geom);
    foot->points.emplace_back(X_BF.R.transpose() * (X_BM.R * center + X_BM.p - X_BF.p));
  }
}

void CheckBalls(const Foot& foot) {
  if (foot.points.empty()) {
    RefuseFeet(foot.name + " has no sphere that touches others; legs.points_m gives it some");
  }
  if (foot.points.size() == 2) {
    RefuseFeet(foot.name + " has 2 balls; a point foot has 1, a flat one 3 or more");
  }
}

// Whether two feet have a part in common.
bool Overlap(const mjModel& m, const std::string& a, const std::string& b) {
  const int body = FindMujocoFrame(m, a).body, other = FindMujocoFrame(m, b).body;
  return body >= 0 && other >= 0 && (IsFixedTo(m, body, other) || IsFixedTo(m, other, body));
}

void CheckFeet(const mjModel& m, const std::vector<std::string>& feet) {
  if (feet.size() < 2) RefuseFeet("two feet or more are wanted");
  if (feet.size() > LegState::kMaxFeet) {
    RefuseFeet(std::to_string(LegState::kMaxFeet) + " feet at most, not " +
               std::to_string(feet.size()));
  }
  for (auto foot = feet.begin(); foot != feet.end(); ++foot) {
    const auto same = std::find_if(feet.begin(), foot, [&](const std::string& other) {
      return other == *foot || Overlap(m, *foot, other);
    });
    if (same == foot) continue;
    RefuseFeet(*same == *foot ? *foot + " is named twice"
                              : *same + " and " + *foot + " are one body");
  }
}

Foot FindFoot(const mjModel& m, const Model& model, const std::string& name) {
  Foot foot;
  foot.name = name;
  foot.frame = FindFrameOf(model, name, Eigen::Vector3d::Zero(), kFeetKey);
  if (foot.frame.body < 0) RefuseFeet(name + " is a part of the world");
  FindBalls(m, FindMujocoFrame(m, name).body, model, &foot);
  CheckBalls(foot);
  return foot;
}

// The names in the map at `key` are those of feet.
template <typename Value>
void CheckNames(const std::string& key, const ByName<Value>& values,
                const std::vector<std::string>& feet) {
  for (const auto& [name, value] : values.own) {
    if (std::ranges::find(feet, name) != feet.end()) continue;
    throw KeyError(std::string(key).append(".").append(name),
                   std::string(key).append(": ").append(UnknownName("foot", name, feet)));
  }
}

void CheckGait(const GaitOptions& gait) {
  if (gait.shortest_step_s > gait.step_s || gait.step_s > gait.longest_step_s) {
    RefuseValue("gait.step_s",
                ": " + ToYamlText(gait.step_s) + " s is not between gait.shortest_step_s, " +
                    ToYamlText(gait.shortest_step_s) + " s, and gait.longest_step_s, " +
                    ToYamlText(gait.longest_step_s) + " s");
  }
  if (gait.exchange_s >= gait.shortest_step_s) {
    RefuseValue("gait.exchange_s", ": " + ToYamlText(gait.exchange_s) +
                                       " s leaves nothing of a step of " +
                                       ToYamlText(gait.shortest_step_s) + " s, the shortest");
  }
}

// Adds a ball at `point` (3) in the axes of the body or site `name`; unknown names are skipped.
void AddBall(const std::string& name, const std::vector<double>& point, double radius,
             mjSpec* spec) {
  mjsElement* at = mjs_findElement(spec, mjOBJ_SITE, name.c_str());
  mjsBody* body = at ? mjs_getParent(at) : mjs_findBody(spec, name.c_str());
  if (body == nullptr) return;
  mjsGeom* ball = mjs_addGeom(body, nullptr);
  if (at != nullptr) {
    const mjsSite* site = mjs_asSite(at);
    mjsFrame* frame = mjs_addFrame(body, mjs_getFrame(at));
    std::copy_n(site->pos, 3, frame->pos);
    std::copy_n(site->quat, 4, frame->quat);
    frame->alt = site->alt;
    mjs_setFrame(ball->element, frame);
  }
  ball->type = mjGEOM_SPHERE;
  ball->size[0] = radius;
  std::copy_n(point.data(), 3, ball->pos);
  ball->mass = 0;
  ball->contype = 0;
  ball->conaffinity = 1;
  ball->friction[0] = kBallFriction;
  const bool studio = mjs_findElement(spec, mjOBJ_MATERIAL, "joint") != nullptr;
  mjs_setString(ball->material, studio ? "joint" : "");
}

}  // namespace

std::span<const KeyRow<LegConfig>> LegKeys() {
  using C = LegConfig;
  using enum NumberRange;
  static constexpr KeyRow<C> kKeys[] = {
      {"feet", &C::feet, "", "whole_body: bodies or sites whose spheres are the feet"},
      {"points_m", &C::points, "m",
       "spheres to add to each foot's body, in its axes; a map: by foot; default: the model's own"},
      {"radius_m", &C::radius, "m", "of the spheres that are added; a map: by foot", kPositive},
      {"friction", &C::friction, "", "whole_body: coefficient that the law assumes", kPositive},
      {"base_task", &C::base_task, "", "whole_body: when standing, the base is moved, not the CoM"},
      {"momentum_weight", &C::momentum_weight, "s/(kg·m²)",
       "whole_body: of the task that damps the angular momentum", kNotNegative},
      {"ahead", &C::ahead, "", "whole_body: which way of the base is ahead, in its axes"},
  };
  return kKeys;
}

std::span<const KeyRow<GaitOptions>> GaitKeys() {
  using C = GaitOptions;
  using enum NumberRange;
  static constexpr KeyRow<C> kKeys[] = {
      {"step_s", &C::step_s, "s", "whole_body: duration of a step", kPositive},
      {"shortest_step_s", &C::shortest_step_s, "s",
       "whole_body: minimum duration of a biped's step", kPositive},
      {"longest_step_s", &C::longest_step_s, "s", "whole_body: maximum duration of a biped's step",
       kPositive},
      {"exchange_s", &C::exchange_s, "s", "whole_body: time in which load passes between the feet",
       kNotNegative},
      {"swing_height_m", &C::swing_height, "m", "whole_body: how high a foot is lifted", kPositive},
      {"reach_m", &C::reach, "m", "whole_body: maximum distance of a point foot from below its hip",
       kPositive},
      {"trigger_m", &C::trigger, "m",
       "whole_body: steps when the capture point is inside the support by less"},
      {"dcm_gain", &C::dcm_gain, "1/s",
       "whole_body: rate of an observer of the DCM; 0: as measured", kNotNegative},
      {"return_s", &C::return_s, "s", "whole_body: time in which the CoM returns over the feet",
       kPositive},
      {"may_step", &C::may_step, "", "whole_body: false: never lifts a foot on its own"},
  };
  return kKeys;
}

std::shared_ptr<const LegOptions> FindLegs(const LegConfig& given, const mjModel& m,
                                           const Model& control_model, const Actuation& actuation,
                                           const Eigen::VectorXd& q_home, double dt_s) {
  if (given.feet.empty()) return nullptr;
  if (m.njnt == 0 || m.jnt_type[0] != mjJNT_FREE) {
    const std::string first =
        m.njnt == 0 ? "it has none" : "its first is " + control_model.joints().front().name;
    RefuseFeet("the model's first joint must be a free one, that of the robot's base; " + first);
  }
  CheckFeet(m, given.feet);
  CheckGait(given.gait);
  auto legs = std::make_shared<LegOptions>();
  for (const std::string& name : given.feet) {
    legs->feet.push_back(FindFoot(m, control_model, name));
    const Foot &foot = legs->feet.back(), &first = legs->feet.front();
    if (foot.flat() == first.flat()) continue;
    RefuseFeet((foot.flat() ? first : foot).name + " is a point and " +
               (foot.flat() ? foot : first).name + " is flat; all must be of one kind");
  }
  legs->friction = given.friction;
  legs->tau_max = actuation.upper();
  legs->base_task = given.base_task;
  legs->momentum_weight = given.momentum_weight;
  legs->ahead = internal::CheckedPoint("legs.ahead", given.ahead);
  if (legs->ahead.isZero(0)) RefuseValue("legs.ahead", " must have a direction");
  legs->gait = given.gait;
  legs->q_home = q_home;
  legs->dt = dt_s;
  return legs;
}

void AddFootBalls(const LegConfig& legs, mjSpec* spec) {
  CheckNames("legs.points_m", legs.points, legs.feet);
  CheckNames("legs.radius_m", legs.radius, legs.feet);
  for (const std::string& name : legs.feet) {
    const bool own = legs.points.own.contains(name);
    for (const std::vector<double>& point : legs.points.Of(name)) {
      if (point.size() != 3) {
        RefuseValue(own ? "legs.points_m." + name : "legs.points_m", ": each point is 3 numbers");
      }
      AddBall(name, point, legs.radius.Of(name), spec);
    }
  }
}

bool IsFixedTo(const mjModel& m, int body, int other) {
  while (body > 0 && body != other && m.body_dofnum[body] == 0) body = m.body_parentid[body];
  return body == other;
}

std::vector<FootClearance> CalcClearances(const Model& model, const LegOptions& legs,
                                          const FloorPlane& floor, const Eigen::VectorXd& q) {
  Workspace<double> workspace(model);
  UpdateKinematics<double>(model, q, workspace);
  std::vector<FootClearance> clearances;
  for (const Foot& foot : legs.feet) {
    constexpr double kFar = std::numeric_limits<double>::infinity();
    FootClearance& clearance = clearances.emplace_back(FootClearance{kFar, -kFar});
    const auto pose = CalcFramePose(model, foot.frame, workspace);
    for (const Eigen::Vector3d& point : foot.points) {
      const Eigen::Vector3d center = pose.R * point + pose.p;
      const double gap = (floor.normal.dot(center - floor.point) - foot.radius) / floor.normal.z();
      clearance.lowest = std::min(clearance.lowest, gap);
      clearance.highest = std::max(clearance.highest, gap);
    }
  }
  return clearances;
}

double SetOnFloor(const Model& model, const LegOptions& legs, const FloorPlane& floor,
                  Eigen::VectorXd* q) {
  constexpr double kTouching = 1e-6;  // m
  double lowest = std::numeric_limits<double>::infinity();
  for (const FootClearance& foot : CalcClearances(model, legs, floor, *q)) {
    lowest = std::min(lowest, foot.lowest);
  }
  if (std::abs(lowest) <= kTouching) return 0;
  (*q)[2] -= lowest;
  return -lowest;
}

}  // namespace civita
