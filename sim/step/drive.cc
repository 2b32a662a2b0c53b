#include "civita/sim/drive.h"

#include <algorithm>
#include <cmath>

namespace civita {

void Drive::Apply(BodyCommand* body) {
  reference_ = body->walk ? DriveCommand{body->velocity, body->yaw_rate} : DriveCommand{};
  if (wanted_ && state_[0] == 0) state_ << 1, reference_.velocity, reference_.yaw_rate;
  if (state_[0] == 0) return;
  *body = {};
  body->walk = true;
  body->velocity = state_.segment<2>(1);
  body->yaw_rate = state_[3];
}

void Drive::Advance(double dt) {
  if (state_[0] == 0) return;
  const DriveCommand& goal = wanted_ ? *wanted_ : reference_;
  const Eigen::Vector2d way = goal.velocity - state_.segment<2>(1);
  const double turn = goal.yaw_rate - state_[3];
  const double max_change = kAcceleration * dt, max_turn = kYawAcceleration * dt;
  const double distance = way.norm();
  state_.segment<2>(1) +=
      distance > max_change ? Eigen::Vector2d(way * (max_change / distance)) : way;
  state_[3] += std::clamp(turn, -max_turn, max_turn);
  const bool arrived = distance <= max_change && std::abs(turn) <= max_turn;
  if (!wanted_ && arrived) state_.setZero();
}

}  // namespace civita
