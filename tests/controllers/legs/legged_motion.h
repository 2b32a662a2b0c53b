#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <type_traits>

#include "tests/controllers/legs/legged_robot.h"

namespace civita {

/// The phase of its gait in which a robot is tested.
enum class GaitPhase {
  kReturning,  ///< stands, with the centre of mass returning
  kResting,
  kShifting,  ///< two feet: the centre of mass moves over the future stance foot
  kPassing,   ///< load passes between the feet
  kSwinging,
  kPushed,    ///< in swing without a command
  kHeld,      ///< a foot held up
  kLowering,  ///< the held foot is lowered
};

struct GaitCase {
  std::string name;
  LeggedRobot robot;
  GaitPhase phase;
  double momentum_weight = 0;
  bool base_task = false;
  bool adaptive = false;
  double straddle = 0;  ///< two feet: outward rotation of each leg, rad
};

/// The law of a robot in the middle of its gait, and a motion of robot, reference and law through
/// that state. The control period is so short that the law's state has a well-defined rate.
class LeggedMotion {
 public:
  explicit LeggedMotion(const GaitCase& c) : robot_(c.robot) {
    const bool quiet = c.phase == GaitPhase::kReturning || c.phase == GaitPhase::kResting ||
                       c.phase == GaitPhase::kHeld || c.phase == GaitPhase::kLowering;
    robot_.legs = std::make_shared<LegOptions>(*c.robot.legs);
    robot_.legs->momentum_weight = c.momentum_weight;
    robot_.legs->base_task = c.base_task;
    robot_.legs->gait.may_step = !quiet;
    const auto gait = MakeLaw(1e-3, c.adaptive);
    Prepare(c);
    const Measurement start{0, robot_.q, Eigen::VectorXd::Zero(robot_.model.nv())};
    gait->ResetState(start, reference_);
    ControlOutput output(*gait);
    found_ = false;
    for (int k = 0; k < 4000 && !found_; ++k) {
      Advance(1e-3, gait.get(), &output);
      if (gait->leg_state().hold == LegState::Hold::kUp && gait->leg_state().hold_s > 0.3 &&
          c.phase == GaitPhase::kLowering) {
        reference_.body.lifted = -1;
      }
      found_ = IsAt(c.phase, gait->leg_state());
    }
    law_ = MakeLaw(kPeriod, c.adaptive);
    law_->set_state(gait->state());
    // The forces last commanded are those of the present state.
    for (int k = 0; k < 4; ++k) Advance(kPeriod, law_.get(), &output);
    x_ = law_->state();
    Advance(kPeriod, law_.get(), &output);
    xdot_ = (law_->state() - x_) / kPeriod;
  }

  /// Whether the gait reached the requested phase.
  bool found() const { return found_; }
  const Model& model() const { return robot_.model; }
  WholeBody* law() { return law_.get(); }
  const Eigen::VectorXd& vdot() const { return vdot_; }

  /// f(measurement, output) for the control step at time t.
  template <typename F>
  auto At(double t, F&& f) {
    Measurement at = measured_;
    IntegratePosition(model(), measured_.q, measured_.v, t, at.q);
    at.v += t * vdot_;
    ReferenceState reference = reference_;
    IntegratePosition(model(), reference_.q, reference_.v, t, reference.q);
    reference.v += t * reference_.vdot;
    BodyCommand& body = reference.body;
    body.p += t * body.pdot + 0.5 * t * t * body.pddot;
    body.pdot += t * body.pddot;
    const Eigen::Vector4d turned = QuaternionExp(t * body.w);
    body.R = QuaternionToMatrix(turned) * body.R;
    body.w += t * body.wdot;
    law_->set_state(x_ + t * xdot_);
    ControlOutput output(*law_);
    EXPECT_EQ(law_->CalcControl(at, reference, output), Status::kOk);
    return f(at, output);
  }

