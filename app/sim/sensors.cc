#include "app/sim/sensors.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/error.h"
#include "core/manifold.h"

namespace civita {

Sensors::Sensors(const Model& model, const Options& options)
    : model_(&model),
      options_(options),
      keep_(std::exp(-2 * std::numbers::pi * options.filter_hz * options.dt)),
      difference_(Eigen::VectorXd::Zero(model.nv())) {
  CIVITA_CHECK(options.delay >= 0 && options.dt > 0,
               "a delay of " << options.delay << " steps of " << options.dt << " s");
  state_ = Eigen::VectorXd::Zero(1 + (options.delay + 2) * (model.nq() + model.nv()));
}

Eigen::Index Sensors::Slot(Eigen::Index sample) const {
  return 1 + sample % (options_.delay + 2) * (model_->nq() + model_->nv());
}

void Sensors::Measure(const Eigen::VectorXd& q, const Eigen::VectorXd& v, Measurement& measured) {
  const auto sample = static_cast<Eigen::Index>(state_[0]);
  const int nq = model_->nq(), nv = model_->nv();
  auto q_now = state_.segment(Slot(sample), nq);
  auto v_now = state_.segment(Slot(sample) + nq, nv);
  q_now = q;
  v_now = v;
  for (const Model::NamedJoint& joint : model_->joints()) {
    if (options_.resolution == 0 || NumVelocities(joint.type) != 1) continue;
    q_now[joint.iq] = options_.resolution * std::round(q[joint.iq] / options_.resolution);
  }
  if (options_.filter_hz > 0 && sample > 0) {
    const Eigen::Index before = Slot(sample - 1);
    DifferencePosition(*model_, q_now, state_.segment(before, nq), difference_);
    v_now = keep_ * state_.segment(before + nq, nv) + (1 - keep_) / options_.dt * difference_;
  }
  const Eigen::Index seen = Slot(std::max<Eigen::Index>(0, sample - options_.delay));
  measured.q = state_.segment(seen, nq);
  measured.v = state_.segment(seen + nq, nv);
  state_[0] = static_cast<double>(sample + 1);
}

}  // namespace civita
