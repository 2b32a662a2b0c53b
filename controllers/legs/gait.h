#pragma once

#include <Eigen/Core>
#include <array>
#include <memory>

#include "civita/controllers/controller.h"
#include "civita/controllers/legs/leg_kinematics.h"
#include "civita/controllers/legs/leg_options.h"
#include "civita/controllers/legs/leg_state.h"

namespace civita {

/// What the trunk shall do now: reference velocity of the linear task and its rate along the
/// robot's motion, and the base's orientation, which turns with w_d. World axes.
struct TrunkReference {
  bool base = false;      ///< the linear task is the base's origin, else the centre of mass
  Eigen::Vector3d error;  ///< of the linear task, m; stepping: of the height alone
  Eigen::Vector3d v_r, vdot_r;
  Eigen::Matrix3d R_d;
  Eigen::Vector3d w_d, wdot_d;
};

/// What a gait goes by.
struct GaitInput {
  const LegKinematics& legs;
  const BodyCommand& command;
  const Eigen::VectorXd& foot_force;  ///< measured, N; empty: touchdown by the schedule alone
  double lambda;                      ///< tracking gain of the linear task, 1/s
};

/// When and where the feet go, and what the trunk shall do meanwhile: standing is common, steps are
/// the robots' own. The divergent component of motion ξ = c + ċ/ω, ω = √(g/h), runs away from the
/// centre of pressure p as ξ̇ = ω(ξ − p); c follows it. So a robot is standing safely as long as ξ
/// is inside the support, and steps so that it will be inside the next one.
class Gait {
 public:
  /// One for four point feet or two flat ones; any others stand only.
  static std::unique_ptr<Gait> Make(const Model& model, const LegOptions& legs);
  virtual ~Gait() = default;

  /// Standing where it is.
  void Reset(const LegKinematics& legs, LegState& state) const;

  /// Goes on by a control period: feet, loads and the trunk's reference. Allocates nothing.
  void Update(const GaitInput& in, LegState& state, TrunkReference& trunk);

  /// Of the last Update.
  const Point2& dcm() const { return xi_; }
  double omega() const { return omega_; }
  /// How far ξ is inside the support of all feet, m.
  double margin() const { return margin_; }

 protected:
  Gait(const Model& model, const LegOptions& legs);

  /// Standing: decides whether to step, and begins.
  virtual void MaybeStep(const GaitInput& in, LegState& state) = 0;
  /// A control period of a step; horizontal parts of `trunk`, swing references, touchdowns.
  virtual void Step(const GaitInput& in, LegState& state, TrunkReference& trunk) = 0;

  /// From here on it stands, its centre of mass on the way to `target`.
  void BeginStand(const LegKinematics& legs, const Point2& target, double duration,
                  LegState& state) const;
  /// What the linear inverted pendulum asks for with the centre of pressure at p,
  ///   v̇_r = ω²(c − p) + k (ċ − v_r), v_r integrated: a reference as a state.
  void FollowPendulum(const LegKinematics& legs, const Point2& acceleration, LegState& state,
                      TrunkReference& trunk) const;
  /// A foot that stands takes its load up by a ramp, slowly as long as it feels nothing.
  void RaiseLoad(const GaitInput& in, size_t foot, LegState& state) const;
  /// A foot leaves the ground; its swing's reference begins where it is, at rest.
  static void LiftOff(const LegKinematics& legs, size_t foot, LegState& state);
  /// Moves a swing's reference on towards its target, horizontally, to be there in `remaining` s.
  void FollowTarget(double remaining, LegState::Foot& foot) const;
  /// Its height at x (0…1) of the way from where the foot lifted to the ground, x growing at
  /// `rate`, 1/s; foot.v and foot.a are its rates as long as `rate` is constant.
  void FollowHeight(double x, double rate, const LegState& state, LegState::Foot& foot) const;
  void SetDown(const LegKinematics& legs, size_t foot, LegState& state) const;
  /// At a touchdown: the command less the mean velocity since the one before, axes of the heading
  /// halfway; zero where there was none or nothing is commanded. The next step is measured from
  /// here.
  static Point2 TakeSpeedError(const GaitInput& in, LegState& state);
  static bool Touches(const GaitInput& in, size_t foot);
  SupportPolygon Support(const LegKinematics& legs) const;

  static constexpr double kPendulumGain = 20;  ///< k, 1/s
  /// A foot that touches counts as set down after this share of its swing.
  static constexpr double kEarly = 0.6;

  const LegOptions& legs_;
  double gravity_;
  // Of the present control step.
  double omega_ = 1;
  Point2 xi_ = Point2::Zero();
  double margin_ = 0;
  double ground_v_ = 0, ground_a_ = 0;  ///< rates of LegState::ground, m/s and m/s²

 private:
  void ObserveDcm(const LegKinematics& legs, LegState& state);
  void FollowGround(const LegKinematics& legs, LegState& state);
  void Stand(const GaitInput& in, LegState& state, TrunkReference& trunk) const;
  /// Standing on the other feet: the centre of mass moves over them, the foot's load fades, the
  /// foot goes up; and back when the command ends.
  void HoldFoot(const GaitInput& in, LegState& state) const;
  void BeginHold(const GaitInput& in, LegState& state) const;
  /// The centre of mass goes back between all feet.
  void EndHold(const LegKinematics& legs, LegState& state) const;
  void MoveHeld(const LegKinematics& legs, bool ends, LegState& state) const;
};

/// Whether the command leaves the robot standing as it likes.
bool IsIdle(const BodyCommand& command);

/// Angular velocity of the heading that is commanded, world axes, rad/s.
Eigen::Vector3d TurnRate(const BodyCommand& command);

/// Rotation of the plane by the angle.
Eigen::Matrix2d Rotation2(double angle);

}  // namespace civita
