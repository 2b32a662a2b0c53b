#pragma once

#include <Eigen/Core>
#include <array>
#include <memory>

#include "civita/controllers/legs/body_command.h"
#include "civita/controllers/legs/leg_kinematics.h"
#include "civita/controllers/legs/leg_options.h"
#include "civita/controllers/legs/leg_state.h"
#include "civita/model.h"

namespace civita {

/// Reference of the trunk: velocity v_r of the linear task and its rate along the robot's motion,
/// and the rotation of the base from its attitude at home, which changes at w_d. World axes.
struct TrunkReference {
  bool base = false;      ///< the linear task is the base's origin, else the centre of mass
  Eigen::Vector3d error;  ///< of the linear task, m; while stepping only the height
  Eigen::Vector3d v_r, vdot_r;
  Eigen::Matrix3d R_d;
  Eigen::Vector3d w_d, wdot_d;
};

/// Input of a gait.
struct GaitInput {
  const LegKinematics& legs;
  const BodyCommand& command;
  const Eigen::VectorXd& foot_force;  ///< measured, N; empty: touchdown by schedule alone
  double lambda;                      ///< tracking gain of the linear task, 1/s
};

/// Decides when and where the feet step and what the trunk does meanwhile. Standing is common to
/// all robots, stepping is the derived class's. The divergent component of motion ξ = c + ċ/ω, ω =
/// √(g/h), diverges from the centre of pressure p as ξ̇ = ω(ξ − p); c follows it. So a robot
/// stands safely as long as ξ is inside the support polygon, and otherwise steps so that ξ will be
/// inside the next one.
class Gait {
 public:
  /// Makes a gait for four point feet or two flat feet; for all others one that never steps.
  /// `legs` as after TakeHome, with q_home.
  static std::unique_ptr<Gait> Make(const Model& model, const LegOptions& legs);
  virtual ~Gait() = default;

  /// Resets `state` to standing at the present position.
  void Reset(const LegKinematics& legs, LegState& state) const;

  /// Advances feet, loads and the trunk's reference by one control period. Allocates nothing.
  void Update(const GaitInput& in, LegState& state, TrunkReference& trunk);

  /// The DCM ξ at the last Update, world axes, m.
  const Point2& dcm() const { return xi_; }
  double omega() const { return omega_; }
  /// h, the height of the centre of mass over the feet at home, m.
  double home_height() const { return h_; }
  /// Distance of ξ from the boundary of the support of all feet, m; positive inside.
  double margin() const { return margin_; }
  /// Whether forces are measured (N; empty: none), and this foot has none.
  bool IsInAir(const Eigen::VectorXd& foot_force, size_t foot) const;

 protected:
  Gait(const Model& model, const LegOptions& legs);

  /// While standing: decides whether to step, and begins the step.
  virtual void MaybeStep(const GaitInput& in, LegState& state) = 0;
  /// One control period of a step: horizontal part of `trunk`, swing references, touchdowns.
  virtual void Step(const GaitInput& in, LegState& state, TrunkReference& trunk) = 0;

  /// Begins to stand: the centre of mass moves to `target` (world, m) in `duration` (s).
  void BeginStand(const LegKinematics& legs, const Point2& target, double duration,
                  LegState& state) const;
  /// Sets the trunk's horizontal reference to the linear inverted pendulum about the centre of
  /// pressure p,
  ///   v̇_r = ω²(c − p) + k (ċ − v_r), with v_r integrated as a state.
  void FollowPendulum(const LegKinematics& legs, const Point2& acceleration, LegState& state,
                      TrunkReference& trunk) const;
  /// Raises the load of a stance foot by a ramp, more slowly while it measures no force.
  void RaiseLoad(const GaitInput& in, size_t foot, LegState& state) const;
  /// Lifts the foot off the ground; the reference of its swing begins where it is, at rest.
  static void LiftOff(const LegKinematics& legs, size_t foot, LegState& state);
  /// Moves a swing's horizontal reference towards its target, to arrive in `remaining` (s).
  void FollowTarget(double remaining, LegState::Foot& foot) const;
  /// Sets the height of the swing at its phase x (0…1) between the lift-off height and the ground;
  /// x grows at `rate` (1/s). foot.v and foot.a are exact rates while `rate` is constant.
  void FollowHeight(double x, double rate, const LegState& state, LegState::Foot& foot) const;
  void SetDown(const LegKinematics& legs, size_t foot, LegState& state) const;
  /// At a touchdown: commanded minus mean measured velocity since the last touchdown, m/s, axes of
  /// the heading halfway; zero if there was none or nothing is commanded. Starts the next
  /// measurement.
  static Point2 TakeSpeedError(const GaitInput& in, LegState& state);
  bool Touches(const GaitInput& in, size_t foot) const;
  SupportPolygon Support(const LegKinematics& legs) const;

  static constexpr double kPendulumGain = 20;  ///< k, 1/s
  /// A contact counts as touchdown after this share of the swing.
  static constexpr double kEarly = 0.6;

  const LegOptions& legs_;
  double gravity_;
  double h_;      ///< height of the centre of mass at home, m: the unit of lengths
  double speed_;  ///< √(g h), m/s: the unit of speeds
  double touch_;  ///< measured force above which a foot counts as in contact, N
  // At the present control step.
  double omega_ = 1;
  Point2 xi_ = Point2::Zero();
  double margin_ = 0;
  double ground_v_ = 0, ground_a_ = 0;  ///< rates of LegState::ground, m/s and m/s²

 private:
  void ObserveDcm(const LegKinematics& legs, LegState& state);
  void FollowGround(const LegKinematics& legs, LegState& state);
  void Stand(const GaitInput& in, LegState& state, TrunkReference& trunk) const;
  /// Holds a foot up: the centre of mass moves over the other feet, the foot's load fades and the
  /// foot rises; it is set down again when the command ends.
  void HoldFoot(const GaitInput& in, LegState& state) const;
  void BeginHold(const GaitInput& in, LegState& state) const;
  /// Moves the centre of mass back between all feet.
  void EndHold(const LegKinematics& legs, LegState& state) const;
  void MoveHeld(const LegKinematics& legs, bool ends, LegState& state) const;
};

/// Whether the command asks for no motion of the trunk and no lifted foot.
bool IsIdle(const BodyCommand& command);

/// Commanded angular velocity of the heading, world axes, rad/s.
Eigen::Vector3d TurnRate(const BodyCommand& command);

/// Rotation matrix of the plane by the angle, rad.
Eigen::Matrix2d Rotation2(double angle);

}  // namespace civita
