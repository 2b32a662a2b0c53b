#include "civita/scenes/plant/soft_friction.h"

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "civita/controllers/controller.h"
#include "civita/mujoco/convert.h"
#include "civita/mujoco/joint_limits.h"
#include "civita/mujoco/passive_elements.h"
#include "civita/scenes/plant/model_assets.h"

namespace civita {

namespace {

/// 1/b, b = 2/(d_max · time constant).
double Lead(const mjtNum* solref, const mjtNum* solimp) { return solimp[1] * solref[0] / 2; }

// tanh(3) is 1 but for half a percent.
bool IsSoft(double full_speed) { return full_speed > 3 * kFrictionVelocity; }

double FullSpeedOfCoordinate(const mjModel& m, int iv) {
  return CalcFullFrictionSpeed(m.dof_frictionloss[iv], m.dof_invweight0[iv],
                               m.dof_solref + mjNREF * iv, m.dof_solimp + mjNIMP * iv);
}

double FullSpeedOfTendon(const mjModel& m, int i) {
  return CalcFullFrictionSpeed(m.tendon_frictionloss[i], m.tendon_invweight0[i],
                               m.tendon_solref_fri + mjNREF * i, m.tendon_solimp_fri + mjNIMP * i);
}

}  // namespace

double CalcFullFrictionSpeed(double frictionloss, double invweight, const mjtNum* solref,
                             const mjtNum* solimp) {
  if (solref[0] <= 0 || frictionloss <= 0) return 0;
  // Without acceleration the force is b v / R, with R = (1 − d)/d · invweight.
  return (1 - solimp[0]) / solimp[0] * frictionloss * invweight * Lead(solref, solimp);
}

SimulatedFriction FindSimulatedFriction(const mjModel& m, const Model& model) {
  const auto tendons = static_cast<Eigen::Index>(model.tendons().size());
  SimulatedFriction friction{Eigen::VectorXd::Zero(model.nv() + tendons),
                             Eigen::VectorXd::Zero(model.nv())};
  Eigen::VectorXd& speeds = friction.full_speeds;
  for (int iv = 0; iv < m.nv; ++iv) {
    speeds[iv] = FullSpeedOfCoordinate(m, iv);
    if (speeds[iv] > 0) {
      friction.leads_s[iv] = Lead(m.dof_solref + mjNREF * iv, m.dof_solimp + mjNIMP * iv);
    }
  }
  // The model has the fixed tendons among others', in order.
  Eigen::Index i = 0;
  for (int id = 0; id < m.ntendon; ++id) {
    const bool fixed = m.tendon_num[id] > 0 && m.wrap_type[m.tendon_adr[id]] == mjWRAP_JOINT;
    if (!fixed || m.tendon_frictionloss[id] <= 0) continue;
    while (i < tendons && model.tendons()[static_cast<size_t>(i)].frictionloss == 0) ++i;
    if (i == tendons) break;
    speeds[model.nv() + i] = FullSpeedOfTendon(m, id);
    ++i;
  }
  return friction;
}

Eigen::VectorXd FindFullFrictionSpeeds(const mjModel& m, const Model& model) {
  const Eigen::VectorXd speeds = FindSimulatedFriction(m, model).full_speeds;
  return speeds.unaryExpr([](double full) { return IsSoft(full) ? full : 0; });
}

std::string DescribeSoftFriction(const mjModel& m) {
  if ((m.opt.disableflags & (mjDSBL_FRICTIONLOSS | mjDSBL_CONSTRAINT)) != 0) return "";
  std::vector<std::string> names;
  const auto add = [&](mjtObj type, int id, const char* kind, double speed) {
    if (!IsSoft(speed)) return;
    names.push_back(kind + ElementName(m, type, id) + " (" + internal::ShortNumber(speed) + ")");
  };
  for (int i = 0; i < m.njnt; ++i) {
    add(mjOBJ_JOINT, i, "", FullSpeedOfCoordinate(m, m.jnt_dofadr[i]));
  }
  for (int i = 0; i < m.ntendon; ++i) {
    add(mjOBJ_TENDON, i, "tendon ", FullSpeedOfTendon(m, i));
  }
  if (names.empty()) return "";
  return "dry friction is soft in the simulation, with its full value from the velocity in "
         "brackets "
         "on (solimpfriction, solreffriction), and laws take it so: " +
         internal::List(names);
}

namespace internal {
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

}  // namespace internal

}  // namespace civita
