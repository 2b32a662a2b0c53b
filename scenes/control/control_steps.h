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
  kHeld,        ///< at rate_hz, the torque held in between, as on a robot
  kEveryStage,  ///< at every stage of a fourth-order Runge–Kutta step; no contacts
};

/// When the law is evaluated and how late it measures and acts: `control`.
struct ControlConfig {
  ControlMode mode = ControlMode::kHeld;
  double rate_hz = 1000;
  /// Held mode. Measurements are a whole number of control periods late, positions of hinges and
  /// slides are rounded to the resolution (0: exact), velocities are a low-pass filtered
  /// difference of them (0 Hz: measured directly).
  double delay_s = 0, encoder_resolution = 0, velocity_filter_hz = 0;
  double actuation_delay_s = 0;  ///< held mode: delay until torques reach the joints
};
std::span<const KeyRow<ControlConfig>> ControlKeys();

/// Standard deviations of the sensor noise, drawn at every control step in held mode: `noise`.
/// joint_…: hinges and slides; position, velocity: free joints; orientation, angular_velocity:
/// free and ball joints.
struct NoiseConfig {
  double joint_position = 0, joint_velocity = 0;  ///< rad, rad/s; for slides m, m/s
  double orientation = 0, angular_velocity = 0;   ///< rad, rad/s
  double position = 0, velocity = 0;              ///< m, m/s
};
std::span<const KeyRow<NoiseConfig>> NoiseKeys();

/// The rate of control steps, Hz. In every_stage it is that of the timesteps. In held mode it is
/// the config's, whose control period must be a whole multiple of the timestep. A default rate
/// (not `is_given`) is adapted, with a notice.
/// @throws KeyError.
double SettleRate(const ControlConfig& control, bool is_given, const PhysicsConfig& physics,
                  double timestep_s, std::vector<std::string>* notices);

/// @throws KeyError for every_stage with a law of discrete state, which has no rate between
/// control steps.
void CheckMode(const ControlConfig& control, const LawInfo& law);

/// Checks that sensors and delays fit the control steps. `control.rate_hz` is that of SettleRate.
/// @throws KeyError.
void CheckSensors(const ControlConfig& control, const NoiseConfig& noise);

}  // namespace civita
