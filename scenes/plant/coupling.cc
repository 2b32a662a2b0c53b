#include "civita/scenes/plant/coupling.h"

#include <algorithm>

namespace civita {

bool IsScalarJoint(const mjModel& m, int joint) {
  return m.jnt_type[joint] == mjJNT_HINGE || m.jnt_type[joint] == mjJNT_SLIDE;
}

namespace {

Coupling MakeCoupling(const mjModel& m, int equality) {
  Coupling c;
  const int joint = m.eq_obj1id[equality];
  const int from = m.eq_obj2id[equality];
  c.iv = m.jnt_dofadr[joint];
  c.iq = m.jnt_qposadr[joint];
  c.reference = m.qpos0[c.iq];
  if (from >= 0) {
    c.iv_from = m.jnt_dofadr[from];
    c.iq_from = m.jnt_qposadr[from];
    c.from_reference = m.qpos0[c.iq_from];
  }
  std::copy_n(m.eq_data + mjNEQDATA * equality, 5, c.polynomial);
  return c;
}

}  // namespace

bool HasLoops(const mjModel& m) {
  for (int i = 0; i < m.neq; ++i) {
    const bool loop = m.eq_type[i] == mjEQ_CONNECT || m.eq_type[i] == mjEQ_WELD;
    if (m.eq_active0[i] && loop) return true;
  }
  return false;
}

std::vector<Coupling> FindCouplings(const mjModel& m, std::vector<std::string>* notices) {
  std::vector<Coupling> waiting;
  int unknown = 0;
  for (int i = 0; i < m.neq; ++i) {
    if (!m.eq_active0[i]) continue;
    const bool joints = m.eq_type[i] == mjEQ_JOINT && IsScalarJoint(m, m.eq_obj1id[i]) &&
                        (m.eq_obj2id[i] < 0 || IsScalarJoint(m, m.eq_obj2id[i]));
    if (joints) {
      waiting.push_back(MakeCoupling(m, i));
    } else {
      ++unknown;
    }
  }
  std::vector<Coupling> couplings;
  while (!waiting.empty()) {
    // The first one that does not depend on a coordinate still waiting.
    const auto ready = std::find_if(waiting.begin(), waiting.end(), [&](const Coupling& c) {
      return std::none_of(waiting.begin(), waiting.end(),
                          [&c](const Coupling& other) { return other.iv == c.iv_from; });
    });
    if (ready == waiting.end()) break;
    couplings.push_back(*ready);
    waiting.erase(ready);
  }
  unknown += static_cast<int>(waiting.size());
  if (unknown > 0) {
    notices->push_back(
        std::to_string(unknown) +
        " equality constraints are simulated, but the controller does not know of them");
  }
  return couplings;
}

}  // namespace civita
