#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "civita/scenes/scene.h"

namespace civita {

/// Strength of a push: a share of the ceiling of standing without steps, or an impulse.
struct PushLevel {
  bool absolute = false;
  double amount = 1;  ///< N·s where absolute

  std::string name() const;  ///< "150 %", "20 N·s"
};

/// One push and its outcome; angles in rad.
struct SurvivalTrial {
  int seed = 0;
  // Conditions.
  double friction = 1;   ///< factor on the true coefficients
  double direction = 0;  ///< of the push in the plane, from the world's x axis
  double start_s = 0;    ///< of the push
  double impulse = 0;    ///< N·s
  double ceiling = 0;    ///< m·ω·d, N·s, see CalcPushCeiling
  std::string bound;     ///< of d: "support", "friction", or the joint whose effort limit it is
  // Outcome.
  bool survived = false, fell = false;
  std::string verdict;  ///< "survived", "fell at t = …", "stood 7 mm off target"
  double end_s = 0;
  long steps = 0;            ///< touchdowns since the push
  double moved = 0;          ///< displacement of the feet's centre, m
  double farthest_foot = 0;  ///< maximum displacement of a foot from its position at the push, m
  double foot_off = 0;       ///< the same at the end of the trial, m
  double tilt_peak = 0;
  double unmet_force = 0, unmet_moment = 0;  ///< RMS since the push, N and N·m
  long qp_fallbacks = 0;                     ///< control steps
  /// The joint that was longest at its effort limit since the push, empty if none was; how long, s.
  std::string cut_joint;
  double cut_s = 0;
  // At the end, standing: distance of the centre of mass from its target (m), its speed (m/s),
  // tilt.
  double error = 0, speed = 0, tilt = 0;
  // Walking, over kGaitWindow: mean velocity minus the mean command, m/s; RMS tilt.
  double velocity_error = 0, tilt_rms = 0;
};

/// Limits that a survived trial must keep.
inline constexpr double kSettledError = 0.005;        ///< m
inline constexpr double kSettledSpeed = 0.02;         ///< m/s
inline constexpr double kSettledTilt_deg = 2;         ///< °
inline constexpr double kFootMoved = 0.02;            ///< m
inline constexpr double kVelocityError = 0.1;         ///< share of the command's
inline constexpr double kGaitTilt_deg = 3;            ///< °, RMS
inline constexpr double kGaitWindow = 2;              ///< s, before the end
inline constexpr double kPushDuration = 0.1;          ///< s
inline constexpr double kFrictionSpread = 0.1;        ///< ±, share
inline constexpr double kWatch = 3, kWatchTwo = 3.6;  ///< s after the push; of two-footed robots

/// Time at which the robot of a scene starts to walk, s; nullopt: it stands. @throws UserError
/// that names the scene when its law is not for legged robots.
std::optional<double> FindGait(const Scene& scene);

/// Runs the scene with this seed up to a push and to the end of the watch after it;
/// docs/survival.md has the definitions. Friction, direction and time of the push depend on the
/// seed alone, so that every variant gets the same. @returns nullopt when stopped.
std::optional<SurvivalTrial> RunTrial(SceneConfig config, const PushLevel& push, int seed,
                                      const std::atomic<bool>& stop);

}  // namespace civita
