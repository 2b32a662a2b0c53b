#include "civita/controllers/legs/sole_gait.h"

#include <algorithm>
#include <cmath>

#include "civita/controllers/legs/swing.h"

namespace civita {
namespace {

// Lengths are in units of h, the height of the centre of mass at home, and speeds of √(g h).

// The planner: weights; minimum of the remaining time, for the step and for the centre of pressure
// (s); range of footholds from the stance foot (forward, and sideways on the foot's own side);
// share by which the centre of pressure stays inside the sole.
constexpr double kWeightPlace = 1, kWeightTime = 0.468, kWeightDcm = 100;
constexpr double kMinRemaining = 0.05, kMinForPressure = 0.12;
constexpr double kMaxForward = 0.688, kMaxBackward = 0.612;
constexpr double kMinSideways = 0.229, kMaxSideways = 0.918;
constexpr double kShrink = 0.15;
/// Foothold and step time are constant for the last kFreeze of a step, s.
constexpr double kFreeze = 0.05;
/// The trunk is lowered by the share kDrop of the stance width beyond the nominal width + kWide.
constexpr double kDrop = 0.5, kWide = 0.153;
/// A touchdown is at ease if the DCM and the foot are within these distances of those of the
/// steady walk. After kEaseSteps of them, with the DCM inside the support by kEaseInside, the
/// robot stands.
constexpr double kEaseDcm = 0.0765, kEasePlace = 0.0765, kEaseInside = 0.0306;
constexpr int kEaseSteps = 2;
/// After standing for kTidyAfter (s), slower than kTidySpeed, the robot steps again if a foot is
/// more than kTidyPlace from its place; a recovery step ends nearer than that.
constexpr double kTidyAfter = 1, kTidySpeed = 0.0079, kTidyPlace = 0.0918;
/// Before the first step the centre of mass shifts: nominal, minimum and maximum duration (s), and
/// the distance from the goal at which the foot may lift off.
constexpr double kNominalShift = 0.7, kMinShift = 0.2, kMaxShift = 1.2, kShiftShort = 0.00765;
/// Share of the measured velocity error that each step adds to the command, and the maximum sum.
constexpr double kSpeedGain = 0.3, kMaxSpeedIntegral = 0.079;
/// A larger velocity error is due to a push and is not integrated.
constexpr double kPushed = 0.0395;

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

SupportPolygon SoleGait::Sole(const LegKinematics& legs, size_t foot) {
  std::array<Point2, SupportPolygon::kMaxPoints> points;
  size_t n = 0;
  for (const Eigen::Vector3d& p : legs.feet[foot].contacts) points[n++] = p.head<2>();
  return SupportPolygon({points.data(), n});
}

Point2 SoleGait::Velocity(const GaitInput& in, const LegState& state) {
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

  // Heading axes, relative to the stance foot.
  const Point2 xi = R.transpose() * (xi_ - u0);
  const double e_r = std::exp(omega_ * std::max(T_n - phase, kMinForPressure));
  const Point2 p_free = (u_n + plan.b_n - xi * e_r) / (1 - e_r);
  const Point2 p_world = u0 + R * p_free;
  plan.p = Sole(legs, stance).Shrunk(kShrink).Closest(p_world);
  const Point2 p = R.transpose() * (plan.p - u0);

  // b − b_n = A τ + r − u in the unknowns x = (u, τ).
  const Point2 A = xi - p, r = p - plan.b_n;
  const double min_growth =
      std::exp(omega_ * std::max(gait.shortest_step_s - phase, kMinRemaining));
  const double max_growth =
      std::max(std::exp(omega_ * (gait.longest_step_s - phase)), 1.001 * min_growth);
  const double tau_n =
      std::clamp(std::exp(omega_ * std::max(T_n - phase, kMinRemaining)), min_growth, max_growth);
  Eigen::Matrix<double, 2, 3> B;
  B << -1, 0, A.x(), 0, -1, A.y();
  program_.G.noalias() = kWeightDcm * B.transpose() * B;
  program_.G.diagonal() +=
      Eigen::Vector3d(kWeightPlace, kWeightPlace, kWeightTime * h_ * h_ / (tau_n * tau_n));
  program_.g.noalias() = kWeightDcm * B.transpose() * r;
  program_.g -= Eigen::Vector3d(kWeightPlace * u_n.x(), kWeightPlace * u_n.y(),
                                kWeightTime * h_ * h_ / tau_n);
  const double left = h_ * (side > 0 ? kMinSideways : -kMaxSideways);
  const double right = h_ * (side > 0 ? kMaxSideways : -kMinSideways);
  program_.b << h_ * kMaxBackward, h_ * kMaxForward, -left, right, -min_growth, max_growth;
  plan.solved = program_.Solve() == QuadraticProgram::Status::kOptimal;
  if (!plan.solved) return plan;
  const Eigen::Vector3d& x = program_.x;
  plan.u = u0 + R * Point2(x.head<2>());
  plan.T = phase + std::log(x[2]) / omega_;
  plan.b = B * x + r + plan.b_n;
  return plan;
}

void SoleGait::BeginStep(int swing, LegState& state) const {
  state.stepping = true;
  state.mode_s = 0;
  state.shifting = false;
  state.swing = swing;
  state.phase_s = 0;
  state.lifted = false;
  state.swing_x = 0;
  state.step_s = legs_.gait.step_s;
}

// Moves the centre of mass towards the stance foot, to where the steady walk has the DCM.
void SoleGait::BeginShift(const LegKinematics& legs, int swing, LegState& state) const {
  const auto foot = static_cast<size_t>(swing);
  const Point2 u0 = legs.feet[1 - foot].p.head<2>();
  const double b = state.width / (1 + std::exp(omega_ * legs_.gait.step_s));
  const Point2 target = u0 + Rotation2(state.yaw) * Point2(0, Side(state, foot) * b);
  BeginStand(legs, target, kNominalShift, state);
  state.shifting = true;
  state.swing = swing;
  state.shift_to = target;
  state.shift_along = (target - legs.c.head<2>()).normalized();
}

void SoleGait::MaybeStep(const GaitInput& in, LegState& state) {
  const LegKinematics& legs = in.legs;
  const bool may = legs_.gait.may_step;
  if (!state.shifting && may && margin_ < legs_.gait.trigger) {
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
  if (state.shifting) {
    const bool passed = (xi_ - state.shift_to).dot(state.shift_along) > -kShiftShort * h_;
    if ((passed && state.mode_s > kMinShift) || state.mode_s > kMaxShift) {
      state.v_r = legs.cdot.head<2>();
      state.touchdown_s = -1;
      state.speed_integral.setZero();
      BeginStep(state.swing, state);
    }
    return;
  }
  const Point2 apart = Rotation2(-state.yaw) * (legs.feet[0].p - legs.feet[1].p).head<2>();
  const Point2 place = state.feet[0].nominal - state.feet[1].nominal;
  const bool untidy = may && state.mode_s > kTidyAfter &&
                      legs.cdot.head<2>().norm() < kTidySpeed * speed_ && IsIdle(in.command) &&
                      (apart - place).norm() > kTidyPlace * h_;
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
  state.feet[stance].contact = true;
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
  LowerTrunk(in, state, trunk);

  if (state.phase_s < exchange) {
    foot.load = std::max(0.0, foot.load - dt / exchange);
    foot.contact = true;
    return;
  }
  if (!state.lifted) {
    state.lifted = true;
    LiftOff(legs, swing, state);
  }
  foot.anchor_yaw = state.yaw;
  MoveFoot(foot, state);
  const bool due = state.phase_s >= state.step_s;
  if (due || (state.swing_x > kEarly && Touches(in, swing))) Touchdown(in, swing, state);
}

void SoleGait::LowerTrunk(const GaitInput& in, const LegState& state, TrunkReference& trunk) const {
  const FootKinematics &a = in.legs.feet[0], &b = in.legs.feet[1];
  const Point2 apart = (a.p - b.p).head<2>(), rate = (a.pdot - b.pdot).head<2>();
  const double spread = apart.norm();
  if (spread <= state.width + kWide * h_) return;
  const double lower = kDrop * (spread - state.width - kWide * h_);
  trunk.error.z() += lower;
  trunk.v_r.z() -= in.lambda * lower;
  trunk.vdot_r.z() -= in.lambda * kDrop * apart.dot(rate) / spread;
}

void SoleGait::MoveFoot(LegState::Foot& foot, LegState& state) const {
  const double remaining = state.step_s - state.phase_s;
  if (remaining <= 1.5 * legs_.dt) return;
  FollowTarget(remaining, foot);
  const double rate = (1 - state.swing_x) / remaining;
  state.swing_x = std::min(1.0, state.swing_x + rate * legs_.dt);
  FollowHeight(state.swing_x, rate, state, foot);
}

void SoleGait::Touchdown(const GaitInput& in, size_t swing, LegState& state) const {
  const LegKinematics& legs = in.legs;
  const Eigen::Matrix2d from_world = Rotation2(-state.yaw);
  const Point2 error = TakeSpeedError(in, state);
  for (int k = 0; k < 2; ++k) {
    if (std::abs(error[k]) < kPushed * speed_) state.speed_integral[k] += kSpeedGain * error[k];
  }
  state.speed_integral = state.speed_integral.cwiseMax(-kMaxSpeedIntegral * speed_)
                             .cwiseMin(kMaxSpeedIntegral * speed_);
  SetDown(legs, swing, state);
  const Point2 apart = from_world * (legs.feet[0].p - legs.feet[1].p).head<2>();
  const Point2 place = state.feet[0].nominal - state.feet[1].nominal;
  const double e_T = std::exp(omega_ * legs_.gait.step_s);
  const Point2 b_n(0, -Side(state, swing) * state.width / (1 + e_T));
  const Point2 xi = from_world * (xi_ - Point2(legs.feet[swing].p.head<2>()));
  const bool ease = (xi - b_n).norm() < kEaseDcm * h_ && (apart - place).norm() < kEasePlace * h_;
  state.quiet = ease ? state.quiet + 1 : 0;
  if (!in.command.walk && state.quiet >= kEaseSteps &&
      Support(legs).Inside(xi_) > kEaseInside * h_) {
    BeginStand(legs, legs.FeetCenter(), legs_.gait.return_s, state);
    return;
  }
  BeginStep(1 - state.swing, state);
}

}  // namespace civita
