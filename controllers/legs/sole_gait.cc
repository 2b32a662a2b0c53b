#include "controllers/legs/sole_gait.h"

#include <algorithm>
#include <cmath>

#include "controllers/legs/swing.h"

namespace civita {
namespace {

// The planner: weights, the last time before touchdown that still counts (s), where feet may be set
// from the one that stands (m; forward, and sideways on the own side), how far the centre of
// pressure keeps inside the sole.
constexpr double kWeightPlace = 1, kWeightTime = 0.2, kWeightDcm = 100;
constexpr double kLeastRemaining = 0.05, kLeastForPressure = 0.12;
constexpr double kMostForward = 0.45, kMostBackward = 0.40;
constexpr double kLeastSideways = 0.15, kMostSideways = 0.60;
constexpr double kShrink = 0.15;
/// Foothold and time are left alone so long before touchdown, s.
constexpr double kFreeze = 0.05;
constexpr double kEarly = 0.6;
/// The trunk goes down by this share of how much wider than so (m) it stands.
constexpr double kDrop = 0.5, kWide = 0.1;
/// At ease: the DCM so near to where the walk has it, the foot so near its place, m; so many
/// touchdowns, and the DCM so far inside both feet.
constexpr double kEaseDcm = 0.05, kEasePlace = 0.05, kEaseSteps = 2, kEaseInside = 0.02;
/// Standing for so long (s) and so still (m/s) it steps again if a foot is farther off (m) than a
/// recovery leaves it.
constexpr double kTidyAfter = 1, kTidySpeed = 0.02, kTidyPlace = 0.06;
/// Before the first step: the centre of mass shifts in, at least, at most, s; it may lift off so
/// far short of the goal, m.
constexpr double kShift = 0.7, kLeastShift = 0.2, kMostShift = 1.2, kShiftShort = 0.005;
/// Share of the measured error of the speed that each step adds to the command, m/s at most.
constexpr double kSpeedGain = 0.3, kMostSpeedIntegral = 0.2;
/// A speed that is off by more comes of a push, and is not to be integrated, m/s.
constexpr double kPushed = 0.1;

}  // namespace

SoleGait::SoleGait(const Model& model, const LegOptions& legs) : Gait(model, legs), program_(3, 6) {
  for (int i = 0; i < 3; ++i) {
    program_.B(2 * i, i) = 1;
    program_.B(2 * i + 1, i) = -1;
  }
}

double SoleGait::Side(const LegState& state, size_t foot) {
  return state.feet[foot].nominal.y() > 0 ? 1 : -1;
}

SupportPolygon SoleGait::Sole(const LegKinematics& legs, size_t foot) const {
  std::array<Point2, SupportPolygon::kMost> points;
  size_t n = 0;
  for (const Eigen::Vector3d& p : legs.feet[foot].contacts) points[n++] = p.head<2>();
  return SupportPolygon({points.data(), n});
}

Point2 SoleGait::Velocity(const GaitInput& in, const LegState& state) const {
  if (!in.command.walk) return Point2::Zero();
  return in.command.velocity + state.speed_integral;
}

SoleGait::Plan SoleGait::MakePlan(const LegKinematics& legs, const LegState& state, size_t swing,
                                  double phase, const Point2& v) {
  const size_t stance = 1 - swing;
  const GaitOptions& gait = legs_.gait;
  const double side = Side(state, swing), W = state.width, T_n = gait.step_s;
  const Eigen::Matrix2d R = Rotation2(state.yaw);
  const Point2 u0 = legs.feet[stance].p.head<2>();
  const double e_T = std::exp(omega_ * T_n);
  const Point2 u_n(v.x() * T_n, v.y() * T_n + side * W);
  Plan plan;
  plan.b_n = Point2(v.x() * T_n / (e_T - 1), v.y() * T_n / (e_T - 1) - side * W / (1 + e_T));

  // In axes of the heading, from the foot that stands.
  const Point2 xi = R.transpose() * (xi_ - u0);
  const double e_r = std::exp(omega_ * std::max(T_n - phase, kLeastForPressure));
  const Point2 p_free = (u_n + plan.b_n - xi * e_r) / (1 - e_r);
  const Point2 p_world = u0 + R * p_free;
  plan.p = Sole(legs, stance).Shrunk(kShrink).Closest(p_world);
  const Point2 p = R.transpose() * (plan.p - u0);

  // b − b_n = A τ + r − u in the unknowns x = (u, τ).
  const Point2 A = xi - p, r = p - plan.b_n;
  const double least = std::exp(omega_ * std::max(gait.shortest_step_s - phase, kLeastRemaining));
  const double most = std::max(std::exp(omega_ * (gait.longest_step_s - phase)), 1.001 * least);
  const double tau_n =
      std::clamp(std::exp(omega_ * std::max(T_n - phase, kLeastRemaining)), least, most);
  Eigen::Matrix<double, 2, 3> B;
  B << -1, 0, A.x(), 0, -1, A.y();
  program_.G.noalias() = kWeightDcm * B.transpose() * B;
  program_.G.diagonal() +=
      Eigen::Vector3d(kWeightPlace, kWeightPlace, kWeightTime / (tau_n * tau_n));
  program_.g.noalias() = kWeightDcm * B.transpose() * r;
  program_.g -=
      Eigen::Vector3d(kWeightPlace * u_n.x(), kWeightPlace * u_n.y(), kWeightTime / tau_n);
  const double left = side > 0 ? kLeastSideways : -kMostSideways;
  const double right = side > 0 ? kMostSideways : -kLeastSideways;
  program_.b << kMostBackward, kMostForward, -left, right, -least, most;
  plan.solved = program_.Solve() == QuadraticProgram::Status::kOptimal;
  if (!plan.solved) return plan;
  const Eigen::Vector3d& x = program_.x;
  plan.u = u0 + R * Point2(x.head<2>());
  plan.T = phase + std::log(x[2]) / omega_;
  plan.b = B * x + r + plan.b_n;
  return plan;
}

void SoleGait::BeginStep(double swing, LegState& state) const {
  state.stepping = 1;
  state.mode_s = 0;
  state.shifting = 0;
  state.swing = swing;
  state.phase_s = 0;
  state.lifted = 0;
  state.swing_x = 0;
  state.step_s = legs_.gait.step_s;
}

// Over the foot that will stand, as far as the steady walk has the DCM there.
void SoleGait::BeginShift(const LegKinematics& legs, size_t swing, LegState& state) const {
  const Point2 u0 = legs.feet[1 - swing].p.head<2>();
  const double b = state.width / (1 + std::exp(omega_ * legs_.gait.step_s));
  const Point2 target = u0 + Rotation2(state.yaw) * Point2(0, Side(state, swing) * b);
  BeginStand(legs, target, kShift, state);
  state.shifting = 1;
  state.swing = static_cast<double>(swing);
  state.shift_to = target;
  state.shift_along = (target - legs.c.head<2>()).normalized();
}

void SoleGait::MaybeStep(const GaitInput& in, LegState& state) {
  const LegKinematics& legs = in.legs;
  const bool may = legs_.gait.may_step;
  if (state.shifting == 0 && may && margin_ < legs_.gait.trigger) {
    double cost[2];
    for (size_t k = 0; k < 2; ++k) {
      const Plan plan = MakePlan(legs, state, k, 0, Velocity(in, state));
      cost[k] = !plan.solved ? 1e3
                             : (plan.b - plan.b_n).norm() +
                                   0.02 * (plan.u - Point2(legs.feet[k].p.head<2>())).norm();
    }
    state.quiet = 0;
    state.touchdown_s = -1;
    state.v_r = legs.cdot.head<2>();
    BeginStep(cost[0] <= cost[1] ? 0 : 1, state);
    return;
  }
  if (state.shifting != 0) {
    const bool passed = (xi_ - state.shift_to).dot(state.shift_along) > -kShiftShort;
    if ((passed && state.mode_s > kLeastShift) || state.mode_s > kMostShift) {
      state.v_r = legs.cdot.head<2>();
      state.touchdown_s = -1;
      state.speed_integral.setZero();
      BeginStep(state.swing, state);
    }
    return;
  }
  const Point2 apart = Rotation2(-state.yaw) * (legs.feet[0].p - legs.feet[1].p).head<2>();
  const Point2 place = state.feet[0].nominal - state.feet[1].nominal;
  const bool untidy = may && state.mode_s > kTidyAfter && legs.cdot.head<2>().norm() < kTidySpeed &&
                      IsIdle(in.command) && (apart - place).norm() > kTidyPlace;
  if (!in.command.walk && !untidy) return;
  BeginShift(legs, 0, state);
}

void SoleGait::Step(const GaitInput& in, LegState& state, TrunkReference& trunk) {
  const LegKinematics& legs = in.legs;
  const double dt = legs_.dt, exchange = legs_.gait.exchange_s;
  state.phase_s += dt;
  if (state.touchdown_s >= 0) state.touchdown_s += dt;
  const auto swing = static_cast<size_t>(state.swing);
  const size_t stance = 1 - swing;
  LegState::Foot& foot = state.feet[swing];
  state.feet[stance].contact = 1;
  RaiseLoad(in, stance, state);

  const Plan plan = MakePlan(legs, state, swing, state.phase_s, Velocity(in, state));
  const bool first = state.phase_s < 1.5 * dt;
  Point2 p = legs.feet[stance].p.head<2>();
  if (plan.solved) {
    p = plan.p;
    if (first || state.step_s - state.phase_s > kFreeze) {
      state.step_s = plan.T;
      foot.target = plan.u;
    }
  } else if (first) {
    foot.target = legs.feet[swing].p.head<2>();
  }
  FollowPendulum(legs, omega_ * omega_ * (Point2(legs.c.head<2>()) - p), state, trunk);
  const double spread = (legs.feet[0].p - legs.feet[1].p).head<2>().norm();
  const double lower = kDrop * std::max(0.0, spread - state.width - kWide);
  trunk.error.z() += lower;
  trunk.v_r.z() -= in.lambda * lower;

  if (state.phase_s < exchange) {
    foot.load = std::max(0.0, foot.load - dt / exchange);
    foot.contact = 1;
    return;
  }
  if (state.lifted == 0) {
    state.lifted = 1;
    LiftOff(legs, swing, state);
  }
  foot.anchor_yaw = state.yaw;
  MoveFoot(legs, swing, state);
  const bool due = state.phase_s >= state.step_s;
  if (due || (state.swing_x > kEarly && Touches(in, swing))) Touchdown(in, swing, state);
}

void SoleGait::MoveFoot(const LegKinematics& legs, size_t swing, LegState& state) const {
  const double dt = legs_.dt;
  LegState::Foot& foot = state.feet[swing];
  const double remaining = std::max(state.step_s - state.phase_s, 0.0);
  if (remaining > 1.5 * dt) {
    FollowTarget(remaining, foot);
    const double rate = (1 - state.swing_x) / remaining;
    state.swing_x = std::min(1.0, state.swing_x + rate * dt);
    const Moving1 z = SwingHeight(state.swing_x, legs_.gait.swing_height, 1 / std::max(rate, 1e-6));
    const double ground = legs.feet[1 - swing].p.z();
    foot.p.z() = foot.lift_z + (ground - foot.lift_z) * state.swing_x + z.x;
    foot.v.z() = z.v;
    foot.a.z() = z.a;
  }
}

void SoleGait::Touchdown(const GaitInput& in, size_t swing, LegState& state) const {
  const LegKinematics& legs = in.legs;
  const Eigen::Matrix2d from_world = Rotation2(-state.yaw);
  const Point2 error = TakeSpeedError(in, state);
  for (int k = 0; k < 2; ++k) {
    if (std::abs(error[k]) < kPushed) state.speed_integral[k] += kSpeedGain * error[k];
  }
  state.speed_integral =
      state.speed_integral.cwiseMax(-kMostSpeedIntegral).cwiseMin(kMostSpeedIntegral);
  SetDown(legs, swing, state);
  const Point2 apart = from_world * (legs.feet[0].p - legs.feet[1].p).head<2>();
  const Point2 place = state.feet[0].nominal - state.feet[1].nominal;
  const double e_T = std::exp(omega_ * legs_.gait.step_s);
  const Point2 b_n(0, -Side(state, swing) * state.width / (1 + e_T));
  const Point2 xi = from_world * (xi_ - Point2(legs.feet[swing].p.head<2>()));
  const bool ease = (xi - b_n).norm() < kEaseDcm && (apart - place).norm() < kEasePlace;
  state.quiet = ease ? state.quiet + 1 : 0;
  if (!in.command.walk && state.quiet >= kEaseSteps && Support(legs).Inside(xi_) > kEaseInside) {
    BeginStand(legs, legs.FeetCenter(), legs_.gait.return_s, state);
    return;
  }
  BeginStep(1 - state.swing, state);
}

}  // namespace civita
