#include "civita/sim/sensors.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/random.h"
#include "civita/error.h"
#include "civita/manifold.h"

namespace civita {

namespace {

/// Standard deviations by coordinate, of positions and of velocities.
void SpreadNoise(const Model& model, const NoiseConfig& noise, Eigen::VectorXd* q,
                 Eigen::VectorXd* v) {
  q->setConstant(model.nv(), noise.joint_position);
  v->setConstant(model.nv(), noise.joint_velocity);
  for (const Model::NamedJoint& joint : model.joints()) {
    const int rotation = RotationOffset(joint.type);
    if (rotation < 0) continue;
    q->segment(joint.iv, rotation).setConstant(noise.position);
    v->segment(joint.iv, rotation).setConstant(noise.velocity);
    q->segment<3>(joint.iv + rotation).setConstant(noise.orientation);
    v->segment<3>(joint.iv + rotation).setConstant(noise.angular_velocity);
  }
}

}  // namespace

Sensors::Sensors(const Model& model, const Options& options)
    : model_(model),
      options_(options),
      keep_(std::exp(-2 * std::numbers::pi * options.filter_hz * options.dt)),
      width_(model.nq() + model.nv() + options.num_feet),
      difference_(Eigen::VectorXd::Zero(model.nv())),
      noise_(difference_) {
  CIVITA_CHECK(options.delay >= 0 && options.dt > 0,
               "a delay of " << options.delay << " steps of " << options.dt << " s");
  state_ = Eigen::VectorXd::Zero(1 + (options.delay + 2) * width_);
  SpreadNoise(model, options.noise, &sigma_q_, &sigma_v_);
  noisy_ = !sigma_q_.isZero(0) || !sigma_v_.isZero(0);
}

Eigen::Index Sensors::Slot(Eigen::Index sample) const {
  return 1 + sample % (options_.delay + 2) * width_;
}

/// Always draws two numbers for each coordinate, so that one key does not change another key's
/// noise.
void Sensors::AddNoise(Eigen::Index sample) {
  auto q = state_.segment(Slot(sample), model_.nq());
  auto v = state_.segment(Slot(sample) + model_.nq(), model_.nv());
  Random random(options_.seed, Random::Stream::kSensors, sample);
  for (Eigen::Index iv = 0; iv < noise_.size(); ++iv) {
    noise_[iv] = sigma_q_[iv] * random.Normal();
    v[iv] += sigma_v_[iv] * random.Normal();
  }
  IntegratePosition(model_, q, noise_, 1.0, q);
}

void Sensors::Measure(const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                      const Eigen::VectorXd& foot_force, Measurement& measured) {
  const auto sample = static_cast<Eigen::Index>(state_[0]);
  const int nq = model_.nq(), nv = model_.nv(), nf = options_.num_feet;
  auto q_now = state_.segment(Slot(sample), nq);
  auto v_now = state_.segment(Slot(sample) + nq, nv);
  q_now = q;
  v_now = v;
  state_.segment(Slot(sample) + nq + nv, nf) = foot_force;
  if (noisy_) AddNoise(sample);
  for (const Model::NamedJoint& joint : model_.joints()) {
    if (options_.resolution == 0 || NumVelocities(joint.type) != 1) continue;
    q_now[joint.iq] = options_.resolution * std::round(q_now[joint.iq] / options_.resolution);
  }
  if (options_.filter_hz > 0 && sample > 0) {
    const Eigen::Index before = Slot(sample - 1);
    DifferencePosition(model_, q_now, state_.segment(before, nq), difference_);
    v_now = keep_ * state_.segment(before + nq, nv) + (1 - keep_) / options_.dt * difference_;
  }
  const Eigen::Index seen = Slot(std::max<Eigen::Index>(0, sample - options_.delay));
  measured.q = state_.segment(seen, nq);
  measured.v = state_.segment(seen + nq, nv);
  measured.foot_force = state_.segment(seen + nq + nv, nf);
  state_[0] = static_cast<double>(sample + 1);
}

}  // namespace civita
