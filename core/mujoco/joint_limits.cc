#include "civita/mujoco/joint_limits.h"

#include <algorithm>
#include <limits>

namespace civita {

namespace {

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

struct Range {
  double lower = -kUnlimited, upper = kUnlimited;
};

Range RangeOf(const mjtNum* range) { return {range[0], range[1]}; }

/// Both ends moved to where `outer` has them.
Range Within(const Range& outer, const Range& range) {
  return {std::clamp(range.lower, outer.lower, outer.upper),
          std::clamp(range.upper, outer.lower, outer.upper)};
}

Range Times(double factor, const Range& range) {
  const double a = factor * range.lower, b = factor * range.upper;
  return {std::min(a, b), std::max(a, b)};
}

/// Of the force on the joint.
Range ForcesOf(const mjModel& mj, int actuator) {
  const double gear = mj.actuator_gear[6 * actuator];
  if (gear == 0) return {0, 0};
  Range force;
  const double* gain = mj.actuator_gainprm + mjNGAIN * actuator;
  const bool is_motor = mj.actuator_gaintype[actuator] == mjGAIN_FIXED &&
                        mj.actuator_biastype[actuator] == mjBIAS_NONE &&
                        mj.actuator_dyntype[actuator] == mjDYN_NONE && gain[0] != 0;
  if (is_motor && mj.actuator_ctrllimited[actuator])
    force = Times(gain[0], RangeOf(mj.actuator_ctrlrange + 2 * actuator));
  if (mj.actuator_forcelimited[actuator])
    force = Within(RangeOf(mj.actuator_forcerange + 2 * actuator), force);
  return Times(gear, force);
}

}  // namespace

std::string VelocityLimitName(const std::string& joint) { return "civita.velocity_limit." + joint; }

void ReadLimits(const mjModel& mj, int joint, JointProperties* properties) {
  if (mj.jnt_type[joint] != mjJNT_HINGE && mj.jnt_type[joint] != mjJNT_SLIDE) return;
  if (mj.jnt_limited[joint]) {
    properties->position_lower = mj.jnt_range[2 * joint];
    properties->position_upper = mj.jnt_range[2 * joint + 1];
  }
  Range sum = {0, 0};
  bool is_driven = false;
  for (int i = 0; i < mj.nu; ++i) {
    const int kind = mj.actuator_trntype[i];
    if (kind != mjTRN_JOINT && kind != mjTRN_JOINTINPARENT) continue;
    if (mj.actuator_trnid[2 * i] != joint) continue;
    const Range force = ForcesOf(mj, i);
    sum = {sum.lower + force.lower, sum.upper + force.upper};
    is_driven = true;
  }
  Range effort = is_driven ? sum : Range{};
  if (mj.jnt_actfrclimited[joint]) effort = Within(RangeOf(mj.jnt_actfrcrange + 2 * joint), effort);
  properties->effort_lower = effort.lower;
  properties->effort_upper = effort.upper;
  const int numeric = mj_name2id(&mj, mjOBJ_NUMERIC, VelocityLimitName(properties->name).c_str());
  if (numeric >= 0) properties->velocity_limit = mj.numeric_data[mj.numeric_adr[numeric]];
}

}  // namespace civita