  /// d/dt f at t = 0.
  template <typename F>
  auto Differentiate(F&& f) {
    const double h = 1e-4;
    const auto a = At(h, f), b = At(-h, f), c = At(2 * h, f), d = At(-2 * h, f);
    using Value = std::remove_cv_t<decltype(a)>;
    return Value((8 * (a - b) - (c - d)) / (12 * h));
  }

 private:
  static constexpr double kPeriod = 1e-8;

  std::unique_ptr<WholeBody> MakeLaw(double period, bool adaptive) {
    auto legs = std::make_shared<LegOptions>(*robot_.legs);
    legs->dt = period;
    ControllerOptions options;
    options.legs = legs;
    options.q_start = robot_.q;
    return std::make_unique<WholeBody>(robot_.model, options, adaptive);
  }

  void Prepare(const GaitCase& c) {
    const int nv = model().nv();
    std::mt19937 random(17);
    measured_ = {0, robot_.q, Near(robot_, 0.2, &random)};
    IntegratePosition(model(), robot_.q, Near(robot_, 0.04, &random), 1, measured_.q);
    if (c.straddle > 0) {
      measured_.q[7] += c.straddle;
      measured_.q[14] -= c.straddle;
    }
    vdot_ = Near(robot_, 3, &random);
    reference_ = {robot_.q, Near(robot_, 0.3, &random), Near(robot_, 2, &random)};
    IntegratePosition(model(), robot_.q, Near(robot_, 0.05, &random), 1, reference_.q);
    BodyCommand& body = reference_.body;
    const auto any = [&](double size) -> Eigen::Vector3d {
      return Near(robot_, size, &random).head<3>();
    };
    body.p = any(0.01);
    body.pdot = any(0.1);
    body.pddot = any(1);
    body.R = QuaternionToMatrix(QuaternionExp(any(0.1)));
    body.w = any(0.3);
    body.wdot = any(1);
    body.walk = c.phase == GaitPhase::kShifting || c.phase == GaitPhase::kPassing ||
                c.phase == GaitPhase::kSwinging;
    if (body.walk) {
      body.velocity << 0.2, 0.1;
      body.yaw_rate = 0.4;
    }
    if (c.phase == GaitPhase::kPushed) measured_.v[1] = 1.5;
    if (c.phase == GaitPhase::kHeld || c.phase == GaitPhase::kLowering) body.lifted = 1;
    ASSERT_EQ(vdot_.size(), nv);
  }

  void Advance(double period, WholeBody* law, ControlOutput* output) const {
    Eigen::VectorXd rate = law->state(), next = rate;
    EXPECT_TRUE(law->CalcControl(measured_, reference_, *output));
    law->CalcStateRate(output->tau, *output, rate);
    law->CalcNextState(period, rate, next);
    law->set_state(next);
  }

  bool IsAt(GaitPhase phase, const LegState& state) const {
    const bool flat = robot_.legs->feet.front().flat();
    const double left = state.step_s - state.phase_s;
    switch (phase) {
      case GaitPhase::kReturning:
        return state.mode_s > 0.1;
      case GaitPhase::kResting:
        return state.mode_s > 1;
      case GaitPhase::kShifting:
        return state.shifting && state.mode_s > 0.1;
      case GaitPhase::kPassing:
        return state.stepping && !state.lifted && state.phase_s > 0.005;
      case GaitPhase::kSwinging:
      case GaitPhase::kPushed:  // with two feet: the duration of the step is fixed
        return state.lifted && left < (flat ? 0.04 : 0.1);
      case GaitPhase::kHeld:
        return state.hold == LegState::Hold::kUp && state.hold_s > 0.2;
      case GaitPhase::kLowering:
        return state.hold == LegState::Hold::kLowering && state.hold_s > 0.2;
    }
    return false;
  }

  LeggedRobot robot_;
  std::unique_ptr<WholeBody> law_;
  Measurement measured_;
  ReferenceState reference_;
  Eigen::VectorXd vdot_, x_, xdot_;
  bool found_ = false;
};

}  // namespace civita
