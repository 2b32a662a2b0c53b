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

}  // namespace civita
