#include "app/window/profiles.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <exception>
#include <system_error>
#include <utility>

#include "civita/error.h"
#include "civita/factorization_text.h"
#include "civita/sim/output_file.h"
#include "core/internal/read_file.h"

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

Eigen::VectorXd ReadGain(const YAML::Node& node, const Eigen::VectorXd& present) {
  if (node.IsScalar()) return Eigen::VectorXd::Constant(present.size(), node.as<double>());
  const auto numbers = node.as<std::vector<double>>();
  if (std::ssize(numbers) != present.size()) {
    throw UserError("has " + std::to_string(numbers.size()) + " numbers, not " +
                    std::to_string(present.size()));
  }
  return Eigen::Map<const Eigen::VectorXd>(numbers.data(), present.size());
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
      AppendNumber(number, &text);
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
  Tuning tuning = present;
  try {
    const YAML::Node root = YAML::Load(internal::ReadFile(file.string(), internal::kMostYamlBytes));
    const YAML::Node gains = root["gains"];
    if (!gains || !gains.IsMap()) throw UserError("has no gains");
    for (std::size_t i = 0; i < tuning.gains.size(); ++i) {
      const std::string key(law.parameters[i].key);
      const YAML::Node gain = gains[key];
      if (!gain.IsDefined()) continue;
      try {
        tuning.gains[i] = ReadGain(gain, present.gains[i]);
      } catch (const UserError& error) {
        throw UserError("gains." + key + " " + error.what());
      }
    }
    if (const YAML::Node text = root["factorization"]; text && law.uses_factorization) {
      tuning.factorization = ParseFactorization(text.as<std::string>(), model);
    }
  } catch (const std::exception& error) {
    throw UserError(file.string() + ": " + error.what());
  }
  return tuning;
}

}  // namespace civita
