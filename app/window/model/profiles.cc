#include "app/window/model/profiles.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/number_text.h"
#include "civita/error.h"
#include "civita/factorization_text.h"
#include "civita/scenes/schema/config_values.h"
#include "civita/scenes/schema/yaml_value.h"
#include "civita/sim/output_file.h"

namespace civita {
namespace {

std::filesystem::path LawFolder(const std::filesystem::path& folder, const LawInfo& law) {
  return folder / "profiles" / std::string(law.type);
}

std::filesystem::path FileOf(const std::filesystem::path& folder, const LawInfo& law,
                             const std::string& name) {
  if (folder.empty()) throw UserError("there is no folder for profiles: HOME is not set");
  if (name.empty() || name.front() == '.' || name.find('/') != name.npos) {
    throw UserError("'" + name + "' cannot be a profile's name");
  }
  return LawFolder(folder, law) / (name + ".yaml");
}

/// @throws UserError with the place.
Eigen::VectorXd ReadGain(const YamlValue& value, const std::string& key, Eigen::Index size) {
  const std::vector<double> numbers =
      internal::ReadNumbers(value, key, NumberRange::kNotNegative, true);
  if (numbers.size() == 1) return Eigen::VectorXd::Constant(size, numbers[0]);
  if (std::ssize(numbers) != size) {
    throw UserError(value.where + ": " + key + " has " + std::to_string(numbers.size()) +
                    " numbers, not " + std::to_string(size));
  }
  return Eigen::Map<const Eigen::VectorXd>(numbers.data(), size);
}

}  // namespace

std::vector<std::string> ListProfiles(const std::filesystem::path& folder, const LawInfo& law) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(LawFolder(folder, law), error)) {
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

void SaveProfile(const std::filesystem::path& folder, const LawInfo& law, const std::string& name,
                 const Tuning& tuning) {
  const std::filesystem::path file = FileOf(folder, law, name);
  YAML::Node root, gains;
  for (std::size_t i = 0; i < tuning.gains.size(); ++i) {
    const Eigen::VectorXd& gain = tuning.gains[i];
    YAML::Node node;
    const bool uniform = gain.size() > 0 && (gain.array() == gain[0]).all();
    for (const double number : uniform ? gain.head(1).eval() : gain) {
      std::string text;  // the shortest that reads back to the same number
      internal::AppendNumber(number, &text);
      if (uniform) {
        node = text;
      } else {
        node.push_back(text);
      }
    }
    node.SetStyle(YAML::EmitterStyle::Flow);
    gains[std::string(law.parameters[i].key)] = node;
  }
  root["law"] = std::string(law.type);
  root["gains"] = gains;
  if (law.uses_factorization) root["factorization"] = ToString(tuning.factorization);
  std::error_code error;
  std::filesystem::create_directories(file.parent_path(), error);
  if (error) throw UserError(file.string() + ": cannot be written: " + error.message());
  WriteWhole(file, YAML::Dump(root) + "\n");
}

Tuning LoadProfile(const std::filesystem::path& folder, const LawInfo& law, const std::string& name,
                   const Tuning& present, const Model& model) {
  const std::filesystem::path file = FileOf(folder, law, name);
  const YamlValue root = ReadYaml(file.string());
  const std::vector<std::string> sections = {"law", "gains", "factorization"};
  internal::CheckIsMap(root, "a profile", sections);
  for (const YamlValue::Entry& entry : root.entries) {
    if (std::ranges::find(sections, entry.key) == sections.end()) {
      internal::RefuseKey(entry, sections);
    }
  }
  const YamlValue* gains = root.Find("gains");
  if (gains == nullptr) throw UserError(file.string() + ": has no gains");
  std::vector<std::string> keys;
  for (const ParameterInfo& parameter : law.parameters) keys.emplace_back(parameter.key);
  internal::CheckIsMap(*gains, "gains", keys);
  Tuning tuning = present;
  for (const YamlValue::Entry& entry : gains->entries) {
    const auto found = std::ranges::find(keys, entry.key);
    if (found == keys.end()) internal::RefuseKey(entry, keys);
    Eigen::VectorXd& gain = tuning.gains[static_cast<std::size_t>(found - keys.begin())];
    gain = ReadGain(entry.value, "gains." + entry.key, gain.size());
  }
  if (const YamlValue* text = root.Find("factorization"); text && law.uses_factorization) {
    try {
      tuning.factorization = ParseFactorization(text->text, model);
    } catch (const UserError& error) {
      throw UserError(text->where + ": factorization: " + error.what());
    }
  }
  return tuning;
}

}  // namespace civita
