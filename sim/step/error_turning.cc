#include "civita/sim/error_turning.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "civita/manifold.h"

namespace civita {

ErrorTurning::ErrorTurning(const Scene& scene, Factorization factorization, double dt_s)
    : plant_(scene.plant),
      factorization_(std::move(factorization)),
      dt_s_(dt_s),
      is_held_(scene.config.mode == ControlMode::kHeld),
      geometry_(scene.plant, scene.closed.get()),
      control_geometry_(scene.control_model, scene.closed.get()),
      lu_(Eigen::MatrixXd::Identity(geometry_.size(), geometry_.size())),
      llt_(Eigen::MatrixXd::Identity(geometry_.size(), geometry_.size())) {
  q_mid_ = start_.q = Eigen::VectorXd::Zero(scene.plant.nq());
  v_mid_ = tangent_ = half_tangent_ = Eigen::VectorXd::Zero(scene.plant.nv());
  const int n = geometry_.size();
  s_ = v_ = start_.s = start_.v = half_ = s_mid_ = transported_ = turned_ =
      Eigen::VectorXd::Zero(n);
  H_ = C_ = K_ = control_H_ = lhs_ = Eigen::MatrixXd::Zero(n, n);
  state_ = start_;
}

void ErrorTurning::Add(const Eigen::VectorXd& q, const Eigen::VectorXd& s) {
  geometry_.Select(s, s_);
  step_length_ = std::numeric_limits<double>::quiet_NaN();
  if (!state_.first) AddStep(q);
  state_.first = false;
  state_.q = q;
  state_.s = s_;
}

void ErrorTurning::Break() {
  state_.first = state_.second = true;
  state_.largest = 0;
}

/// ‖x‖ in the metric H_.
double ErrorTurning::Norm(const Eigen::VectorXd& x) {
  turned_.noalias() = H_ * x;
  return std::sqrt(std::max(0.0, x.dot(turned_)));
}

/// What of ‖s‖_H tells nothing, at the motion of the present step.
double ErrorTurning::CalcNoise() {
  geometry_.Select(v_mid_, v_);
  if (!is_held_) return kNoise * Norm(v_);
  half_ = v_ - state_.v;
  const double change = state_.second ? 0 : Norm(half_);
  state_.second = false;
  state_.v = v_;
  return change;
}

/// Adds the turning from the last sample to s_ at q.
void ErrorTurning::AddStep(const Eigen::VectorXd& q) {
  DifferencePosition(plant_, q, state_.q, tangent_);
  half_tangent_ = 0.5 * tangent_;
  IntegratePosition<double>(plant_, state_.q, half_tangent_, 1, q_mid_);
  v_mid_ = tangent_ / dt_s_;
  if (!geometry_.Update(q_mid_, v_mid_)) return;
  geometry_.CalcMassMatrix(H_);
  geometry_.Select(tangent_, v_);
  step_length_ = Norm(v_);
  const double before = Norm(state_.s), after = Norm(s_);
  state_.largest = std::max({state_.largest, before, after});
  const double floor = std::max(kFloor * state_.largest, CalcNoise());
  if (!(before > floor && after > floor)) return;

  geometry_.CalcCoriolisMatrix(Factorization(), {.C = C_, .H = H_});
  lhs_ = H_ + 0.5 * dt_s_ * C_;
  lu_.compute(lhs_);
  lhs_ = H_ - 0.5 * dt_s_ * C_;
  turned_.noalias() = lhs_ * state_.s;
  transported_ = lu_.solve(turned_);
  turned_.noalias() = H_ * transported_;
  const double square = transported_.dot(turned_), along = s_.dot(turned_);
  half_ = s_ - transported_ * (along / square);
  state_.twist += std::atan2(Norm(half_) * std::sqrt(square), along);
  AddIdealTurning();
}

void ErrorTurning::AddIdealTurning() {
  if (factorization_.torsion_free()) return;
  if (!control_geometry_.Update(q_mid_, v_mid_)) return;
  control_geometry_.CalcCoriolisMatrix(factorization_, {.C = K_, .H = control_H_});
  control_geometry_.CalcCoriolisMatrix(Factorization(), {.C = C_, .H = control_H_});
  K_ -= C_;
  s_mid_ = 0.5 * (state_.s + s_);
  const double size = Norm(s_mid_);
  llt_.compute(H_);
  half_.noalias() = K_ * s_mid_;
  half_ = llt_.solve(half_);
  turned_.noalias() = H_ * s_mid_;
  half_ -= s_mid_ * (half_.dot(turned_) / (size * size));
  state_.ideal_turning += dt_s_ * Norm(half_) / size;
}

}  // namespace civita
