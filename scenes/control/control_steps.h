#pragma once

#include <span>
#include <string>
#include <vector>

#include "civita/scenes/schema/key_row_fwd.h"

namespace civita {

struct LawInfo;
struct PhysicsConfig;

/// When the control law is evaluated.
enum class ControlMode {
  kHeld,        ///< at rate_hz, its torque held in between, as on a robot
  kEveryStage,  ///< at every stage of a fourth-order Runge–Kutta step; no contacts
};

/// When the law is evaluated and how late it sees and acts: `control`.
struct ControlConfig {
  ControlMode mode = ControlMode::kHeld;
  double rate_hz = 1000;
  /// What the law sees of the motion, held mode: a whole number of control periods late, positions
  /// of hinges and slides rounded (0: exact), velocities derived from them by a low-pass filtered
  /// difference (0: measured).
  double delay_s = 0, encoder_resolution = 0, velocity_filter_hz = 0;
  double actuation_delay_s = 0;  ///< held mode: torques reach the joints so much later
};
std::span<const KeyRow<ControlConfig>> ControlKeys();

/// Standard deviations of what the sensors add at every control step, held mode: `noise`. Joints:
/// hinges and slides; the others: free joints, orientation and angular velocity of ball joints,
/// too.
struct NoiseConfig {
  double joint_position = 0, joint_velocity = 0;  ///< rad, rad/s; of slides m, m/s
  double orientation = 0, angular_velocity = 0;   ///< rad, rad/s
  double position = 0, velocity = 0;              ///< m, m/s
};
std::span<const KeyRow<NoiseConfig>> NoiseKeys();

/// The rate of control steps, Hz, of a model with this timestep: in every_stage that of the
/// timesteps; held the config's, for which the control period must be a whole multiple of the
/// timestep. A rate that the config does not give itself (`is_given`) is adapted, with a notice.
/// @throws KeyError.
double SettleRate(const ControlConfig& control, bool is_given, const PhysicsConfig& physics,
                  double timestep_s, std::vector<std::string>* notices);

/// @throws KeyError for every_stage with a law that counts steps: it has no rate for the stages of
/// a step.
void CheckMode(const ControlConfig& control, const LawInfo& law);

/// Sensors are sampled at control steps, and drives are late by whole ones. `control.rate_hz` is
/// the one of SettleRate. @throws KeyError.
void CheckSensors(const ControlConfig& control, const NoiseConfig& noise);

}  // namespace civita
