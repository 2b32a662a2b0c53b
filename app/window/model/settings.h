#pragma once

#include <yaml-cpp/yaml.h>

#include <array>
#include <charconv>
#include <filesystem>
#include <string>
#include <system_error>
#include <type_traits>
#include <vector>

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
      T value{};
      return Read(Find(key), &value) ? value : fallback;
    } catch (const YAML::Exception&) {
      return fallback;
    }
  }
  template <typename T>
  void Set(const std::string& key, const T& value) {
    SetNode(key, Write(value));
  }

  /// Writes the file if something has changed. @throws UserError.
  void Save();

 private:
  // Numbers are not read and written by yaml-cpp, whose are those of the locale that a plug-in may
  // have set.
  template <typename T>
  static constexpr bool kIsNumber = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

  template <typename T>
  static bool Read(const YAML::Node& node, T* value) {
    if (!node.IsDefined()) return false;
    if constexpr (kIsNumber<T>) {
      if (!node.IsScalar()) return false;
      const std::string& text = node.Scalar();
      const char* end = text.data() + text.size();
      return std::from_chars(text.data(), end, *value) == std::from_chars_result{end, std::errc()};
    } else {
      return YAML::convert<T>::decode(node, *value);
    }
  }
  template <typename T>
  static bool Read(const YAML::Node& node, std::vector<T>* values) {
    if (!node.IsDefined() || !node.IsSequence()) return false;
    for (const YAML::Node& item : node) {
      if (!Read(item, &values->emplace_back())) return false;
    }
    return true;
  }

  template <typename T>
  static YAML::Node Write(const T& value) {
    if constexpr (kIsNumber<T>) {
      std::array<char, 32> text;
      const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
      return YAML::Node(std::string(text.data(), end));
    } else {
      return YAML::Node(value);
    }
  }
  template <typename T>
  static YAML::Node Write(const std::vector<T>& values) {
    YAML::Node list(YAML::NodeType::Sequence);
    for (const T& value : values) list.push_back(Write(value));
    return list;
  }

  YAML::Node Find(const std::string& key) const;
  void SetNode(const std::string& key, const YAML::Node& value);

  std::filesystem::path folder_;
  YAML::Node root_ = YAML::Node(YAML::NodeType::Map);
  std::string saved_, notice_;
};

}  // namespace civita
