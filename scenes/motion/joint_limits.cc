#include "civita/scenes/motion/joint_limits.h"

#include <mujoco/mujoco.h>

#include <algorithm>
#include <cstddef>

#include "base/text.h"
#include "civita/scenes/plant/coupling.h"

namespace civita {

void CheckJointLimits(const mjModel& m, const Model& plant, const Reference& reference,
                      const Eigen::VectorXd& q_start, double duration_s,
                      std::vector<std::string>* notices) {
  constexpr int kSamples = 500;
  const int nv = plant.nv();
  ReferenceState state{q_start, Eigen::VectorXd::Zero(nv), Eigen::VectorXd::Zero(nv)};
  std::vector<double> beyond(static_cast<size_t>(m.njnt), 1e-6), when(beyond.size(), 0);
  for (int k = 0; k <= kSamples; ++k) {
    const double t = duration_s * k / kSamples;
    reference.Sample(t, state);
    for (int joint = 0; joint < m.njnt; ++joint) {
      if (!IsScalarJoint(m, joint) || !IsLimited(m, joint)) continue;
      const double q = state.q[m.jnt_qposadr[joint]];
      const double out = std::max(m.jnt_range[2 * joint] - q, q - m.jnt_range[2 * joint + 1]);
      double& worst = beyond[static_cast<size_t>(joint)];
      if (out <= worst) continue;
      worst = out;
      when[static_cast<size_t>(joint)] = t;
    }
  }
  std::vector<std::string> joints, told;
  const std::vector<Coupling> couplings = FindCouplings(m, &told);
  for (int joint = 0; joint < m.njnt; ++joint) {
    const auto i = static_cast<size_t>(joint);
    if (beyond[i] <= 1e-6) continue;
    const auto own = std::ranges::find(couplings, m.jnt_dofadr[joint], &Coupling::iv);
    const bool follows = own != couplings.end() && own->iv_from >= 0;
    joints.push_back(plant.VelocityName(m.jnt_dofadr[joint]) +
                     (follows ? " (follows " + plant.VelocityName(own->iv_from) + ")" : "") +
                     " by " + internal::ShortNumber(beyond[i]) +
                     (m.jnt_type[joint] == mjJNT_HINGE ? " rad at " : " m at ") +
                     internal::ShortNumber(when[i]) + " s");
  }
  internal::TellNames("the reference goes beyond joint limits: ", joints, notices);
}

}  // namespace civita
