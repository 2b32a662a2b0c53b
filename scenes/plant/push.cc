#include "scenes/plant/push.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

namespace civita {

double Push::ShareAt(double t, double dt) const {
  if (!acts(t, dt)) return 0;
  if (shape == PushShape::kConstant) return 1;
  const double x = std::clamp((t + 0.5 * dt - start_s) / duration_s, 0.0, 1.0);
  return std::sin(std::numbers::pi * x);
}

Eigen::Vector3d CalcForceOfImpulse(const Push& push, const Eigen::Vector3d& impulse, double dt) {
  double sum = 0;
  const double end = push.start_s + push.duration_s;
  for (double k = std::floor(push.start_s / dt) - 1; k * dt < end + dt; ++k) {
    sum += push.ShareAt(k * dt, dt);
  }
  if (sum <= 0) return Eigen::Vector3d::Zero();
  return impulse / (sum * dt);
}

void AddPush(const mjModel& m, const Push& push, double share, mjData* d) {
  const Eigen::Vector3d force = share * push.force;
  Eigen::Map<Eigen::Vector3d> f(d->xfrc_applied + 6 * push.body);
  Eigen::Map<Eigen::Vector3d> moment(d->xfrc_applied + 6 * push.body + 3);
  f += force;
  if (!push.of_tree) return;
  mj_kinematics(&m, d);
  mj_comPos(&m, d);
  const Eigen::Map<const Eigen::Vector3d> tree(d->subtree_com + 3 * push.body);
  const Eigen::Map<const Eigen::Vector3d> own(d->xipos + 3 * push.body);
  moment += (tree - own).cross(force);
}

int FindFreeBody(const mjModel& m) {
  for (int joint = 0; joint < m.njnt; ++joint) {
    if (m.jnt_type[joint] == mjJNT_FREE) return m.jnt_bodyid[joint];
  }
  return -1;
}

}  // namespace civita
