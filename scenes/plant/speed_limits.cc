#include "civita/scenes/plant/speed_limits.h"

#include <limits>

#include "civita/scenes/schema/checked.h"

namespace civita {

Eigen::VectorXd FindSpeedLimits(const std::vector<double>& given, bool is_legged,
                                const mjModel& m) {
  if (!given.empty()) {
    return internal::Spread("plant.speed_limit", given, static_cast<int>(m.nv));
  }
  Eigen::VectorXd limits = Eigen::VectorXd::Constant(m.nv, std::numeric_limits<double>::infinity());
  if (!is_legged || m.nuser_actuator == 0) return limits;
  for (int i = 0; i < m.nu; ++i) {
    const double limit = m.actuator_user[m.nuser_actuator * i];
    if (m.actuator_trntype[i] != mjTRN_JOINT || !(limit > 0)) continue;
    limits[m.jnt_dofadr[m.actuator_trnid[2 * i]]] = limit;
  }
  return limits;
}

namespace internal {

constexpr const char* kSpeedLimit = "civita.speed_limit";

void KeepSpeedLimits(const std::map<std::string, double>& limits, mjSpec* spec) {
  for (const auto& [name, limit] : limits) {
    mjsElement* joint = mjs_findElement(spec, mjOBJ_JOINT, name.c_str());
    if (joint == nullptr) continue;
    mjs_setUserValueWithCleanup(joint, kSpeedLimit, new double(limit),
                                [](const void* kept) { delete static_cast<const double*>(kept); });
  }
}

const double* SpeedLimitOf(mjsElement* joint) {
  return static_cast<const double*>(mjs_getUserValue(joint, kSpeedLimit));
}

}  // namespace internal

}  // namespace civita
