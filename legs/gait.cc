#include "civita/controllers/legs/gait.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "civita/centroidal.h"
#include "civita/controllers/legs/sole_gait.h"
#include "civita/controllers/legs/swing.h"
#include "civita/controllers/legs/trot_gait.h"
#include "civita/error.h"
#include "civita/kinematics.h"

namespace civita {
namespace {

// Lengths are in units of h, the height of the centre of mass at home, and forces of the weight.

/// Measured force above which a foot counts as in contact.
constexpr double kTouchPoint = 0.0057, kTouchFlat = 0.003;
/// Share of its rate at which the load ramp of a foot rises while no force is measured.
constexpr double kBlindLoad = 0.25;
/// The load of a foot that a push has lifted while the robot stands: as much as presses it down
/// again. A force that the law expects of a foot in the air would move the foot instead.
constexpr double kLiftedLoad = 0.005;
/// Phases of holding a foot up: the centre of mass moves in kHoldShift and must come within
/// kHoldNear of its target; the load fades in kHoldUnload; the foot rises by kHoldHeight in
/// kHoldMove; s and h.
constexpr double kHoldShift = 1.8, kHoldNear = 0.023, kHoldUnload = 0.2;
constexpr double kHoldHeight = 0.153, kHoldMove = 0.6;
/// Rate at which the estimate of the ground's height follows the stance feet, 1/s.
constexpr double kGroundRate = 5;
/// Minimum of h, m, for models of no legged robot.
constexpr double kLowest = 0.01;
/// Minimum length of the pendulum.
constexpr double kMinHeight = 0.4;
/// Where the observer of the DCM and the measurement differ by more than kDcmStep, because of a
/// push and not of noise, the observer follows with the rate kQuickDcm (1/s).
constexpr double kDcmStep = 0.04, kQuickDcm = 300;

using Hold = LegState::Hold;

/// Of the centre of mass over the feet, m.
double HeightAtHome(const Model& model, const LegOptions& legs) {
  Workspace<double> workspace(model);
  LegKinematics home(model, legs);
  UpdateKinematics<double>(model, legs.q_home, Eigen::VectorXd::Zero(model.nv()), workspace);
  UpdateLegKinematics(model, legs, workspace, home);
  double ground = 0;
  for (const FootKinematics& foot : home.feet) ground += foot.p.z();
  ground /= static_cast<double>(home.feet.size());
  return std::max(kLowest, home.c.z() - ground);
}

/// No stepping: for feet that are neither two diagonal pairs nor two soles.
class StandOnly final : public Gait {
 public:
  StandOnly(const Model& model, const LegOptions& legs) : Gait(model, legs) {}

