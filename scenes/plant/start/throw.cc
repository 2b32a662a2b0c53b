#include "civita/scenes/plant/throw.h"

#include <cmath>
#include <utility>

#include "base/random.h"
#include "civita/scenes/schema/key_row.h"

namespace civita {

std::span<const KeyRow<ThrowConfig>> ThrowKeys() {
  using C = ThrowConfig;
  using enum NumberRange;
  static constexpr KeyRow<C> kKeys[] = {
      {"size", &C::size, "rad/s, m/s",
       "of a velocity error by which the robot is thrown off, root mean square over the "
       "independent "
       "velocities; default: 0.5, on legs 0.1",
       kPositive},
      {"seed", &C::seed, "", "of its direction", kNotNegative},
      {"at_s", &C::at_s, "s", "when; default: F3 in the window alone", kNotNegative},
  };
  return kKeys;
}

double DefaultThrowSize(bool has_legs) { return has_legs ? 0.1 : 0.5; }

Thrower::Thrower(int nq, int nv, std::shared_ptr<const VelocitySpace> closed)
    : closed_(std::move(closed)),
      q_(Eigen::VectorXd::Zero(nq)),
      w_(Eigen::VectorXd::Zero(closed_ ? closed_->nw() : nv)),
      v_(Eigen::VectorXd::Zero(nv)) {
  if (closed_) workspace_.emplace(*closed_);
}

void Thrower::Apply(const Throw& thrown, mjData* d) {
  Random random(thrown.seed, Random::Stream::kThrow);
  for (double& x : w_) x = random.Normal();
  const double norm = w_.norm();
  if (norm == 0) return;
  w_ *= thrown.size * std::sqrt(static_cast<double>(w_.size())) / norm;
  if (closed_) {
    q_ = Eigen::Map<const Eigen::VectorXd>(d->qpos, q_.size());
    if (!UpdateKinematics<double>(*closed_, q_, *workspace_).ok()) return;
    CalcTreeVelocity<double>(*closed_, w_, *workspace_, v_);
  } else {
    v_ = w_;
  }
  Eigen::Map<Eigen::VectorXd>(d->qvel, v_.size()) += v_;
}

}  // namespace civita
