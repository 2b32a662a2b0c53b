#include "tests/oracles/mujoco/mujoco_passive.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>

#include "civita/passive_forces.h"
#include "tests/oracles/mujoco/mujoco_tree.h"

namespace civita {
namespace {

/// −Σ Jᵀ frictionloss tanh(J v / speed) over the friction constraints.
Eigen::VectorXd FrictionForces(const mjModel& m, const mjData& d, double speed) {
  const Eigen::Map<const Eigen::VectorXd> v(d.qvel, m.nv);
  Eigen::VectorXd force = Eigen::VectorXd::Zero(m.nv);
  for (int i = 0; i < d.nefc; ++i) {
    const int type = d.efc_type[i];
    if (type != mjCNSTR_FRICTION_DOF && type != mjCNSTR_FRICTION_TENDON) continue;
    Eigen::VectorXd J = Eigen::VectorXd::Zero(m.nv);
    if (mj_isSparse(&m)) {
      const int first = d.efc_J_rowadr[i];
      for (int k = first; k < first + d.efc_J_rownnz[i]; ++k) J[d.efc_J_colind[k]] = d.efc_J[k];
    } else {
      J = Eigen::Map<const Eigen::VectorXd>(d.efc_J + i * m.nv, m.nv);
    }
    force -= J * d.efc_frictionloss[i] * std::tanh(J.dot(v) / speed);
  }
  return force;
}

}  // namespace

void SetRandomState(const mjModel& m, unsigned seed, mjData* d) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<> uniform(-1, 1);
  Eigen::VectorXd away(m.nv);
  for (double& x : away) x = uniform(random);
  mju_copy(d->qpos, m.qpos0, static_cast<int>(m.nq));
  mj_integratePos(&m, d->qpos, away.data(), 1);
  for (int i = 0; i < m.nv; ++i) d->qvel[i] = 2 * uniform(random);
}

double PassiveError(const mjModel& m, const Model& model, unsigned seed) {
  constexpr double kSpeed = 0.3;
  const std::unique_ptr<mjData, MujocoDeleter> d(mj_makeData(&m));
  SetRandomState(m, seed, d.get());
  mj_forward(&m, d.get());
  const auto force = [&m](const mjtNum* numbers) {
    return Eigen::Map<const Eigen::VectorXd>(numbers, m.nv);
  };
  const Eigen::VectorXd friction = FrictionForces(m, *d, kSpeed);
  const Eigen::Map<const Eigen::VectorXd> q(d->qpos, m.nq), v(d->qvel, m.nv);
  Eigen::VectorXd ours = Eigen::VectorXd::Zero(m.nv);
  AddPassiveForces(model, q, v, {.speed = kSpeed}, 1, ours);
  const double scale =
      force(d->qfrc_spring).norm() + force(d->qfrc_damper).norm() + friction.norm();
  const double difference = (force(d->qfrc_passive) + friction - ours).norm();
  return scale > 0 ? difference / scale : difference;
}

}  // namespace civita
