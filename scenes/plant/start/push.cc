#include "civita/scenes/plant/push.h"

#include <mujoco/mujoco.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/text.h"
#include "civita/scenes/plant/coupling.h"
#include "civita/scenes/schema/checked.h"
#include "civita/scenes/schema/key_error.h"
#include "civita/scenes/schema/key_row.h"
#include "civita/scenes/schema/yaml_value.h"
#include "civita/suggest.h"

namespace civita {

std::span<const KeyRow<PushConfig>> PushKeys() {
  using C = PushConfig;
  using enum NumberRange;
  static constexpr Choice<PushShape> kShapes[] = {{"constant", PushShape::kConstant},
                                                  {"half_sine", PushShape::kHalfSine},
                                                  {"sine", PushShape::kSine}};
  static constexpr KeyRow<C> kKeys[] = {
      {"body", &C::body, "",
       "name of the body; default for robots with a free joint: the robot as a whole"},
      {"joint", &C::joint, "",
       "name of a hinge, slide or ball that joint_force drives, not a body"},
      {"point_m", &C::point, "m",
       "3 numbers, where it acts on the body, in its axes; default: its centre of mass"},
      {"start_s", &C::start_s, "s", "when the push starts", kNotNegative},
      {"duration_s", &C::duration_s, "s",
       "how long it lasts; default: 0.1, with shape sine to the end of the run", kPositive},
      {"shape", OneOf<&C::shape, kShapes>(), "", "of the force over time"},
      {"frequency_hz", &C::frequency_hz, "Hz", "of shape sine, less than half the control rate",
       kPositive},
      {"phase_rad", &C::phase, "rad", "of shape sine, at its start; default: 0"},
      {"force_N", &C::force, "N", "3 numbers, world axes; a half sine's peak, a sine's amplitude"},
      {"impulse_Ns", &C::impulse, "N·s", "3 numbers, in place of force_N"},
      {"joint_force", &C::joint_force, "N·m or N",
       "1 number of a hinge or slide, 3 of a ball, in place of force_N"},
  };
  return kKeys;
}

double Push::ShareAt(double t, double dt) const {
  if (!acts(t, dt)) return 0;
  if (shape == PushShape::kConstant) return 1;
  if (shape == PushShape::kSine) return std::sin(omega * (t + 0.5 * dt - start_s) + phase);
  const double x = std::clamp((t + 0.5 * dt - start_s) / duration_s, 0.0, 1.0);
  return std::sin(std::numbers::pi * x);
}

namespace {

/// The first step, at k·dt, for which t = k·dt is not less than `t` − dt/2.
double FirstStep(double t, double dt) {
  double k = std::ceil(t / dt - 0.5);
  // The division may have been rounded.
  if (k * dt < t - 0.5 * dt) ++k;
  if ((k - 1) * dt >= t - 0.5 * dt) --k;
  return k;
}

/// Σ sin(π x) over `count` values of x, from `first` in steps of `step`.
double SumOfSines(double first, double step, double count) {
  using std::numbers::pi;
  if (count == 1) return std::sin(pi * first);
  const double half = 0.5 * pi * step;
  return std::sin(pi * first + (count - 1) * half) * std::sin(count * half) / std::sin(half);
}

bool IsNotFree(const mjModel& m, int joint) { return m.jnt_type[joint] != mjJNT_FREE; }

void PlaceOnBody(const PushConfig& given, const std::string& key, const mjModel& m, double dt_s,
                 Push* push) {
  const int base = FindFreeBody(m);
  const int body = mj_name2id(&m, mjOBJ_BODY, given.body.c_str());
  if (given.body.empty() && base < 0) RefuseValue(key, " lacks the key 'body'");
  if (!given.body.empty() && body <= 0) {
    throw KeyError(key + ".body", UnknownName("body", given.body, BodyNames(m)));
  }
  push->body = given.body.empty() ? base : body;
  push->of_tree = given.body.empty();
  if (!given.point.empty()) push->point = internal::CheckedPoint(key + ".point_m", given.point);
  push->force = given.impulse.empty()
                    ? Eigen::Vector3d(internal::AsVector(given.force))
                    : CalcForceOfImpulse(*push, internal::AsVector(given.impulse), dt_s);
}

void PlaceOnJoint(const PushConfig& given, const std::string& key, const mjModel& m, Push* push) {
  push->joint = mj_name2id(&m, mjOBJ_JOINT, given.joint.c_str());
  if (push->joint < 0 || !IsNotFree(m, push->joint)) {
    const auto names = NamesOf(m, mjOBJ_JOINT, IsNotFree);
    throw KeyError(key + ".joint", UnknownName("hinge, slide or ball", given.joint, names));
  }
  const Eigen::Index size = m.jnt_type[push->joint] == mjJNT_BALL ? 3 : 1;
  if (std::ssize(given.joint_force) != size) {
    RefuseValue(key + ".joint_force", " has " +
                                          internal::Count(given.joint_force.size(), "number") +
                                          ", joint " + given.joint + " " + std::to_string(size));
  }
  push->body = m.jnt_bodyid[push->joint];
  push->force.head(size) = internal::AsVector(given.joint_force);
}

}  // namespace

Eigen::Vector3d CalcForceOfImpulse(const Push& push, const Eigen::Vector3d& impulse, double dt) {
  const double first = std::max(0.0, FirstStep(push.start_s, dt));
  const double count = FirstStep(push.start_s + push.duration_s, dt) - first;
  if (!(count > 0)) return Eigen::Vector3d::Zero();
  double sum = count;
  if (push.shape == PushShape::kHalfSine) {
    sum = SumOfSines(((first + 0.5) * dt - push.start_s) / push.duration_s, dt / push.duration_s,
                     count);
  }
  if (!(sum > 0)) return Eigen::Vector3d::Zero();
  return impulse / (sum * dt);
}

Eigen::Vector3d FindPushedPoint(const Push& push, const mjData& d) {
  using Map = Eigen::Map<const Eigen::Vector3d>;
  if (!push.point) return Map((push.of_tree ? d.subtree_com : d.xipos) + 3 * push.body);
  const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> R(d.xmat + 9 * push.body);
  return Map(d.xpos + 3 * push.body) + R * *push.point;
}

void AddPush(const mjModel& m, const Push& push, double share, mjData* d) {
  const Eigen::Vector3d force = share * push.force;
  Eigen::Map<Eigen::Vector3d> f(d->xfrc_applied + 6 * push.body);
  Eigen::Map<Eigen::Vector3d> moment(d->xfrc_applied + 6 * push.body + 3);
  f += force;
  if (!push.of_tree && !push.point) return;
  mj_kinematics(&m, d);
  mj_comPos(&m, d);
  const Eigen::Map<const Eigen::Vector3d> own(d->xipos + 3 * push.body);
  moment += (FindPushedPoint(push, *d) - own).cross(force);
}

int FindFreeBody(const mjModel& m) {
  for (int joint = 0; joint < m.njnt; ++joint) {
    if (m.jnt_type[joint] == mjJNT_FREE) return m.jnt_bodyid[joint];
  }
  return -1;
}

void AddJointPush(const mjModel& m, const Push& push, double share,
                  Eigen::Ref<Eigen::VectorXd> tau) {
  const int size = m.jnt_type[push.joint] == mjJNT_BALL ? 3 : 1;
  tau.segment(m.jnt_dofadr[push.joint], size) += share * push.force.head(size);
}

std::vector<Push> MakePushes(std::span<const PushConfig> pushes, const mjModel& m, double dt_s) {
  std::vector<Push> made;
  for (const PushConfig& given : pushes) {
    const std::string key = "pushes." + std::to_string(made.size());
    const bool is_sine = given.shape == PushShape::kSine;
    Push push{.start_s = given.start_s,
              .duration_s = given.duration_s.value_or(
                  is_sine ? std::numeric_limits<double>::infinity() : 0.1),
              .shape = given.shape,
              .phase = given.phase.value_or(0)};
    if (is_sine) {
      push.omega = 2 * std::numbers::pi * given.frequency_hz.value_or(0);
      if (push.omega * dt_s >= std::numbers::pi) {
        RefuseValue(key + ".frequency_hz", " is " + ToYamlText(*given.frequency_hz) +
                                               ", control steps resolve less than " +
                                               ToYamlText(0.5 / dt_s) + " Hz");
      }
    }
    if (given.joint.empty()) {
      PlaceOnBody(given, key, m, dt_s, &push);
    } else {
      PlaceOnJoint(given, key, m, &push);
    }
    made.push_back(push);
  }
  return made;
}

}  // namespace civita
