#pragma once

#include <Eigen/Core>
#include <array>
#include <type_traits>

#include "controllers/legs/support.h"

namespace civita {

/// What a law of legs remembers from step to step. Numbers alone, so that whoever runs the law
/// saves and restores it with the plant's state.
struct LegState {
  static constexpr int kMostFeet = 4;

  double stepping = 0;  ///< 1: a foot is or is about to be in the air
  double mode_s = 0;    ///< since it began to stand, or to step
  double yaw = 0;       ///< desired heading, rad
  double height = 0;    ///< of the centre of mass (or base) over the ground, at the start, m
  double ground = 0;    ///< height of the ground under the robot, m
  double width = 0;     ///< between flat feet at the start, m

  // Standing: the centre of mass goes from c_from with v_from to c_to and rests there.
  Point2 c_from = Point2::Zero(), v_from = Point2::Zero(), c_to = Point2::Zero();
  double return_s = 1;

  // Stepping.
  double swing = 0;                ///< the pair (four feet) or the foot (two) that swings
  double phase_s = 0;              ///< since the step began
  double step_s = 0;               ///< its duration as planned now
  double lifted = 0;               ///< 1: the exchange is over
  double swing_x = 0;              ///< flat feet: 0…1 along the swing
  Point2 v_r = Point2::Zero();     ///< reference velocity of the centre of mass, integrated
  Point2 stance = Point2::Zero();  ///< middle of the feet that stand, at the step's beginning
  Point2 speed_integral = Point2::Zero();
  Point2 touchdown_c = Point2::Zero();  ///< centre of mass at the last touchdown
  double touchdown_s = -1;              ///< time since it; −1: none
  double quiet = 0;                     ///< touchdowns in a row that were at ease

  // Standing with a foot held up, see Gait::HoldFoot.
  double hold = 0;    ///< which part, see gait.cc
  double held = -1;   ///< the foot
  double hold_s = 0;  ///< since this part of it began

  // Flat feet: the first step waits for the centre of mass to pass over the other foot.
  double shifting = 0;
  Point2 shift_to = Point2::Zero(), shift_along = Point2::Zero();

  Point2 dcm = Point2::Zero();       ///< observed
  Point2 pressure = Point2::Zero();  ///< centre of pressure that was asked for last
  double pressed = 0;                ///< 1: there was one

  // Counted since the start.
  double steps = 0;         ///< feet set down
  double qp_fallbacks = 0;  ///< control steps without a solution for the forces

  struct Foot {
    Eigen::Vector3d anchor = Eigen::Vector3d::Zero();  ///< where it shall stay
    Eigen::Vector3d roll = Eigen::Vector3d::Zero();    ///< how far a ball has rolled since
    double anchor_yaw = 0;
    double load = 1;     ///< ramp of its force limit
    double contact = 1;  ///< 1: it stands
    double force = 0;    ///< vertical, as last asked for, N
    // The reference of a swing.
    Eigen::Vector3d p = Eigen::Vector3d::Zero(), v = Eigen::Vector3d::Zero(),
                    a = Eigen::Vector3d::Zero();
    double lift_z = 0;
    Point2 target = Point2::Zero();
    Point2 nominal = Point2::Zero();  ///< from the feet's centre, axes of the heading
  };
  std::array<Foot, kMostFeet> feet;

  /// As plain numbers.
  Eigen::Map<Eigen::VectorXd> numbers() {
    return {reinterpret_cast<double*>(this),
            static_cast<Eigen::Index>(sizeof *this / sizeof(double))};
  }
};
static_assert(std::is_standard_layout_v<LegState> && alignof(LegState) == alignof(double));

}  // namespace civita
