#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/controller.h"
#include "controllers/legs/leg_options.h"

namespace civita {

/// A scene of config/, as lists show it.
struct SceneInfo {
  std::string name;     ///< "arm7": config/arm7.yaml
  std::string title;    ///< "7-joint arm"
  std::string line;     ///< what one sees
  std::string group;    ///< "Arms", "Papers"
  bool is_here = true;  ///< false: its model has not been fetched, which `line` says
};

/// The configs in config/ in the order of their key list.order, read once. Files that cannot be
/// read are left out.
std::span<const SceneInfo> Scenes();

/// The folder that holds config/ and scenes/: an installed program's, else the source tree.
std::filesystem::path DataDirectory();

/// When the control law is evaluated.
enum class ControlMode {
  kHeld,        ///< at rate_hz, its torque held in between, as on a robot
  kEveryStage,  ///< at every stage of a fourth-order Runge–Kutta step; no contacts
};

/// A config as read and checked, before anything is built. Every key of a file is in here, with
/// defaults filled in, and goes back to YAML by ToYaml: the resolved config of a run.
struct SceneConfig {
  std::string name;  ///< scene's or file's name
  std::string title;
  /// Where and how lists of scenes show it.
  struct ListConfig {
    std::string group, line;
    std::optional<double> order;
  } list;
  std::filesystem::path model;       ///< MJCF or URDF, absolute
  std::filesystem::path directory;   ///< of the file that was read
  std::vector<std::string> plugins;  ///< absolute paths; ReadConfig loads them, see LoadPlugin
  double duration_s = 10;
  int seed = 0;

  ControlMode mode = ControlMode::kHeld;
  double rate_hz = 1000;
  /// What the law sees of the motion, held mode: a whole number of control periods late, positions
  /// of hinges and slides rounded (0: exact), velocities derived from them by a low-pass filtered
  /// difference (0: measured).
  double delay_s = 0, encoder_resolution = 0, velocity_filter_hz = 0;
  double actuation_delay_s = 0;      ///< held mode: torques reach the joints so much later
  std::optional<double> timestep_s;  ///< physics; else the model's own
  std::optional<bool> contacts;      ///< else the model's own, none in a URDF

  /// What the true plant differs by from its file, which is what the law is told.
  struct PlantConfig {
    double mass_scale = 1;  ///< of every body's mass and inertia
    double mass_error = 0;  ///< and then each times 1 + u, u uniform within ±mass_error, by seed
    std::vector<double> speed_limit;  ///< of the drives; empty: a legged robot's own
  } plant;

  /// Standard deviations of what the sensors add at every control step, held mode. Joints: hinges
  /// and slides; the others: free joints, orientation and angular velocity of ball joints, too.
  struct NoiseConfig {
    double joint_position = 0, joint_velocity = 0;  ///< rad, rad/s; of slides m, m/s
    double orientation = 0, angular_velocity = 0;   ///< rad, rad/s
    double position = 0, velocity = 0;              ///< m, m/s
  } noise;

  std::string controller = "slotine_li";
  std::string factorization = "christoffel";
  GainForm gain_form = GainForm::kMass;
  double model_scale = 1;          ///< the controller's inertias over the model file's
  std::filesystem::path estimate;  ///< of some bodies' inertias in place of that; or none
  LawOptions law_options;          ///< of the law's own table, LawInfo::options
  std::map<std::string, std::vector<double>> gains;  ///< by key; one number or nv

  /// A momentum observer with the law; one number or nv each, empty: none.
  struct ObserverConfig {
    std::vector<double> gain, threshold;
    bool compensate = false;
  } observer;
  /// For laws of the task space.
  struct TaskConfig {
    std::string frame;  ///< site or body; empty: the reference's, else the last body
    TaskKind kind = TaskKind::kPosition;
    std::vector<double> offset = {0, 0, 0};  ///< m
  } task;

  /// For URDFs of legged robots; see AdaptLeggedUrdf.
  struct RobotConfig {
    bool floating_base = false;
    double armature = 0.01;  ///< kg·m²
  } robot;
  /// For laws of legged robots; see LegOptions.
  struct LegConfig {
    std::vector<std::string> feet;            ///< bodies or sites; empty: none
    std::vector<std::vector<double>> points;  ///< balls added to each foot, 3 numbers each, m
    double radius = 0.02;                     ///< of those balls, m
    double friction = 0.8;
    bool base_task = false;
    double momentum_weight = 0;
    GaitOptions gait;
  } legs;

