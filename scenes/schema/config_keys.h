#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "scenes/schema/config.h"
#include "scenes/schema/yaml_value.h"

// The tables that say what a config may hold; the reader, the writer and ConfigKeys() all go by
// them.

namespace civita::internal {

using Range = NumberRange;

/// The member of `Owner` that a key sets.
template <typename Owner>
using Member =
    std::variant<std::string& (*)(Owner&), std::filesystem::path& (*)(Owner&), double& (*)(Owner&),
                 std::optional<double>& (*)(Owner&), int& (*)(Owner&), bool& (*)(Owner&),
                 std::optional<bool>& (*)(Owner&), ControlMode& (*)(Owner&), GainForm& (*)(Owner&),
                 TaskKind& (*)(Owner&), std::vector<double>& (*)(Owner&),
                 std::optional<std::vector<double>>& (*)(Owner&),
                 std::vector<std::vector<double>>& (*)(Owner&),
                 std::vector<std::string>& (*)(Owner&)>;

template <typename Owner>
struct KeyRow {
  ConfigKey info;
  Range range;
  Member<Owner> member;
  std::vector<std::string> (*choices)() = nullptr;  ///< for ConfigType::kChoice
};

/// The keys of a config but for gains and pushes, in the order in which they are written.
std::span<const KeyRow<SceneConfig>> SceneKeys();
/// The keys of one push; `info.key` is "pushes.*.body".
std::span<const KeyRow<SceneConfig::PushConfig>> PushKeys();
/// The keys of one command of a walk; `info.key` is "reference.commands.*.at_s".
std::span<const KeyRow<SceneConfig::ReferenceConfig::CommandConfig>> CommandKeys();
/// The file that is read before; see ReadConfig.
inline constexpr ConfigKey kBaseKey = {"base", ConfigType::kText, "",
                                       "config that is read first, relative to this file; this "
                                       "file's values replace its values"};
/// The gains: numbers ≥ 0.
inline constexpr ConfigKey kGainKey = {"gains.*", ConfigType::kNumberOrNumbers, "see the law",
                                       "gains of the law, ≥ 0; or bandwidth_hz, damping_ratio"};

/// The start's angles by joint.
inline constexpr ConfigKey kJointKey = {
    "initial.joints.*", ConfigType::kNumber, "rad, m",
    "the start's angles by joint; a robot with legs is then set on the floor"};

/// Whether `controller.<key>` is a key whatever the law, and no option of some laws.
bool IsOfEveryLaw(std::string_view key);

/// Numbers of a value. @throws UserError that names `key` as file:line:column: key must be …
double ReadNumber(const YamlValue& value, const std::string& key, Range range);
std::vector<double> ReadNumbers(const YamlValue& value, const std::string& key, Range range,
                                bool one_number_too);

std::vector<std::vector<double>> ReadRows(const YamlValue& value, const std::string& key,
                                          Range range);

/// The value of a law's option. @throws UserError as ReadNumber.
OptionValue ReadOption(const OptionInfo& option, const YamlValue& value, const std::string& key);

/// The option as YAML; nothing for an empty text or list.
std::optional<std::string> WriteOption(const OptionValue& value);

template <typename Owner>
void ReadMember(const KeyRow<Owner>& row, const YamlValue& value, const std::string& key,
                Owner* owner);

/// The member as YAML; nothing when it is not set.
template <typename Owner>
std::optional<std::string> WriteMember(const KeyRow<Owner>& row, const Owner& owner);

}  // namespace civita::internal
