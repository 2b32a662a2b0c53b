#include "civita/scenes/plant/actuation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "civita/error.h"
#include "civita/scenes/schema/text.h"

namespace civita {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string NameOf(const mjModel& m, mjtObj type, int id) {
  const char* name = mj_id2name(&m, type, id);
  return name != nullptr && *name != '\0' ? name : std::to_string(id);
}

// Factor on the torque along the motion at this share of the speed limit.
double SpeedFactor(double share) {
  constexpr double kFull = 0.9;
  return std::clamp((1 - share) / (1 - kFull), 0.0, 1.0);
}

// Clamps the range to [a, b] (in either order); to the nearer end if they are disjoint.
void Cut(double a, double b, double* lower, double* upper) {
  *lower = std::clamp(*lower, std::min(a, b), std::max(a, b));
  *upper = std::clamp(*upper, std::min(a, b), std::max(a, b));
}

bool IsDisabled(const mjModel& m, int actuator) {
  const int group = m.actuator_group[actuator];
  return group >= 0 && group <= 30 && ((m.opt.disableactuator >> group) & 1) != 0;
}

bool OnJoint(const mjModel& m, int actuator) {
  const int type = m.actuator_trntype[actuator];
  return type == mjTRN_JOINT || type == mjTRN_JOINTINPARENT;
}

// Whether the torque is gear · gain · ctrl and nothing else.
bool IsMotor(const mjModel& m, int i) {
  return m.actuator_gaintype[i] == mjGAIN_FIXED && m.actuator_biastype[i] == mjBIAS_NONE &&
         m.actuator_dyntype[i] == mjDYN_NONE && m.actuator_ctrlnum[i] == 1 &&
         m.actuator_outnum[i] == 1 && m.actuator_plugin[i] < 0 && m.actuator_delay[i] == 0 &&
         m.actuator_gainprm[mjNGAIN * i] != 0;
}

// The coordinate that a joint's actuator moves, and its gear; nullopt for several or none.
struct Geared {
  int iv;
  double gear;
};
std::optional<Geared> FindCoordinate(const mjModel& m, int i) {
  const int joint = m.actuator_trnid[2 * i];
  const mjtNum* gear = m.actuator_gear + 6 * m.actuator_outadr[i];
  const int type = m.jnt_type[joint];
  const int iv = m.jnt_dofadr[joint];
  if (type == mjJNT_HINGE || type == mjJNT_SLIDE) {
    return gear[0] != 0 ? std::optional<Geared>({iv, gear[0]}) : std::nullopt;
  }
  if (m.actuator_trntype[i] == mjTRN_JOINTINPARENT) return std::nullopt;
  std::optional<Geared> found;
  for (int k = 0; k < (type == mjJNT_FREE ? 6 : 3); ++k) {
    if (gear[k] == 0) continue;
    if (found) return std::nullopt;
    found = {iv + k, gear[k]};
  }
  return found;
}

// The actuators of a model by use.
struct Survey {
  std::vector<Actuation::Channel> motors;
  std::vector<Actuation::Channel> direct;   ///< replacing servos
  std::vector<int> off;                     ///< to disable
  std::vector<std::string> servos, others;  ///< their names
};

Survey SurveyActuators(const mjModel& m) {
  Survey survey;
  for (int i = 0; i < m.nactuator; ++i) {
    if (IsDisabled(m, i)) continue;
    const std::optional<Geared> geared =
        OnJoint(m, i) ? FindCoordinate(m, i) : std::optional<Geared>();
    Actuation::Channel channel{geared ? geared->iv : -1, -1, 1, -kInfinity, kInfinity};
    if (geared && m.actuator_forcelimited[i]) {
      Cut(geared->gear * m.actuator_forcerange[2 * i],
          geared->gear * m.actuator_forcerange[2 * i + 1], &channel.lower, &channel.upper);
    }
    if (geared && IsMotor(m, i)) {
      channel.ctrl = m.actuator_ctrladr[i];
      channel.gain = geared->gear * m.actuator_gainprm[mjNGAIN * i];
      if (m.actuator_ctrllimited[channel.ctrl] && (m.opt.disableflags & mjDSBL_CLAMPCTRL) == 0) {
        Cut(channel.gain * m.actuator_ctrlrange[2 * channel.ctrl],
            channel.gain * m.actuator_ctrlrange[2 * channel.ctrl + 1], &channel.lower,
            &channel.upper);
      }
      survey.motors.push_back(channel);
      continue;
    }
    survey.off.push_back(i);
    (OnJoint(m, i) ? survey.servos : survey.others).push_back(NameOf(m, mjOBJ_ACTUATOR, i));
    if (geared) survey.direct.push_back(channel);
  }
  return survey;
}

// Puts the actuators into a disabled group of their own.
void SwitchOff(const std::vector<int>& actuators, mjModel* m) {
  int group = 30;
  const int* end = m->actuator_group + m->nactuator;
  const int* begin = m->actuator_group;
  while (group >= 0 && std::find(begin, end, group) != end) --group;
  if (group < 0) {
    throw UserError("the model uses all 31 actuator groups; none is left to switch servos off");
  }
  m->opt.disableactuator |= 1 << group;
  for (const int i : actuators) m->actuator_group[i] = group;
}

}  // namespace

