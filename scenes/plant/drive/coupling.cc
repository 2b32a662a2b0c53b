#include "civita/scenes/plant/coupling.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <optional>

#include "base/text.h"
#include "civita/error.h"
#include "civita/mujoco/constraints.h"
#include "civita/mujoco/convert.h"
#include "civita/scenes/schema/key_error.h"

namespace civita {

bool CanTouch(const mjModel& m, int a, int b) {
  return (m.geom_contype[a] & m.geom_conaffinity[b]) != 0 ||
         (m.geom_contype[b] & m.geom_conaffinity[a]) != 0;
}

bool CanTouchAny(const mjModel& m, int geom) {
  return m.geom_contype[geom] != 0 || m.geom_conaffinity[geom] != 0;
}

std::vector<std::string> NamesOf(const mjModel& m, mjtObj type,
                                 bool (*meant)(const mjModel& m, int id)) {
  std::vector<std::string> names;
  const bool bodies = type == mjOBJ_BODY;
  for (int i = bodies ? 1 : 0; i < (bodies ? m.nbody : m.njnt); ++i) {
    const char* name = mj_id2name(&m, type, i);
    if (name != nullptr && *name != '\0' && meant(m, i)) names.emplace_back(name);
  }
  return names;
}

std::vector<std::string> BodyNames(const mjModel& m) {
  return NamesOf(m, mjOBJ_BODY, [](const mjModel&, int) { return true; });
}

Model::NamedFrame FindFrameOf(const Model& plant, const std::string& name,
                              const Eigen::Vector3d& offset, const std::string& key) {
  const Pose moved{Eigen::Matrix3d::Identity(), offset};
  if (name == "world") return {name, -1, moved};
  try {
    const Model::NamedFrame& frame = plant.FindFrame(name);
    return {name, frame.body, frame.X_BF * moved};
  } catch (const UserError& error) {
    throw KeyError(key, error.what());
  }
}

MujocoFrame FindMujocoFrame(const mjModel& m, const std::string& name) {
  if (const int body = mj_name2id(&m, mjOBJ_BODY, name.c_str()); body >= 0) return {body, {}};
  for (int site = 0; site < m.nsite; ++site) {
    if (NameOfSite(m, site) != name) continue;
    const mjtNum* const quat = m.site_quat + 4 * site;
    return {m.site_bodyid[site],
            {Eigen::Quaterniond(quat[0], quat[1], quat[2], quat[3]).toRotationMatrix(),
             Eigen::Map<const Eigen::Vector3d>(m.site_pos + 3 * site)}};
  }
  return {};
}

bool IsLimited(const mjModel& m, int joint) {
  return m.jnt_limited[joint] && (m.opt.disableflags & (mjDSBL_LIMIT | mjDSBL_CONSTRAINT)) == 0;
}

namespace {

Coupling MakeCoupling(const mjModel& m, const JointConstraint& constraint) {
  Coupling c;
  c.iv = m.jnt_dofadr[constraint.joint];
  c.iq = m.jnt_qposadr[constraint.joint];
  c.reference = constraint.reference;
  if (constraint.leader >= 0) {
    c.iv_from = m.jnt_dofadr[constraint.leader];
    c.iq_from = m.jnt_qposadr[constraint.leader];
    c.from_reference = constraint.leader_reference;
  }
  std::ranges::copy(constraint.polynomial, c.polynomial);
  return c;
}

bool HoldsMocap(const mjModel& m, int equality) {
  const int type = m.eq_type[equality];
  if (type != mjEQ_CONNECT && type != mjEQ_WELD) return false;
  for (int object : {m.eq_obj1id[equality], m.eq_obj2id[equality]}) {
    if (m.eq_objtype[equality] == mjOBJ_SITE) object = m.site_bodyid[object];
    for (; object > 0; object = m.body_parentid[object]) {
      if (m.body_mocapid[object] >= 0) return true;
    }
  }
  return false;
}

}  // namespace

bool HasLoops(const mjModel& m) {
  for (int i = 0; i < m.neq; ++i) {
    const bool loop = m.eq_type[i] == mjEQ_CONNECT || m.eq_type[i] == mjEQ_WELD;
    if (loop && ActsFromStart(m, i)) return true;
  }
  return false;
}

std::vector<Coupling> FindCouplings(const mjModel& m, std::vector<std::string>* notices) {
  struct Waiting {
    Coupling coupling;
    std::string name;
  };
  std::vector<Waiting> waiting;
  std::vector<std::string> unknown;
  for (int i = 0; i < m.neq; ++i) {
    if (!ActsFromStart(m, i)) continue;
    if (const std::optional<JointConstraint> constraint = ReadJointConstraint(m, i)) {
      waiting.push_back({MakeCoupling(m, *constraint), ElementName(m, mjOBJ_EQUALITY, i)});
    } else {
      unknown.push_back(ElementName(m, mjOBJ_EQUALITY, i));
    }
  }
  std::vector<Coupling> couplings;
  while (!waiting.empty()) {
    // The first one that does not depend on a coordinate still waiting.
    const auto ready = std::ranges::find_if(waiting, [&](const Waiting& w) {
      return std::ranges::none_of(
          waiting, [&w](const Waiting& other) { return other.coupling.iv == w.coupling.iv_from; });
    });
    if (ready == waiting.end()) break;
    couplings.push_back(ready->coupling);
    waiting.erase(ready);
  }
  for (const Waiting& w : waiting) unknown.push_back(w.name);
  if (!unknown.empty()) {
    notices->push_back("equalities " + internal::List(unknown) +
                       ": they act on the robot, but the law does not know of them");
  }
  return couplings;
}

void HardenCouplings(mjModel* m, std::vector<std::string>* notices) {
  constexpr double kHardest = 0.9999;           // MuJoCo's own upper bound of the impedance
  const double shortest = 2 * m->opt.timestep;  // of time constants, below which MuJoCo is unstable
  std::vector<std::string> names, held;
  for (int i = 0; i < m->neq; ++i) {
    mjtNum* solref = m->eq_solref + mjNREF * i;
    mjtNum* solimp = m->eq_solimp + mjNIMP * i;
    if (!ActsFromStart(*m, i) || solref[0] <= 0) continue;
    const bool mocap = HoldsMocap(*m, i);
    const std::optional<JointConstraint> coupling = ReadJointConstraint(*m, i);
    if (!coupling && !mocap) continue;
    if (solref[0] <= shortest && std::min(solimp[0], solimp[1]) >= kHardest) continue;
    solref[0] = std::min(solref[0], shortest);
    solref[1] = std::max(solref[1], 1.0);
    solimp[0] = solimp[1] = kHardest;
    if (mocap) held.push_back(ElementName(*m, mjOBJ_EQUALITY, i));
    if (coupling) names.push_back(ElementName(*m, mjOBJ_JOINT, coupling->joint));
  }
  internal::TellNames(
      "equalities that hold the robot to mocap bodies, which stand still, are simulated harder "
      "than the model says; plant.loops=exact holds exactly: ",
      held, notices);
  internal::TellNames(
      "couplings are simulated harder than the model says, to hold at its timestep: ", names,
      notices);
}

}  // namespace civita
