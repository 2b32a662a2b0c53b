#include "civita/controllers/legs/trot_gait.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "civita/controllers/legs/swing.h"

namespace civita {
namespace {

/// Shares of a swing at its end: the foot's target is constant, and the foot at rest above it. One
/// that still moved along the ground when it landed would slide.
constexpr double kFreeze = 0.3, kSettle = 0.125;
// Lengths are in units of h, the height of the centre of mass at home, and speeds of √(g h).

/// Minimum distance of a foot's target from the robot's median plane.
constexpr double kOwnSide = 0.097;
/// A touchdown is at ease if the DCM is this near to the feet's centre and each foot to its place;
/// the robot stands after kEaseSteps of them.
constexpr double kEaseDcm = 0.162, kEasePlace = 0.194;
constexpr int kEaseSteps = 3;
/// After standing for kTidyAfter (s), slower than kTidySpeed, the robot steps if a foot is more
/// than kTidyPlace from its place.
constexpr double kTidyAfter = 0.5, kTidySpeed = 0.0172, kTidyPlace = 0.0647;
/// Share at each end of a diagonal that the centre of pressure does not use.
constexpr double kDiagonalEnd = 0.05;
/// Maximum horizontal acceleration while both pairs carry load, in g.
constexpr double kExchangeAcceleration = 0.612;
/// A larger velocity error is due to a push and is not integrated.
constexpr double kPushed = 0.172;
/// Share of the measured velocity error that each step adds to the command, and the maximum sum.
constexpr double kSpeedGain = 0.1, kMaxSpeedIntegral = 0.172;

Point2 OnSegment(const Point2& a, const Point2& b, const Point2& x) {
  const Point2 e = b - a;
  return a + std::clamp((x - a).dot(e) / e.squaredNorm(), kDiagonalEnd, 1 - kDiagonalEnd) * e;
}

}  // namespace

// Diagonal pair `which`; feet are in counterclockwise order, so a pair is every other foot.
TrotGait::Pair TrotGait::PairOf(const LegState& state, int which) {
  std::array<size_t, 4> order;
  std::iota(order.begin(), order.end(), size_t{0});
  const auto angle = [&](size_t i) {
    return std::atan2(state.feet[i].nominal.y(), state.feet[i].nominal.x());
  };
  std::sort(order.begin(), order.end(), [&](size_t i, size_t j) { return angle(i) < angle(j); });
  return which == 0 ? Pair{order[0], order[2]} : Pair{order[1], order[3]};
}

/// The point of the stance diagonal nearest to ξ, where ξ diverges least.
Point2 TrotGait::Pressure(const LegKinematics& legs, const Pair& stance) const {
  return OnSegment(legs.feet[stance.a].p.head<2>(), legs.feet[stance.b].p.head<2>(), xi_);
}

Point2 TrotGait::DcmAfter(const LegKinematics& legs, const Pair& stance, double time) const {
  const Point2 p = Pressure(legs, stance);
  return p + (xi_ - p) * std::exp(omega_ * time);
}

/// The maximum distance of a foot from its nominal place about the feet's centre, m.
double TrotGait::Displacement(const LegKinematics& legs, const LegState& state) {
  const Point2 center = legs.FeetCenter();
  const Eigen::Matrix2d from_world = Rotation2(-state.yaw);
  double largest = 0;
  for (size_t i = 0; i < legs.feet.size(); ++i) {
    const Point2 place = from_world * (legs.feet[i].p.head<2>() - center);
    largest = std::max(largest, (place - state.feet[i].nominal).norm());
  }
  return largest;
}

void TrotGait::BeginStep(const LegKinematics& legs, LegState& state) const {
  state.stepping = true;
  state.mode_s = 0;
  state.phase_s = 0;
  state.lifted = false;
  state.step_s = legs_.gait.step_s;
  const Pair stance = PairOf(state, 1 - state.swing);
  state.stance = 0.5 * (legs.feet[stance.a].p + legs.feet[stance.b].p).head<2>();
}

void TrotGait::MaybeStep(const GaitInput& in, LegState& state) {
  const LegKinematics& legs = in.legs;
  const bool pushed = margin_ < legs_.gait.trigger;
  const bool untidy = !pushed && state.mode_s > kTidyAfter &&
                      legs.cdot.head<2>().norm() < kTidySpeed * speed_ && IsIdle(in.command) &&
                      Displacement(legs, state) > kTidyPlace * h_;
  if (!in.command.walk && !(legs_.gait.may_step && (pushed || untidy))) return;
  double growth[2];
  for (int k = 0; k < 2; ++k) {
    growth[k] = (DcmAfter(legs, PairOf(state, k), legs_.gait.step_s) - xi_).norm();
  }
  state.swing = growth[0] <= growth[1] ? 1 : 0;  // the other pair stands
  state.v_r = legs.cdot.head<2>();
  state.quiet = 0;
  state.touchdown_s = -1;
  state.speed_integral.setZero();
  BeginStep(legs, state);
}

/// Sets the reference of the pendulum during the step. @returns the offset of the DCM from the
/// feet's centre at touchdown, m.
Point2 TrotGait::MoveTrunk(const GaitInput& in, const Pair& stance, LegState& state,
                           TrunkReference& trunk) const {
  const LegKinematics& legs = in.legs;
  const double T = state.step_s;
  const Point2 v =
      Rotation2(state.yaw) * (in.command.walk ? Point2(in.command.velocity + state.speed_integral)
                                              : Point2(Point2::Zero()));
  const Point2 b = v * T / (std::exp(omega_ * T) - 1);
  const Point2 planned = state.stance + b * std::exp(omega_ * state.phase_s);
  const Point2 p = state.stance + 2 * (xi_ - planned);
  const Point2 c = legs.c.head<2>();
  Point2 acceleration;
  // both pairs carry load: the pressure may be anywhere
  if (state.phase_s < legs_.gait.exchange_s) {
    acceleration = (omega_ * omega_ * (c - p))
                       .cwiseMax(-kExchangeAcceleration * gravity_)
                       .cwiseMin(kExchangeAcceleration * gravity_);
  } else {
    acceleration =
        omega_ * omega_ *
        (c - OnSegment(legs.feet[stance.a].p.head<2>(), legs.feet[stance.b].p.head<2>(), p));
  }
  FollowPendulum(legs, acceleration, state, trunk);
  return b;
}

void TrotGait::Step(const GaitInput& in, LegState& state, TrunkReference& trunk) {
  const LegKinematics& legs = in.legs;
  const double dt = legs_.dt, exchange = legs_.gait.exchange_s, T = state.step_s;
  state.phase_s += dt;
  if (state.touchdown_s >= 0) state.touchdown_s += dt;
  const Pair swing = PairOf(state, state.swing), stance = PairOf(state, 1 - state.swing);
  for (const size_t i : {stance.a, stance.b}) {
    state.feet[i].contact = true;
    RaiseLoad(in, i, state);
  }

  const Point2 b = MoveTrunk(in, stance, state, trunk);
  if (state.phase_s < exchange) {
    for (const size_t i : {swing.a, swing.b}) {
      state.feet[i].load = std::max(0.0, state.feet[i].load - dt / exchange);
      state.feet[i].contact = true;
    }
    return;
  }
  if (!state.lifted) {
    state.lifted = true;
    for (const size_t i : {swing.a, swing.b}) LiftOff(legs, i, state);
  }
  const double remaining = std::max(T - state.phase_s, 0.0);
  if (remaining > kFreeze * (T - exchange)) PlaceFeet(legs, swing, stance, b, state);
  MoveFeet(swing, remaining, state);
  const double kept = kEarly * (T - exchange);
  bool all = true;
  for (const size_t i : {swing.a, swing.b}) {
    LegState::Foot& foot = state.feet[i];
    if (foot.contact) {
      RaiseLoad(in, i, state);
    } else if (state.phase_s - exchange > kept && Touches(in, i)) {
      SetDown(legs, i, state);
    }
    all = all && foot.contact;
  }
  if (all || state.phase_s >= T) Touchdown(in, swing, state);
}

void TrotGait::PlaceFeet(const LegKinematics& legs, const Pair& swing, const Pair& stance,
                         const Point2& b, LegState& state) const {
  const double remaining = state.step_s - state.phase_s;
  const Eigen::Matrix2d R = Rotation2(state.yaw);
  const Point2 u = DcmAfter(legs, stance, remaining) - b;  // the feet's centre at touchdown
  const Point2 p = Pressure(legs, stance);
  // The hips, that is the pendulum's centre of mass, at touchdown.
  const Point2 hips = p + (legs.c.head<2>() - p) * std::cosh(omega_ * remaining) +
                      legs.cdot.head<2>() * std::sinh(omega_ * remaining) / omega_;
  for (const size_t i : {swing.a, swing.b}) {
    LegState::Foot& foot = state.feet[i];
    Point2 shift = R.transpose() * (u - hips);
    const double reach = legs_.gait.reach;
    if (shift.norm() > reach) shift *= reach / shift.norm();
    Point2 place = foot.nominal + shift;
    const double side = foot.nominal.y() > 0 ? 1 : -1;
    place.y() = side * std::max(side * place.y(), kOwnSide * h_);
    foot.target = hips + R * place;
  }
}

void TrotGait::MoveFeet(const Pair& swing, double remaining, LegState& state) const {
  const double T = state.step_s - legs_.gait.exchange_s;
  const double x = std::min(1.0, (state.phase_s - legs_.gait.exchange_s) / T);
  for (const size_t i : {swing.a, swing.b}) {
    LegState::Foot& foot = state.feet[i];
    if (foot.contact) continue;
    FollowTarget(std::max(remaining - kSettle * T, legs_.dt), foot);
    FollowHeight(x, 1 / T, state, foot);
  }
}

void TrotGait::Touchdown(const GaitInput& in, const Pair& swing, LegState& state) const {
  const LegKinematics& legs = in.legs;
  const Point2 error = TakeSpeedError(in, state);
  if (error.norm() < kPushed * speed_) state.speed_integral += kSpeedGain * error;
  state.speed_integral = state.speed_integral.cwiseMax(-kMaxSpeedIntegral * speed_)
                             .cwiseMin(kMaxSpeedIntegral * speed_);
  for (const size_t i : {swing.a, swing.b}) {
    if (!state.feet[i].contact) SetDown(legs, i, state);
  }
  const Point2 center = legs.FeetCenter();
  const bool ease =
      (xi_ - center).norm() < kEaseDcm * h_ && Displacement(legs, state) < kEasePlace * h_;
  state.quiet = ease ? state.quiet + 1 : 0;
  if (!in.command.walk && state.quiet >= kEaseSteps) {
    BeginStand(legs, center, legs_.gait.return_s, state);
    return;
  }
  state.swing = 1 - state.swing;
  BeginStep(legs, state);
}

}  // namespace civita
