#include "civita/scenes/control/control_steps.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "base/text.h"
#include "civita/controllers/law_info.h"
#include "civita/scenes/plant/model_file.h"
#include "civita/scenes/schema/key_error.h"
#include "civita/scenes/schema/key_row.h"
#include "civita/scenes/schema/yaml_value.h"

namespace civita {
namespace {

constexpr double kMaxSubsteps = 1e6;
constexpr double kMaxDelay = 1000;  // control periods

}  // namespace

std::span<const KeyRow<ControlConfig>> ControlKeys() {
  using C = ControlConfig;
  using enum NumberRange;
  static constexpr Choice<ControlMode> kModes[] = {{"held", ControlMode::kHeld},
                                                   {"every_stage", ControlMode::kEveryStage}};
  static constexpr KeyRow<C> kKeys[] = {
      {"mode", OneOf<&C::mode, kModes>(), "",
       "torque held between control steps, or law in every stage"},
      {"rate_hz", &C::rate_hz, "Hz", "control steps; held mode", kPositive},
      {"delay_s", &C::delay_s, "s", "held mode: delay of the measurements, whole control periods",
       kNotNegative},
      {"encoder_resolution", &C::encoder_resolution, "rad, m",
       "held mode: of hinges and slides; 0: exact", kNotNegative},
      {"velocity_filter_hz", &C::velocity_filter_hz, "Hz",
       "held mode: velocity by a low-pass filtered difference of the positions; 0: measured",
       kNotNegative},
      {"actuation_delay_s", &C::actuation_delay_s, "s",
       "held mode: delay of the torques, whole control periods", kNotNegative},
  };
  return kKeys;
}

std::span<const KeyRow<NoiseConfig>> NoiseKeys() {
  using C = NoiseConfig;
  using enum NumberRange;
  static constexpr KeyRow<C> kKeys[] = {
      {"joint_position", &C::joint_position, "rad, m",
       "held mode: σ of the positions of hinges and slides", kNotNegative},
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

double SettleRate(const ControlConfig& control, bool is_given, const PhysicsConfig& physics,
                  double timestep_s, std::vector<std::string>* notices) {
  if (control.mode == ControlMode::kEveryStage) {
    const double rate_hz = 1 / timestep_s;
    if (is_given && std::abs(control.rate_hz / rate_hz - 1) > 1e-6) {
      notices->push_back("control.rate_hz = " + ToYamlText(control.rate_hz) +
                         " does not apply: in every_stage the law acts at each stage of the "
                         "integrator, whose step is " +
                         ToYamlText(timestep_s) + " s");
    }
    return rate_hz;
  }
  const double ratio = 1 / (control.rate_hz * timestep_s);
  const double whole = std::max(1.0, std::round(ratio));
  if (whole > kMaxSubsteps) {
    throw KeyError("physics.timestep_s", "a control period of " + ToYamlText(1 / control.rate_hz) +
                                             " s takes more than 1e6 timesteps of " +
                                             ToYamlText(timestep_s) + " s");
  }
  if (std::abs(ratio / whole - 1) < 1e-6) return control.rate_hz;
  if (is_given) {
    RefuseValue("control.rate_hz",
                " = " + ToYamlText(control.rate_hz) +
                    ": the control period must be a whole multiple of the timestep, which is " +
                    ToYamlText(timestep_s) + " s" +
                    (physics.timestep_s ? " (physics.timestep_s)" : " in the model"));
  }
  const double rate_hz = 1 / (whole * timestep_s);
  notices->push_back("control runs at " + internal::ShortNumber(rate_hz) +
                     " Hz, which the model's timestep allows");
  return rate_hz;
}

void CheckMode(const ControlConfig& control, const LawInfo& law) {
  if (control.mode != ControlMode::kEveryStage || !law.is_discrete) return;
  RefuseValue("control.mode", " every_stage: controller.type " + std::string(law.type) +
                                  " counts control steps; valid: held");
}

void CheckSensors(const ControlConfig& control, const NoiseConfig& noise) {
  std::vector<internal::BoundKey> keys;
  ControlConfig bound_control = control;  // only for reading
  NoiseConfig bound_noise = noise;
  // All but mode and rate_hz.
  internal::Bind("control", ControlKeys().subspan(2), &bound_control, &keys);
  internal::Bind("noise", NoiseKeys(), &bound_noise, &keys);
  for (const internal::BoundKey& row : keys) {
    if (*std::get<double*>(row.value) == 0 || control.mode == ControlMode::kHeld) continue;
    RefuseValue(row.key, " needs control.mode held; in every_stage the law sees the motion itself");
  }
  for (const auto& [key, delay_s] :
       {std::pair("control.delay_s", control.delay_s),
        std::pair("control.actuation_delay_s", control.actuation_delay_s)}) {
    const double steps = delay_s * control.rate_hz;
    if (std::abs(steps - std::round(steps)) <= 1e-6 && steps <= kMaxDelay) continue;
    RefuseValue(key, " = " + ToYamlText(delay_s) +
                         ": a whole number of control periods, which are " +
                         ToYamlText(1 / control.rate_hz) + " s, up to " + ToYamlText(kMaxDelay) +
                         " of them");
  }
}

}  // namespace civita
