#pragma once

#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <string>

namespace civita {

/// The program's folder of settings: $XDG_CONFIG_HOME/civita, or ~/.config/civita; empty where
/// neither is known.
std::filesystem::path ConfigFolder();

/// What is kept between sessions: values by key in one YAML file. A key such as "plots.legs" is a
/// path of maps.
class Settings {
 public:
  /// Keeps nothing on disk.
  Settings() = default;
  /// Reads folder/window.yaml if it exists. A broken file is ignored and told by notice(); the next
  /// Save replaces it.
  explicit Settings(std::filesystem::path folder);

  /// Empty: keeps nothing on disk.
  const std::filesystem::path& folder() const { return folder_; }
  /// Why the file was ignored; empty if it was not.
  const std::string& notice() const { return notice_; }

  /// The value of a key; `fallback` where it is absent or of another kind.
  template <typename T>
  T Get(const std::string& key, T fallback) const {
    try {
      const YAML::Node node = Find(key);
      return node.IsDefined() ? node.as<T>() : fallback;
    } catch (const YAML::Exception&) {
      return fallback;
    }
  }
  template <typename T>
  void Set(const std::string& key, const T& value) {
    SetNode(key, YAML::Node(value));
  }

  /// Writes the file if something has changed. @throws UserError.
  void Save();

 private:
  YAML::Node Find(const std::string& key) const;
  void SetNode(const std::string& key, const YAML::Node& value);

  std::filesystem::path folder_;
  YAML::Node root_ = YAML::Node(YAML::NodeType::Map);
  std::string saved_, notice_;
};

}  // namespace civita
