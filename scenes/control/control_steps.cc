#include "scenes/control/control_steps.h"

#include "scenes/schema/key_row.h"

namespace civita {

std::span<const KeyRow<ControlConfig>> ControlKeys() {
  using C = ControlConfig;
  using enum NumberRange;
  static constexpr Choice<ControlMode> kModes[] = {{"held", ControlMode::kHeld},
                                                   {"every_stage", ControlMode::kEveryStage}};
  static constexpr KeyRow<C> kKeys[] = {
      {"mode", OneOf<&C::mode, kModes>(), "",
       "torque held between control steps, or law in every stage"},
      {"rate_hz", &C::rate_hz, "Hz", "control steps; held mode", kPositive},
      {"delay_s", &C::delay_s, "s", "held mode: age of what the law sees, whole control periods",
       kNotNegative},
      {"encoder_resolution", &C::encoder_resolution, "rad, m",
       "held mode: of hinges and slides; 0: exact", kNotNegative},
      {"velocity_filter_hz", &C::velocity_filter_hz, "Hz",
       "held mode: velocity by a low-pass filtered difference of the positions; 0: as it is",
       kNotNegative},
      {"actuation_delay_s", &C::actuation_delay_s, "s",
       "held mode: torques reach the joints so much later, whole control periods", kNotNegative},
  };
  return kKeys;
}

std::span<const KeyRow<NoiseConfig>> NoiseKeys() {
  using C = NoiseConfig;
  using enum NumberRange;
  static constexpr KeyRow<C> kKeys[] = {
      {"joint_position", &C::joint_position, "rad, m",
       "held mode: σ of what hinges and slides measure", kNotNegative},
      {"joint_velocity", &C::joint_velocity, "rad/s, m/s", "held mode: σ of their velocities",
       kNotNegative},
      {"orientation_rad", &C::orientation, "rad", "held mode: σ of free and ball joints, each axis",
       kNotNegative},
      {"angular_velocity", &C::angular_velocity, "rad/s", "held mode: σ of free and ball joints",
       kNotNegative},
      {"position_m", &C::position, "m", "held mode: σ of free joints, each axis", kNotNegative},
      {"velocity", &C::velocity, "m/s", "held mode: σ of free joints, each axis", kNotNegative},
  };
  return kKeys;
}

}  // namespace civita
