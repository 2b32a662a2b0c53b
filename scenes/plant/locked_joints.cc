#include "civita/scenes/plant/locked_joints.h"

#include <algorithm>

#include "base/text.h"
#include "civita/mujoco/convert.h"
#include "civita/mujoco/joint_limits.h"
#include "civita/mujoco/passive_elements.h"
#include "civita/scenes/plant/coupling.h"
#include "civita/scenes/plant/model_assets.h"

namespace civita::internal {
namespace {

bool IsLocked(const mjModel& m, int joint) {
  if (!IsScalarJoint(m, joint)) return false;
  constexpr double kGravity = 9.81;  // m/s², as the scale of forces where there is none, too
  constexpr double kLocking = 1e4;   // N·s/m, N·m·s/rad
  constexpr double kStill = 1e-3;    // m/s, rad/s
  JointProperties properties;
  ReadPassiveElements(m, joint, &properties);
  const double lever = m.jnt_type[joint] == mjJNT_HINGE ? m.stat.extent : 1;
  const double mass = m.body_subtreemass[m.body_rootid[m.jnt_bodyid[joint]]];
  const double D = properties.damping;
  return D >= kLocking && kGravity * mass * lever <= kStill * D;
}

// Whether the start, an actuator or a coupling moves it.
bool IsMoved(const mjModel& m, int joint) {
  const int key = mj_name2id(&m, mjOBJ_KEY, "home"), iq = m.jnt_qposadr[joint];
  bool moved = key >= 0 && m.key_qpos[m.nq * key + iq] != m.qpos0[iq];
  for (int i = 0; i < m.nactuator; ++i) {
    moved |= ActsOnJoint(m, i) && m.actuator_trnid[2 * i] == joint;
  }
  for (int i = 0; i < m.neq; ++i) {
    const bool names_it = m.eq_obj1id[i] == joint || m.eq_obj2id[i] == joint;
    moved |= m.eq_type[i] == mjEQ_JOINT && names_it;
  }
  for (int wrap = 0; wrap < m.nwrap; ++wrap) {
    moved |= m.wrap_type[wrap] == mjWRAP_JOINT && m.wrap_objid[wrap] == joint;
  }
  return moved;
}

}  // namespace

bool FixLockedJoints(const mjModel& m, mjSpec* spec, std::vector<std::string>* notices) {
  std::vector<std::string> fixed, kept;
  for (int joint = 0; joint < m.njnt; ++joint) {
    if (!IsLocked(m, joint)) continue;
    const std::string name = ElementName(m, mjOBJ_JOINT, joint);
    const bool named = mj_name2id(&m, mjOBJ_JOINT, name.c_str()) == joint;
    const bool last = fixed.size() + 1 == static_cast<std::size_t>(m.njnt);
    (named && !last && !IsMoved(m, joint) ? fixed : kept).push_back(name);
  }
  TellNames(
      "damping locks these joints, which are simulated as they are because of an actuator, a "
      "coupling, the keyframe home or a missing name: ",
      kept, notices);
  TellNames(
      "joints that their damping locks, as the robot's weight moves them by less than 1 mm/s or 1 "
      "mrad/s, are taken as fixed: ",
      fixed, notices);
  for (const std::string& joint : fixed) {
    for (mjsElement* e : ElementsOf(spec, mjOBJ_SENSOR)) {
      const mjsSensor* sensor = mjs_asSensor(e);
      const bool of_joint = sensor->objtype == mjOBJ_JOINT;
      if (of_joint && joint == mjs_getString(sensor->objname)) mjs_delete(spec, e);
    }
    mjs_delete(spec, mjs_findElement(spec, mjOBJ_JOINT, joint.c_str()));
  }
  return !fixed.empty();
}

}  // namespace civita::internal
