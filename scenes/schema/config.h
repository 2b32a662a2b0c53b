#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "civita/scenes/control/law.h"
#include "civita/scenes/motion/reference_config.h"
#include "civita/scenes/plant/ground.h"
#include "civita/scenes/plant/legged_urdf.h"
#include "civita/scenes/plant/legs.h"
#include "civita/scenes/plant/model_file.h"
#include "civita/scenes/plant/payload.h"
#include "civita/scenes/plant/plant_errors.h"
#include "civita/scenes/plant/push.h"
#include "civita/scenes/plant/start.h"
#include "civita/scenes/plant/throw.h"
#include "civita/scenes/scene_list.h"

namespace civita {

/// A config as read and checked, before anything is built: its sections, each declared and
/// documented beside what it configures. It contains every key of a file, with defaults filled in,
/// and ToYaml writes it back: the resolved config of a run. scenes/schema/sections.cc lists the
/// sections and their prefixes.
struct SceneConfig : ControlConfig, LawConfig {
  std::string name;  ///< scene's or file's name
  std::string title;
  std::filesystem::path model;       ///< MJCF or URDF, absolute
  std::filesystem::path directory;   ///< of the file that was read
  std::vector<std::string> plugins;  ///< absolute paths; ReadConfig loads them, see LoadPlugin
  double duration_s = 10;
  int seed = 0;
  std::vector<double> marks_s = {1, 2, 5};  ///< times at which V is tabulated

  ListConfig list;
  PhysicsConfig physics;
  PlantConfig plant;
  NoiseConfig noise;
  ObserverConfig observer;
  TaskConfig task;
  RobotConfig robot;
  LegConfig legs;
  ReferenceConfig reference;
  InitialConfig initial;
  GroundConfig ground;
  PayloadConfig payload;
  ThrowConfig thrown;
  std::vector<PushConfig> pushes;

  std::vector<std::string> notices;  ///< what was adapted while reading

  /// Where a key was given, "file.yaml:17:9" or "--set gains.K_D"; the file if it was not given.
  std::string Where(std::string_view key) const;
  std::map<std::string, std::string, std::less<>> places;  ///< by key
  std::string source;                                      ///< the file that was read

  /// The folder in which a relative path of `key` starts: that of the file that gives the key, the
  /// working folder for --set.
  std::filesystem::path DirectoryOf(std::string_view key) const;
  /// by key; only keys given in a base or by --set
  std::map<std::string, std::filesystem::path, std::less<>> directories;
};

/// Type of a config key's value.
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
  kNumberByName,     ///< a number, or a map of numbers
  kRowsByName,       ///< a list of lists, or a map of them
  kSkewMatrix,       ///< its rows, or a map of maps of its entries; or 0
};
const char* ToString(ConfigType type);

/// A row of the table of config keys.
struct ConfigKey {
  std::string key;  ///< "control.rate_hz", "pushes.*.body", "gains.*"
  ConfigType type = ConfigType::kText;
  std::string unit = {};                  ///< "" if dimensionless
  std::string default_value = {};         ///< as YAML; "" if there is none
  std::string range = {};                 ///< "> 0", "≥ 0" or "": any
  std::vector<std::string> choices = {};  ///< of ConfigType::kChoice
  std::string doc = {};
  std::vector<std::string> owners = {};  ///< laws or types of references that have it; empty: all

  bool operator==(const ConfigKey&) const = default;
};
/// All keys, including the options of every law, as `controller.<key>`, and the keys of every type
/// of reference, each once and without owners.
std::vector<ConfigKey> ConfigKeys();

/// Every key, in the order of the table: gains by name with the laws that have them, keys of a
/// reference with its types. A key that several laws or types document differently appears several
/// times.
std::vector<ConfigKey> DescribeKeys();
/// The options and gains of a law, as it documents them itself; without owners.
std::vector<ConfigKey> DescribeKeys(const LawInfo& law);

/// The keys directly below `prefix` ("": at the top), in the order of the table.
std::vector<std::string> ConfigKeyNames(const std::string& prefix);

/// Reads `scene`: a scene of Scenes(), a config YAML, or any MJCF (.xml) or URDF (.urdf) file,
/// which gets the default controller and moderate sinusoids about its start. `overrides` are
/// "key=value", with dots into maps, as from --set, and checked like the file. A config's key
/// `base` names another config, relative to its own file: that one is read first, and this one's
/// values override its values, maps key by key and everything else as a whole. When an override
/// chose another law, the gains and options that a file gives for its law are dropped, with a
/// notice.
/// @throws UserError: unknown scene (lists them), file:line:column: key … did you mean …; checks
/// that need the model (lengths of vectors) are in LoadScene.
SceneConfig ReadConfig(const std::string& scene, const std::vector<std::string>& overrides = {});

/// Whether ReadConfig reads a file of this name as a config, or as a robot's MJCF or URDF.
bool IsConfigName(const std::filesystem::path& path);
bool IsModelName(const std::filesystem::path& path);

/// The complete config as YAML; ReadConfig of it gives the same run.
std::string ToYaml(const SceneConfig& config);

}  // namespace civita
