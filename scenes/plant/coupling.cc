#include "civita/scenes/plant/coupling.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "civita/mujoco/convert.h"
#include "civita/mujoco/loop_closures.h"

namespace civita {

bool IsScalarJoint(const mjModel& m, int joint) {
  return m.jnt_type[joint] == mjJNT_HINGE || m.jnt_type[joint] == mjJNT_SLIDE;
}

bool IsLimited(const mjModel& m, int joint) {
  return m.jnt_limited[joint] && (m.opt.disableflags & (mjDSBL_LIMIT | mjDSBL_CONSTRAINT)) == 0;
}

namespace {

Coupling MakeCoupling(const mjModel& m, const JointClosure& closure) {
  Coupling c;
  c.iv = m.jnt_dofadr[closure.joint];
  c.iq = m.jnt_qposadr[closure.joint];
  c.reference = closure.reference;
  if (closure.leader >= 0) {
    c.iv_from = m.jnt_dofadr[closure.leader];
    c.iq_from = m.jnt_qposadr[closure.leader];
    c.from_reference = closure.leader_reference;
  }
  std::ranges::copy(closure.polynomial, c.polynomial);
  return c;
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
    if (const std::optional<JointClosure> closure = ReadCoupling(m, i)) {
      waiting.push_back({MakeCoupling(m, *closure), ElementName(m, mjOBJ_EQUALITY, i)});
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

}  // namespace civita
