#include "civita/scenes/plant/hard_couplings.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "civita/mujoco/convert.h"
#include "civita/mujoco/loop_closures.h"
#include "civita/scenes/plant/coupling.h"

namespace civita {
namespace {

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

void HardenCouplings(mjModel* m, std::vector<std::string>* notices) {
  constexpr double kHardest = 0.9999;           // MuJoCo's own upper bound of the impedance
  const double shortest = 2 * m->opt.timestep;  // of time constants, below which MuJoCo is unstable
  std::vector<std::string> names, held;
  for (int i = 0; i < m->neq; ++i) {
    mjtNum* solref = m->eq_solref + mjNREF * i;
    mjtNum* solimp = m->eq_solimp + mjNIMP * i;
    if (!ActsFromStart(*m, i) || solref[0] <= 0) continue;
    const bool mocap = HoldsMocap(*m, i);
    const std::optional<JointClosure> coupling = ReadCoupling(*m, i);
    if (!coupling && !mocap) continue;
    if (solref[0] <= shortest && std::min(solimp[0], solimp[1]) >= kHardest) continue;
    solref[0] = std::min(solref[0], shortest);
    solref[1] = std::max(solref[1], 1.0);
    solimp[0] = solimp[1] = kHardest;
    if (mocap) held.push_back(ElementName(*m, mjOBJ_EQUALITY, i));
    if (coupling) names.push_back(ElementName(*m, mjOBJ_JOINT, coupling->joint));
  }
  if (!held.empty()) {
    notices->push_back(
        "equalities that hold the robot to mocap bodies, which stand still, are simulated harder "
        "than the model says; plant.loops=exact holds exactly: " +
        internal::List(held));
  }
  if (names.empty()) return;
  notices->push_back(
      "couplings are simulated harder than the model says, to hold at its timestep: " +
      internal::List(names));
}

}  // namespace civita
