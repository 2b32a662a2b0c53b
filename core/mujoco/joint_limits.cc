#include "civita/mujoco/joint_limits.h"

#include <algorithm>
#include <limits>

namespace civita {

namespace {

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

ForceRange RangeOf(const mjtNum* range) { return {range[0], range[1]}; }

/// Both ends moved to where `outer` has them.
ForceRange Within(const ForceRange& outer, const ForceRange& range) {
  return {std::clamp(range.lower, outer.lower, outer.upper),
          std::clamp(range.upper, outer.lower, outer.upper)};
}

ForceRange Times(double factor, const ForceRange& range) {
  if (factor == 0) return {0, 0};
  const double a = factor * range.lower, b = factor * range.upper;
  return {std::min(a, b), std::max(a, b)};
}

}  // namespace

bool IsScalarJoint(const mjModel& mj, int joint) {
  return mj.jnt_type[joint] == mjJNT_HINGE || mj.jnt_type[joint] == mjJNT_SLIDE;
}

bool ActsOnJoint(const mjModel& mj, int actuator) {
  const int type = mj.actuator_trntype[actuator];
  return type == mjTRN_JOINT || type == mjTRN_JOINTINPARENT;
}

bool IsDisabledActuator(const mjModel& mj, int actuator) {
  const int group = mj.actuator_group[actuator];
  return group >= 0 && group <= 30 && ((mj.opt.disableactuator >> group) & 1) != 0;
}

bool HasForceOfControl(const mjModel& mj, int actuator) {
  return mj.actuator_gaintype[actuator] == mjGAIN_FIXED &&
         mj.actuator_biastype[actuator] == mjBIAS_NONE &&
         mj.actuator_dyntype[actuator] == mjDYN_NONE && mj.actuator_ctrlnum[actuator] == 1 &&
         mj.actuator_outnum[actuator] == 1 && mj.actuator_plugin[actuator] < 0 &&
         mj.actuator_gainprm[mjNGAIN * actuator] != 0;
}

ForceRange FindForceRange(const mjModel& mj, int actuator) {
  ForceRange force = {-kUnlimited, kUnlimited};
  const int ctrl = mj.actuator_ctrladr[actuator];
  if (HasForceOfControl(mj, actuator) && mj.actuator_ctrllimited[ctrl] &&
      (mj.opt.disableflags & mjDSBL_CLAMPCTRL) == 0) {
    force =
        Times(mj.actuator_gainprm[mjNGAIN * actuator], RangeOf(mj.actuator_ctrlrange + 2 * ctrl));
  }
  if (mj.actuator_forcelimited[actuator])
    force = Within(RangeOf(mj.actuator_forcerange + 2 * actuator), force);
  return force;
}

std::string VelocityLimitName(const std::string& joint) { return "civita.velocity_limit." + joint; }

void ReadLimits(const mjModel& mj, int joint, JointProperties* properties) {
  if (!IsScalarJoint(mj, joint)) return;
  if (mj.jnt_limited[joint]) {
    properties->position_lower = mj.jnt_range[2 * joint];
    properties->position_upper = mj.jnt_range[2 * joint + 1];
  }
  ForceRange effort = {-kUnlimited, kUnlimited}, sum = {0, 0};
  for (int i = 0; i < mj.nactuator; ++i) {
    if (!ActsOnJoint(mj, i) || mj.actuator_trnid[2 * i] != joint || IsDisabledActuator(mj, i))
      continue;
    const ForceRange force =
        Times(mj.actuator_gear[6 * mj.actuator_outadr[i]], FindForceRange(mj, i));
    sum = {sum.lower + force.lower, sum.upper + force.upper};
    effort = sum;
  }
  if (mj.jnt_actfrclimited[joint]) effort = Within(RangeOf(mj.jnt_actfrcrange + 2 * joint), effort);
  properties->effort_lower = effort.lower;
  properties->effort_upper = effort.upper;
  const int numeric = mj_name2id(&mj, mjOBJ_NUMERIC, VelocityLimitName(properties->name).c_str());
  if (numeric >= 0) properties->velocity_limit = mj.numeric_data[mj.numeric_adr[numeric]];
}

}  // namespace civita