void Actuation::AddChannel(const Channel& channel) {
  lower_[channel.iv] += channel.lower;
  upper_[channel.iv] += channel.upper;
  channels_.push_back(channel);
}

void Actuation::ClampByJoints(const mjModel& m) {
  for (int joint = 0; joint < m.njnt; ++joint) {
    const bool scalar = m.jnt_type[joint] == mjJNT_HINGE || m.jnt_type[joint] == mjJNT_SLIDE;
    if (!scalar || !m.jnt_actfrclimited[joint]) continue;
    const int iv = m.jnt_dofadr[joint];
    Cut(m.jnt_actfrcrange[2 * joint], m.jnt_actfrcrange[2 * joint + 1], &lower_[iv], &upper_[iv]);
  }
}

std::vector<std::string> Actuation::PassiveJoints(const mjModel& m, bool feet_hold_base) const {
  std::vector<std::string> names;
  for (int iv = 0; iv < m.nv; ++iv) {
    if (feet_hold_base && m.jnt_type[m.dof_jntid[iv]] == mjJNT_FREE) continue;
    const std::string name = NameOf(m, mjOBJ_JOINT, m.dof_jntid[iv]);
    if (is_passive(iv) && (names.empty() || names.back() != name)) names.push_back(name);
  }
  return names;
}

Actuation Actuation::Make(mjModel* m, std::vector<std::string>* notices, bool feet_hold_base) {
  Actuation a;
  a.lower_ = a.upper_ = Eigen::VectorXd::Zero(m->nv);
  a.speed_max_ = Eigen::VectorXd::Constant(m->nv, kInfinity);
  const Survey survey = SurveyActuators(*m);
  for (const Channel& channel : survey.motors) a.AddChannel(channel);
  for (const Channel& channel : survey.direct) {
    // A joint with a motor needs no other drive; of two servos only the first is replaced.
    const bool driven = std::any_of(a.channels_.begin(), a.channels_.end(),
                                    [&](const Channel& c) { return c.iv == channel.iv; });
    if (!driven) a.AddChannel(channel);
  }
  if (survey.motors.empty() && survey.off.empty()) {
    for (int iv = 0; iv < m->nv; ++iv) a.AddChannel({iv, -1, 1, -kInfinity, kInfinity});
  }
  std::stable_sort(a.channels_.begin(), a.channels_.end(),
                   [](const Channel& x, const Channel& y) { return x.iv < y.iv; });
  a.ClampByJoints(*m);

  if (!survey.off.empty()) SwitchOff(survey.off, m);
  if (!survey.motors.empty() && (m->opt.disableflags & mjDSBL_ACTUATION) != 0) {
    m->opt.disableflags &= ~mjDSBL_ACTUATION;
    notices->push_back("the model's actuation was switched off; it is switched on");
  }
  if (!survey.servos.empty()) {
    notices->push_back(
        "actuators that are no plain motors are switched off, and their joints "
        "driven directly within the force ranges: " +
        internal::List(survey.servos));
  }
  if (!survey.others.empty()) {
    notices->push_back("actuators that act on no joint are switched off: " +
                       internal::List(survey.others));
  }
  const std::vector<std::string> passive = a.PassiveJoints(*m, feet_hold_base);
  if (!passive.empty()) {
    notices->push_back("joints that nothing drives stay passive: " + internal::List(passive));
  }
  return a;
}

bool Actuation::Apply(const Eigen::VectorXd& tau, mjData* d, Eigen::VectorXd& applied) const {
  bool limited = false;
  for (Eigen::Index iv = 0; iv < tau.size(); ++iv) {
    applied[iv] = std::clamp(tau[iv], lower_[iv], upper_[iv]);
    const double speed = d->qvel[iv];
    if (applied[iv] * speed > 0) applied[iv] *= SpeedFactor(std::abs(speed) / speed_max_[iv]);
    if (applied[iv] != tau[iv] && !is_passive(static_cast<int>(iv))) limited = true;
  }
  int iv = -1;
  double left = 0;
  for (const Channel& channel : channels_) {
    if (channel.iv != iv) {
      iv = channel.iv;
      left = applied[iv];
    }
    const double torque = std::clamp(left, channel.lower, channel.upper);
    left -= torque;
    if (channel.ctrl >= 0) {
      d->ctrl[channel.ctrl] = torque / channel.gain;
    } else {
      d->qfrc_applied[iv] = torque;
    }
  }
  return limited;
}

}  // namespace civita
