#include "civita/scenes/motion/body_motion.h"

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "civita/error.h"
#include "civita/scenes/motion/moving.h"

namespace civita {
namespace {

using internal::Moving;
using internal::QuinticStep;

// 1 from 0 to `duration`, with fades inside at both ends.
Moving Window(double t, double duration, double fade) {
  if (t < 0 || t > duration) return {};
  const Moving in = fade > 0 ? QuinticStep(t, fade) : Moving{1, 0, 0};
  if (t <= duration - fade) return in;
  const Moving out = QuinticStep(t - (duration - fade), fade);
  return in * Moving{1 - out.x, -out.xdot, -out.xddot};
}

void Move(const Moving& m, const Eigen::Vector3d& by, BodyCommand* body) {
  body->p = m.x * by;
  body->pdot = m.xdot * by;
  body->pddot = m.xddot * by;
}

class BodyMotionReference final : public Reference {
 public:
  BodyMotionReference(const Model& model, const Eigen::VectorXd& q, const BodyMotion& motion)
      : hold_(MakeHold(model, q)),
        motion_(motion),
        omega_(2 * std::numbers::pi * motion.frequency_hz) {
    CIVITA_CHECK(motion.fade_s >= 0 && motion.frequency_hz > 0);
    CIVITA_CHECK(motion.kind != BodyMotion::Kind::kLift || motion.foot >= 0);
    for (int axis = 0; axis < 6; ++axis) {
      if (motion.amplitude[axis] != 0) axes_.push_back(axis);
    }
    for (size_t k = 1; k < motion.commands.size(); ++k) {
      CIVITA_CHECK(motion.commands[k].at_s > motion.commands[k - 1].at_s);
    }
  }

  void Sample(double t, ReferenceState& state) const override {
    hold_->Sample(t, state);
    state.body = {};
    const double since = t - motion_.start_s;
    if (motion_.kind == BodyMotion::Kind::kWalk) return Walk(t, &state.body);
    if (since < 0 || since > motion_.for_s) return;
    const Moving window = Window(since, motion_.for_s, motion_.fade_s);
    const Moving turn = {omega_ * since, omega_, 0};
    switch (motion_.kind) {
      case BodyMotion::Kind::kSine:
        return Sine(since, window, &state.body);
      case BodyMotion::Kind::kSquat: {
        const Moving half = internal::Sine(0.5 * turn);  // sin²(x/2) = ½(1 − cos x)
        return Move(window * half * half, motion_.by, &state.body);
      }
      case BodyMotion::Kind::kShift:
        return Move(window * internal::Sine(turn), motion_.by, &state.body);
      case BodyMotion::Kind::kLift:
        state.body.lifted = motion_.foot;
        return;
      default:
        return;
    }
  }

 private:
  void Sine(double since, const Moving& window, BodyCommand* body) const {
    if (axes_.empty()) return;
    const double fade = motion_.fade_s, turn_s = 2 * fade + 1 / motion_.frequency_hz;
    const double turn = std::floor(since / turn_s);
    const auto count = static_cast<double>(axes_.size());
    if (turn >= count && !motion_.repeat) return;
    const int axis = axes_[static_cast<size_t>(std::fmod(turn, count))];
    const double u = since - turn * turn_s;
    const Moving m = window * Window(u, turn_s, fade) *
                     internal::Sine(motion_.amplitude[axis], omega_, 0, u - fade);
    if (axis < 3) return Move(m, Eigen::Vector3d::Unit(axis), body);
    // Rotation about one axis, which is equal in body and world axes.
    const Eigen::Vector3d direction = Eigen::Vector3d::Unit(axis - 3);
    body->R = Eigen::AngleAxisd(m.x, direction).matrix();
    body->w = m.xdot * direction;
    body->wdot = m.xddot * direction;
  }

  // One step function for each change, summed, so that changes may overlap.
  void Walk(double t, BodyCommand* body) const {
    const WalkCommand* before = nullptr;
    for (const WalkCommand& command : motion_.commands) {
      if (t < command.at_s) break;
      const double since = t - command.at_s;
      const double share = motion_.fade_s > 0 ? QuinticStep(since, motion_.fade_s).x : 1;
      body->velocity += share * command.velocity;
      body->yaw_rate += share * command.yaw_rate;
      body->walk = command.walk;
      if (before != nullptr) {
        body->velocity -= share * before->velocity;
        body->yaw_rate -= share * before->yaw_rate;
        body->walk |= before->walk && since < motion_.fade_s;
      }
      before = &command;
    }
    if (!body->walk) *body = {};
  }

  std::unique_ptr<Reference> hold_;
  BodyMotion motion_;
  double omega_;
  std::vector<int> axes_;
};

}  // namespace

std::unique_ptr<Reference> MakeBodyMotion(const Model& model, const Eigen::VectorXd& q,
                                          const BodyMotion& motion) {
  return std::make_unique<BodyMotionReference>(model, q, motion);
}

}  // namespace civita