 protected:
  void MaybeStep(const GaitInput& /*in*/, LegState& /*state*/) override {}
  void Step(const GaitInput& /*in*/, LegState& /*state*/, TrunkReference& /*trunk*/) override {}
};

}  // namespace

bool IsIdle(const BodyCommand& command) {
  return command.p.isZero(0) && command.pdot.isZero(0) && command.R.isIdentity(0) &&
         command.w.isZero(0) && command.lifted < 0;
}

Eigen::Vector3d TurnRate(const BodyCommand& command) {
  return Eigen::Vector3d(0, 0, command.walk ? command.yaw_rate : 0);
}

Eigen::Matrix2d Rotation2(double angle) { return Eigen::Rotation2Dd(angle).toRotationMatrix(); }

std::unique_ptr<Gait> Gait::Make(const Model& model, const LegOptions& legs) {
  if (legs.feet.size() == 4 && !legs.feet.front().flat()) {
    return std::make_unique<TrotGait>(model, legs);
  }
  if (legs.feet.size() == 2 && legs.feet.front().flat()) {
    return std::make_unique<SoleGait>(model, legs);
  }
  return std::make_unique<StandOnly>(model, legs);
}

Gait::Gait(const Model& model, const LegOptions& legs)
    : legs_(legs),
      gravity_(model.gravity().norm()),
      h_(HeightAtHome(model, legs)),
      speed_(std::sqrt(gravity_ * h_)),
      touch_((legs.feet.front().flat() ? kTouchFlat : kTouchPoint) * CalcTotalMass(model) *
             gravity_) {
  CIVITA_CHECK(legs.feet.size() <= LegState::kMaxFeet, legs.feet.size() << " feet");
}

void Gait::Reset(const LegKinematics& legs, LegState& state) const {
  state = {};
  const Eigen::Matrix3d R = legs.R_base * legs_.R_home.transpose();
  state.yaw = std::atan2(R(1, 0), R(0, 0));
  const Point2 center = legs.FeetCenter();
  const Eigen::Matrix2d from_world = Rotation2(-state.yaw);
  for (size_t i = 0; i < legs.feet.size(); ++i) {
    LegState::Foot& foot = state.feet[i];
    foot.anchor = foot.p = legs.feet[i].p;
    foot.anchor_yaw = state.yaw;
    foot.nominal = from_world * (foot.p.head<2>() - center);
    state.ground += foot.p.z() / static_cast<double>(legs.feet.size());
  }
  if (legs.feet.size() == 2)
    state.width = std::abs((state.feet[0].nominal - state.feet[1].nominal).y());
  state.height = (legs_.base_task ? legs.p_base : legs.c).z() - state.ground;
  BeginStand(legs, center, legs_.gait.return_s, state);
}

SupportPolygon Gait::Support(const LegKinematics& legs) const {
  std::array<Point2, SupportPolygon::kMaxPoints> points;
  size_t n = 0;
  for (const FootKinematics& foot : legs.feet) {
    for (const Eigen::Vector3d& p : foot.contacts) points[n++] = p.head<2>();
  }
  return SupportPolygon({points.data(), n});
}

bool Gait::Touches(const GaitInput& in, size_t foot) const {
  return in.foot_force.size() > 0 && in.foot_force[static_cast<Eigen::Index>(foot)] > touch_;
}

bool Gait::IsInAir(const Eigen::VectorXd& foot_force, size_t foot) const {
  return foot_force.size() > 0 && foot_force[static_cast<Eigen::Index>(foot)] <= touch_;
}

void Gait::BeginStand(const LegKinematics& legs, const Point2& target, double duration,
                      LegState& state) const {
  state.stepping = false;
  state.mode_s = 0;
  state.quiet = 0;
  state.shifting = false;
  const bool base = legs_.base_task;
  state.c_from = (base ? legs.p_base : legs.c).head<2>();
  state.v_from = (base ? legs.v_base : legs.cdot).head<2>();
  state.c_to = target;
  if (base) state.c_to += (legs.p_base - legs.c).head<2>();
  state.return_s = duration;
}

void Gait::ObserveDcm(const LegKinematics& legs, LegState& state) {
  xi_ = (legs.c + legs.cdot / omega_).head<2>();
  if (legs_.gait.dcm_gain <= 0) return;
  if (!state.pressed) state.dcm = xi_;
  const Point2 innovation = xi_ - state.dcm;
  const double gain = innovation.norm() > kDcmStep * h_ ? kQuickDcm : legs_.gait.dcm_gain;
  const Point2 p = state.pressed ? state.pressure : state.dcm;
  state.dcm += legs_.dt * (omega_ * (state.dcm - p) + gain * innovation);
  xi_ = state.dcm;
}

// The ground's height follows the stance feet by a first-order lag.
void Gait::FollowGround(const LegKinematics& legs, LegState& state) {
  double height = 0, rate = 0, standing = 0;
  for (size_t i = 0; i < legs.feet.size(); ++i) {
    if (!state.feet[i].contact) continue;
    height += legs.feet[i].p.z();
    rate += legs.feet[i].pdot.z();
    standing += 1;
  }
  ground_v_ = ground_a_ = 0;
  if (standing == 0) return;
  ground_v_ = kGroundRate * (height / standing - state.ground);
  ground_a_ = kGroundRate * (rate / standing - ground_v_);
  state.ground += legs_.dt * ground_v_;
}

void Gait::BeginHold(const GaitInput& in, LegState& state) const {
  const LegKinematics& legs = in.legs;
  const int foot = in.command.lifted;
  if (foot < 0 || foot >= static_cast<int>(legs.feet.size())) return;
  state.held = foot;
  state.hold = Hold::kShifting;
  const auto n = static_cast<double>(legs.feet.size());
  const Point2 others =
      (n * legs.FeetCenter() - legs.feet[static_cast<size_t>(foot)].p.head<2>()) / (n - 1);
  BeginStand(legs, others, kHoldShift, state);
}

void Gait::EndHold(const LegKinematics& legs, LegState& state) const {
  state.hold = Hold::kAllDown;
  state.hold_s = 0;
  BeginStand(legs, legs.FeetCenter(), legs_.gait.return_s, state);
}

void Gait::HoldFoot(const GaitInput& in, LegState& state) const {
  if (state.hold == Hold::kAllDown) {
    BeginHold(in, state);
    return;
  }
  const LegKinematics& legs = in.legs;
  const auto held = static_cast<size_t>(state.held);
  const bool ends = in.command.lifted != state.held;
  state.hold_s += legs_.dt;
  if (state.hold == Hold::kShifting) {
    const Point2 target = legs_.base_task ? Point2(xi_) : state.c_to;
    if (ends) {
      EndHold(legs, state);
    } else if (state.mode_s > kHoldShift && (xi_ - target).norm() < kHoldNear * h_) {
      state.hold = Hold::kUnloading;
      state.hold_s = 0;
    }
  } else if (state.hold == Hold::kUnloading) {
    LegState::Foot& foot = state.feet[held];
    foot.load = std::max(0.0, foot.load - legs_.dt / kHoldUnload);
    if (foot.load > 0) return;
    state.hold = Hold::kUp;
    state.hold_s = 0;
    LiftOff(legs, held, state);
  } else {
    MoveHeld(legs, ends, state);
  }
}

void Gait::MoveHeld(const LegKinematics& legs, bool ends, LegState& state) const {
  const auto held = static_cast<size_t>(state.held);
  LegState::Foot& foot = state.feet[held];
  const bool up = state.hold == Hold::kUp;
  const double z_end = up ? foot.lift_z + kHoldHeight * h_ : foot.lift_z;
  const double left = std::max(kHoldMove - state.hold_s, 2 * legs_.dt);
  const Moving1 z = FollowQuintic({foot.p.z(), foot.v.z(), foot.a.z()}, z_end, left, legs_.dt);
  foot.p.z() = z.x;
  foot.v.z() = z.v;
  foot.a.z() = z.a;
  if (up) {
    if (!ends) return;
    state.hold = Hold::kLowering;
    state.hold_s = 0;
  } else if (state.hold_s >= kHoldMove) {
    SetDown(legs, held, state);
    EndHold(legs, state);
  }
}

void Gait::Stand(const GaitInput& in, LegState& state, TrunkReference& trunk) const {
  const LegKinematics& legs = in.legs;
  const BodyCommand& command = in.command;
  for (size_t i = 0; i < legs.feet.size(); ++i) {
    if (state.hold >= Hold::kUnloading && state.held == static_cast<int>(i)) continue;
    LegState::Foot& foot = state.feet[i];
    foot.contact = true;
    if (IsInAir(in.foot_force, i)) {
      foot.load = std::max(foot.load - legs_.dt / legs_.gait.exchange_s, kLiftedLoad);
    } else {
      RaiseLoad(in, i, state);
    }
  }
  trunk.base = legs_.base_task;
  const Eigen::Vector3d x = trunk.base ? legs.p_base : legs.c;
  const Eigen::Vector3d xdot = trunk.base ? legs.v_base : legs.cdot;
  Eigen::Vector3d x_d, v_d, a_d;
  for (int k = 0; k < 2; ++k) {
    const Moving1 way = FollowQuintic({state.c_from[k], state.v_from[k], 0}, state.c_to[k],
                                      state.return_s, state.mode_s);
    x_d[k] = way.x;
    v_d[k] = way.v;
    a_d[k] = state.mode_s < state.return_s ? way.a : 0;
  }
  x_d.z() = state.ground + state.height;
  v_d.z() = a_d.z() = 0;
  const Eigen::Matrix3d R_yaw =
      Eigen::AngleAxisd(state.yaw, Eigen::Vector3d::UnitZ()).toRotationMatrix();
  // The command, in axes that turn with the heading.
  const Eigen::Vector3d turn = TurnRate(command);
  const Eigen::Vector3d p = R_yaw * command.p, pdot = R_yaw * command.pdot;
  const Eigen::Vector3d w = R_yaw * command.w;
  x_d += p;
  v_d += pdot + turn.cross(p);
  a_d += R_yaw * command.pddot + 2 * turn.cross(pdot) + turn.cross(turn.cross(p));
  trunk.error = x - x_d;
  trunk.v_r = v_d - in.lambda * trunk.error;
  trunk.vdot_r = a_d - in.lambda * (xdot - v_d - Eigen::Vector3d(0, 0, ground_v_));
  trunk.R_d = R_yaw * command.R;
  trunk.w_d = turn + w;
  trunk.wdot_d = R_yaw * command.wdot + turn.cross(w);
}

void Gait::FollowPendulum(const LegKinematics& legs, const Point2& acceleration, LegState& state,
                          TrunkReference& trunk) const {
  const Point2 cdot = legs.cdot.head<2>();
  const Point2 vdot_r = acceleration + kPendulumGain * (cdot - state.v_r);
  state.v_r += legs_.dt * vdot_r;
  trunk.v_r.head<2>() = state.v_r;
  trunk.vdot_r.head<2>() = vdot_r;
}

void Gait::RaiseLoad(const GaitInput& in, size_t foot, LegState& state) const {
  const bool feels = in.foot_force.size() == 0 || Touches(in, foot);
  const double rate = (feels ? 1 : kBlindLoad) / legs_.gait.exchange_s;
  state.feet[foot].load = std::min(1.0, state.feet[foot].load + rate * legs_.dt);
}

void Gait::LiftOff(const LegKinematics& legs, size_t foot, LegState& state) {
  LegState::Foot& f = state.feet[foot];
  f.p = legs.feet[foot].p;
  f.v.setZero();
  f.a.setZero();
  f.lift_z = f.p.z();
  f.contact = false;
  f.load = 0;
}

void Gait::FollowTarget(double remaining, LegState::Foot& foot) const {
  for (int k = 0; k < 2; ++k) {
    const Moving1 next =
        FollowQuintic({foot.p[k], foot.v[k], foot.a[k]}, foot.target[k], remaining, legs_.dt);
    foot.p[k] = next.x;
    foot.v[k] = next.v;
    foot.a[k] = next.a;
  }
}

void Gait::FollowHeight(double x, double rate, const LegState& state, LegState::Foot& foot) const {
  const Moving1 z = SwingHeight(x, legs_.gait.swing_height, 1 / std::max(rate, 1e-6));
  const double rise = state.ground - foot.lift_z;
  foot.p.z() = foot.lift_z + rise * x + z.x;
  foot.v.z() = rise * rate + ground_v_ * x + z.v;
  foot.a.z() = 2 * ground_v_ * rate + ground_a_ * x + z.a;
}

void Gait::SetDown(const LegKinematics& legs, size_t foot, LegState& state) const {
  LegState::Foot& f = state.feet[foot];
  f.anchor = legs.feet[foot].p;
  f.contact = true;
  f.load = 0;
  state.steps += 1;
}

Point2 Gait::TakeSpeedError(const GaitInput& in, LegState& state) {
  if (!in.command.walk) return Point2::Zero();
  const Point2 c = in.legs.c.head<2>();
  const double time = state.touchdown_s;
  const double heading = state.yaw - 0.5 * time * in.command.yaw_rate;
  const Point2 moved = Rotation2(-heading) * (c - state.touchdown_c);
  state.touchdown_c = c;
  state.touchdown_s = 0;
  return time > 0 ? Point2(in.command.velocity - moved / time) : Point2(Point2::Zero());
}

void Gait::Update(const GaitInput& in, LegState& state, TrunkReference& trunk) {
  const LegKinematics& legs = in.legs;
  const double dt = legs_.dt;
  omega_ = std::sqrt(gravity_ / std::max(kMinHeight * h_, legs.c.z() - state.ground));
  ObserveDcm(legs, state);
  margin_ = Support(legs).Inside(xi_);
  state.mode_s += dt;
  if (in.command.walk) state.yaw += dt * in.command.yaw_rate;

  FollowGround(legs, state);

  if (!state.stepping) HoldFoot(in, state);
  if (!state.stepping && state.hold == Hold::kAllDown) MaybeStep(in, state);
  if (!state.stepping) {
    Stand(in, state, trunk);
    return;
  }
  trunk.base = false;
  trunk.error = Eigen::Vector3d(0, 0, legs.c.z() - state.ground - state.height);
  trunk.v_r.z() = -in.lambda * trunk.error.z();
  trunk.vdot_r.z() = -in.lambda * (legs.cdot.z() - ground_v_);
  trunk.R_d = Eigen::AngleAxisd(state.yaw, Eigen::Vector3d::UnitZ()).toRotationMatrix();
  trunk.w_d = TurnRate(in.command);
  trunk.wdot_d.setZero();
  Step(in, state, trunk);
}

}  // namespace civita
