#include "civita/scenes/plant/speed_limits.h"

#include <algorithm>
#include <limits>

#include "civita/mujoco/joint_limits.h"
#include "civita/scenes/plant/coupling.h"
#include "civita/scenes/schema/checked.h"

namespace civita {

Eigen::VectorXd FindSpeedLimits(const std::vector<double>& given, bool is_legged,
                                const mjModel& m) {
  if (!given.empty()) {
    return internal::Spread("plant.speed_limit", given, static_cast<int>(m.nv));
  }
  Eigen::VectorXd limits = Eigen::VectorXd::Constant(m.nv, std::numeric_limits<double>::infinity());
  if (!is_legged || m.nuser_actuator == 0) return limits;
  for (int i = 0; i < m.nactuator; ++i) {
    const double limit = m.actuator_user[m.nuser_actuator * i];
    if (!ActsOnJoint(m, i) || IsDisabledActuator(m, i) || !(limit > 0)) continue;
    const int joint = m.actuator_trnid[2 * i];
    if (!IsScalarJoint(m, joint)) continue;
    double& lowest = limits[m.jnt_dofadr[joint]];
    lowest = std::min(lowest, limit);
  }
  return limits;
}

namespace internal {

void KeepSpeedLimits(const std::map<std::string, double>& limits, mjSpec* spec) {
  for (const auto& [name, limit] : limits) {
    if (mjs_findElement(spec, mjOBJ_JOINT, name.c_str()) == nullptr) continue;
    mjsNumeric* numeric = mjs_addNumeric(spec);
    mjs_setName(numeric->element, VelocityLimitName(name).c_str());
    mjs_setDouble(numeric->data, &limit, 1);
    numeric->size = 1;
  }
}

const double* SpeedLimitOf(mjsElement* joint) {
  const std::string name = VelocityLimitName(mjs_getString(mjs_getName(joint)));
  mjsElement* element = mjs_findElement(mjs_getSpec(joint), mjOBJ_NUMERIC, name.c_str());
  if (element == nullptr) return nullptr;
  int size = 0;
  return mjs_getDouble(mjs_asNumeric(element)->data, &size);
}

}  // namespace internal

}  // namespace civita
