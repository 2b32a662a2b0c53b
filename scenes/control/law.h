#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "civita/controllers/controller.h"
#include "civita/controllers/momentum_observer.h"
#include "civita/scenes/schema/key_row_fwd.h"

namespace civita {

class ReferenceConfig;
struct PhysicsConfig;

/// The control law, its model of the robot and its gains: `controller` and `gains`.
struct LawConfig {
  std::string controller = "slotine_li";
  std::string factorization = "christoffel";
  /// velocities of the law's gains and errors: v, or others in the grammar of ReadCoordinates
  std::string coordinates = "v";
  bool has_own_coordinates() const { return coordinates != "v"; }
  GainForm gain_form = GainForm::kMass;
  double model_scale = 1;  ///< factor on the model file's inertias in the controller's model
  /// file of some bodies' inertias, instead of the scaled ones; or empty
  std::filesystem::path estimate;
  LawOptions law_options;                            ///< options of LawInfo::options
  std::map<std::string, std::vector<double>> gains;  ///< GivenGain::numbers by key
  std::set<std::string> gains_by_entries;            ///< those that are not GivenGain::is_whole
};
std::span<const KeyRow<LawConfig>> LawKeys();   ///< keys below `controller`
std::span<const KeyRow<LawConfig>> GainKeys();  ///< keys below `gains`

/// Makes the law with its gains for the controller's model. `options` holds what follows from the
/// plant and from other sections; this section's options are filled in, and defaults are set in
/// `config`. Relative files of the factorization are in `directory`. @throws KeyError.
std::unique_ptr<Controller> MakeController(const Model& control_model,
                                           const std::filesystem::path& directory,
                                           ControllerOptions options, LawConfig* config);

/// A momentum observer run with the law: `observer`. Each list: one number or nv; empty: none.
struct ObserverConfig {
  std::vector<double> gain, threshold;
  bool compensate = false;
};
std::span<const KeyRow<ObserverConfig>> ObserverKeys();

/// The options of the observer that the config describes, for nv coordinates. @throws KeyError.
ObserverOptions MakeObserver(const ObserverConfig& observer, int nv);

/// The frame that laws of the task space move: `task`.
struct TaskConfig {
  std::string frame;  ///< site or body; empty: the reference's, otherwise the last body
  TaskKind kind = TaskKind::kPosition;
  std::vector<double> offset = {0, 0, 0};  ///< m, in the frame's axes
};
std::span<const KeyRow<TaskConfig>> TaskKeys();

/// Whether the law with its options moves a frame.
bool MovesFrame(const LawConfig& law);

/// The frame that a law moves; fills in the defaults in `task`. @throws KeyError.
TaskFrame FindTask(const ReferenceConfig& reference, const Model& plant, TaskConfig* task);

/// @throws KeyError for a task-space reference with a joint-space law, whose joints would not
/// move.
void CheckTaskPath(const ReferenceConfig& reference, const LawConfig& law);

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