  struct ReferenceConfig {
    std::string type = "sinusoid";  ///< see ConfigKeys
    /// Sinusoid, one number or nv each; empty: gentle ones that suit the model, filled in by
    /// LoadScene.
    std::vector<double> amplitude, frequency_hz, phase;
    double fade_s = 1;
    std::vector<double> to;  ///< quintic: nq
    double start_s = 0, duration_s = 2;
    bool repeat = true;
    int coordinate = 0;                          ///< line
    std::vector<std::vector<double>> waypoints;  ///< nq each
    std::vector<double> times_s;                 ///< of the waypoints
    std::string file;                            ///< CSV
    double base_hz = 0.1;                        ///< excitation
    int harmonics = 5;
    // Task paths, see TaskPath.
    std::string frame = "ee";
    std::vector<double> offset = {0, 0, 0}, by = {0, 0, 0}, size = {0.3, 0.15}, normal = {1, 0, 0},
                        turn = {0, 0, 0};
    double radius = 0.1;
    // Bodies of legged robots, see BodyMotion.
    std::string motion = "stand";
    std::optional<double> for_s;  ///< else to the end of the run
    double depth = 0.1;           ///< m
    std::string foot;
    std::vector<double> velocity = {0, 0};  ///< m/s
    double yaw_rate = 0;                    ///< rad/s
    /// A course; in place of start_s, for_s, velocity and yaw_rate.
    struct CommandConfig {
      double at_s = 0;
      std::vector<double> velocity = {0, 0};
      double yaw_rate = 0;
      bool walk = true;
    };
    std::vector<CommandConfig> commands;
  } reference;

  /// What the model's floor is made into, see MakeGround.
  struct GroundConfig {
    std::string type = "flat";
    std::optional<double> friction;                                     ///< else the model's
    double start_m = 0.6;                                               ///< flat around the origin
    double slope_deg = 15;                                              ///< slope
    double height_m = 0.05, block_m = 0.25;                             ///< blocks
    std::vector<double> solref = {0.04, 1}, solimp = {0.7, 0.9, 0.02};  ///< soft, as in MJCF
  } ground;

  std::optional<std::vector<double>> initial_q,
      initial_v;                                 ///< nq, nv; else the start and the reference's v
  std::map<std::string, double> initial_joints;  ///< hinges and slides at the start, by name
  std::optional<std::vector<double>> initial_v_error;  ///< nv, on top of the reference's v
  struct PushConfig {
    std::string body;  ///< none: the robot as a whole, through its centre of mass
    double start_s = 0, duration_s = 0.1;
    std::string shape = "constant";
    std::vector<double> force, impulse;  ///< 3 numbers, N or N·s; one of the two
  };
  std::vector<PushConfig> pushes;

  /// A ball that a body grasps while the robot moves, and keeps.
  struct PayloadConfig {
    std::string body;  ///< none: ""
    double mass_kg = 0;
    double at_s = 0;
    std::vector<double> position;  ///< of its centre in the body's frame, 3 numbers, m
    double radius = 0.05;          ///< m
  } payload;

  std::vector<double> marks_s = {1, 2, 5};  ///< times at which V is tabulated

  std::vector<std::string> notices;  ///< what was adapted while reading

  /// Where a key was given, "file.yaml:17:9" or "--set gains.K_D"; the file where it was not.
  std::string Where(std::string_view key) const;
  std::map<std::string, std::string, std::less<>> places;  ///< by key
  std::string source;                                      ///< the file that was read

  /// The folder in which a relative path that `key` gives starts: of the file that gives the key.
  std::filesystem::path DirectoryOf(std::string_view key) const;
  std::map<std::string, std::filesystem::path, std::less<>> directories;  ///< by key; bases' only
};

/// What a key of a config takes.
enum class ConfigType {
  kText,
  kTexts,  ///< a list
  kChoice,
  kNumber,
  kInteger,
  kBoolean,
  kNumbers,          ///< a list
  kNumberOrNumbers,  ///< one number for all coordinates, or a list
  kRows,             ///< a list of lists
};
const char* ToString(ConfigType type);

/// A row of the visible table of keys: what a config may say.
struct ConfigKey {
  std::string_view key;  ///< "control.rate_hz", "pushes.*.body", "gains.*"
  ConfigType type;
  std::string_view unit;  ///< "" where there is none
  std::string_view doc;
};
/// The options of every law are in it, as `controller.<key>`.
std::vector<ConfigKey> ConfigKeys();

/// The names that may stand below `prefix` ("": of the whole config), in the order of the table.
std::vector<std::string> ConfigKeyNames(const std::string& prefix);

/// Reads what `scene` names: a scene of Scenes(), a config YAML, or any MJCF (.xml) or URDF (.urdf)
/// file, which gets the default controller and gentle sinusoids about its start. `overrides` are
/// "key=value", with dots into maps, as from --set, and checked like the file. A config's key
/// `base` names another config, relative to its own file: that one is read first, and this one's
/// values replace its values, maps key by key and everything else whole. Gains and options that a
/// file gives for another law than the one that an override chose are left out, with a notice.
/// @throws UserError: unknown scene (lists them), file:line:column: key … did you mean …; what
/// needs the model (lengths of vectors) is checked by LoadScene.
SceneConfig ReadConfig(const std::string& scene, const std::vector<std::string>& overrides = {});

/// The whole config as YAML: ReadConfig of it gives the same run.
std::string ToYaml(const SceneConfig& config);

}  // namespace civita
