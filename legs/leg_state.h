#pragma once

#include <Eigen/Core>
#include <array>
#include <type_traits>

#include "civita/controllers/legs/support.h"

namespace civita {

/// State of a law of legged robots between control steps. Packed as numbers, so that the caller of
/// the law saves and restores it with the plant's state.
struct LegState {
  static constexpr int kMaxFeet = 4;

  /// Phases of standing with a foot held up, see Gait::HoldFoot.
  enum class Hold { kAllDown, kShifting, kUnloading, kUp, kLowering };

  bool stepping = false;  ///< a foot is in the air or about to be lifted
  double mode_s = 0;      ///< time since the robot began to stand or to step
  double yaw = 0;         ///< desired heading, rad
  double height = 0;      ///< of the centre of mass (or base) over the ground, at the start, m
  double ground = 0;      ///< height of the ground under the robot, m
  double width = 0;       ///< between flat feet at the start, m

  // Standing: the centre of mass moves from c_from with v_from to c_to and rests there.
  Point2 c_from = Point2::Zero(), v_from = Point2::Zero(), c_to = Point2::Zero();
  double return_s = 1;

  // Stepping.
  int swing = 0;                   ///< the pair (four feet) or the foot (two feet) in swing
  double phase_s = 0;              ///< since the step began
  double step_s = 0;               ///< its planned duration
  bool lifted = false;             ///< the exchange of load is over
  double swing_x = 0;              ///< flat feet: phase of the swing, 0…1
  Point2 v_r = Point2::Zero();     ///< reference velocity of the centre of mass, integrated
  Point2 stance = Point2::Zero();  ///< centre of the stance feet at the start of the step
  Point2 speed_integral = Point2::Zero();
  Point2 touchdown_c = Point2::Zero();  ///< centre of mass at the last touchdown
  double touchdown_s = -1;              ///< time since the last touchdown; −1: none
  int quiet = 0;                        ///< touchdowns in succession that ended at ease

  Hold hold = Hold::kAllDown;
  int held = -1;      ///< index of the held foot
  double hold_s = 0;  ///< time since this phase began

  // Flat feet: the first step waits until the centre of mass is over the other foot.
  bool shifting = false;
  Point2 shift_to = Point2::Zero(), shift_along = Point2::Zero();

  Point2 dcm = Point2::Zero();       ///< as observed
  Point2 pressure = Point2::Zero();  ///< centre of pressure last commanded
  bool pressed = false;              ///< pressure is valid

  // Counted since the start of the run.
  int steps = 0;         ///< touchdowns
  int qp_fallbacks = 0;  ///< control steps whose contact forces had no solution

  struct Foot {
    /// Target of the foot's point in stance; moves with a rolling ball.
    Eigen::Vector3d anchor = Eigen::Vector3d::Zero();
    double anchor_yaw = 0;
    double load = 1;      ///< scale of its maximum force, 0…1
    bool contact = true;  ///< in stance
    double force = 0;     ///< vertical force last commanded, N
    // Reference of the swing.
    Eigen::Vector3d p = Eigen::Vector3d::Zero(), v = Eigen::Vector3d::Zero(),
                    a = Eigen::Vector3d::Zero();
    double lift_z = 0;
    Point2 target = Point2::Zero();
    Point2 nominal = Point2::Zero();  ///< offset from the feet's centre, heading axes

    bool operator==(const Foot&) const = default;
  };
  std::array<Foot, kMaxFeet> feet;

  bool operator==(const LegState&) const = default;

  /// Whether the numbers that begin x can have been packed for this many feet.
  static bool IsState(const Eigen::Ref<const Eigen::VectorXd>& x, int num_feet) {
    if (x.size() < size()) return false;
    bool whole = true;
    ForEachMember(LegState(), [&, i = Eigen::Index{0}](const auto& member) mutable {
      using T = std::remove_cvref_t<decltype(member)>;
      if constexpr (kIsScalar<T> && !std::is_floating_point_v<T>) {
        const double least = std::is_same_v<T, bool> || std::is_enum_v<T> ? 0 : -1;
        const double most = std::is_same_v<T, bool> ? 1 : kMostCount;
        whole = whole && x[i] >= least && x[i] <= most && x[i] == static_cast<int>(x[i]);
      }
      i += SizeOf(member);
    });
    if (!whole) return false;
    LegState state;
    state.Unpack(x.head(size()));
    const bool holds = state.hold != Hold::kAllDown;
    return state.hold <= Hold::kLowering && state.held < num_feet && (!holds || state.held >= 0) &&
           (state.swing == 0 || state.swing == 1);
  }

  /// Number of values that Pack writes and Unpack reads.
  static Eigen::Index size() {
    Eigen::Index size = 0;
    ForEachMember(LegState(), [&size](const auto& member) { size += SizeOf(member); });
    return size;
  }
  /// Writes the state to x; exact, integers included.
  void Pack(Eigen::Ref<Eigen::VectorXd> x) const {
    ForEachMember(*this, [&x, i = Eigen::Index{0}](const auto& member) mutable {
      using T = std::remove_cvref_t<decltype(member)>;
      if constexpr (kIsScalar<T>) {
        x[i] = static_cast<double>(member);
      } else {
        x.segment<T::SizeAtCompileTime>(i) = member;
      }
      i += SizeOf(member);
    });
  }
  void Unpack(const Eigen::Ref<const Eigen::VectorXd>& x) {
    ForEachMember(*this, [&x, i = Eigen::Index{0}](auto& member) mutable {
      using T = std::remove_cvref_t<decltype(member)>;
      if constexpr (std::is_floating_point_v<T>) {
        member = x[i];
      } else if constexpr (kIsScalar<T>) {
        member = static_cast<T>(static_cast<int>(x[i]));
      } else {
        member = x.segment<T::SizeAtCompileTime>(i);
      }
      i += SizeOf(member);
    });
  }

 private:
  static constexpr double kMostCount = 2e9;

  /// Visits every member once, in the order of the packed numbers.
  template <typename Self, typename Visit>
  static void ForEachMember(Self&& s, Visit&& visit) {
    const auto each = [&visit](auto&... members) { (visit(members), ...); };
    each(s.stepping, s.mode_s, s.yaw, s.height, s.ground, s.width);
    each(s.c_from, s.v_from, s.c_to, s.return_s);
    each(s.swing, s.phase_s, s.step_s, s.lifted, s.swing_x, s.v_r, s.stance, s.speed_integral);
    each(s.touchdown_c, s.touchdown_s, s.quiet);
    each(s.hold, s.held, s.hold_s);
    each(s.shifting, s.shift_to, s.shift_along);
    each(s.dcm, s.pressure, s.pressed, s.steps, s.qp_fallbacks);
    for (auto& f : s.feet) {
      each(f.anchor, f.anchor_yaw, f.load, f.contact, f.force);
      each(f.p, f.v, f.a, f.lift_z, f.target, f.nominal);
    }
  }
  template <typename T>
  static constexpr bool kIsScalar = std::is_arithmetic_v<T> || std::is_enum_v<T>;
  template <typename T>
  static constexpr Eigen::Index SizeOf(const T&) {
    if constexpr (kIsScalar<T>) {
      return 1;
    } else {
      return T::SizeAtCompileTime;
    }
  }
};

}  // namespace civita
