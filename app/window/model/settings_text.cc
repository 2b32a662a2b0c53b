#include "app/window/model/settings_text.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>
#include <utility>

#include "civita/study/option_names.h"

namespace civita {
namespace {

void MakeFlow(YAML::Node node) {
  if (!node.IsSequence() && !node.IsMap()) return;
  node.SetStyle(YAML::EmitterStyle::Flow);
  for (auto item : node) MakeFlow(node.IsMap() ? item.second : YAML::Node(item));
}

std::string OneLine(const YAML::Node& node) {
  MakeFlow(node);
  YAML::Emitter emitter;
  emitter << node;
  std::string text = emitter.c_str();
  std::ranges::replace(text, '\n', ' ');
  return text;
}

// The leaves of a config by their paths, in its order. The entries of a gain are one value.
void Flatten(const YAML::Node& node, const std::string& path, std::vector<SetKey>* keys) {
  if (!node.IsMap() || path.starts_with("gains.")) {
    keys->push_back({path, OneLine(node)});
    return;
  }
  const std::string before = path.empty() ? path : path + ".";
  for (const auto& item : node) Flatten(item.second, before + item.first.as<std::string>(), keys);
}

// A value of a config as Python writes it.
std::string PythonLiteral(const YAML::Node& node) {
  if (node.IsNull()) return "None";
  std::string text;
  if (node.IsSequence()) {
    for (const auto& item : node) text += (text.empty() ? "" : ", ") + PythonLiteral(item);
    return "[" + text + "]";
  }
  if (node.IsMap()) {
    for (const auto& item : node) {
      text += (text.empty() ? "" : ", ") + PythonLiteral(item.first) + ": " +
              PythonLiteral(item.second);
    }
    return "{" + text + "}";
  }
  text = node.Scalar();
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  const bool is_plain = node.Tag() != "!";  // not in quotes
  if (is_plain && error == std::errc() && rest == end) return text;
  if (is_plain && (text == "true" || text == "false")) return text == "true" ? "True" : "False";
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

// Adds a key in place of one of that name.
void Set(SetKey key, std::vector<SetKey>* keys) {
  std::erase_if(*keys, [&](const SetKey& each) { return each.key == key.key; });
  keys->push_back(std::move(key));
}

std::string Comments(const std::vector<std::string>& notes) {
  std::string text;
  for (const std::string& note : notes) text += "# " + note + "\n";
  return text;
}

std::string PythonRun(const std::string& name, const std::string& scene,
                      const std::vector<SetKey>& keys) {
  std::string text = name + " = civita.run(" + PythonLiteral(YAML::Node(scene));
  if (!keys.empty()) {
    text += ", set={\n";
    for (const SetKey& key : keys) {
      text += "    " + PythonLiteral(YAML::Node(key.key)) + ": " +
              PythonLiteral(YAML::Load(key.value)) + ",\n";
    }
    text += "}";
  }
  return text + ")\n";
}

}  // namespace

std::vector<SetKey> KeysOf(const SceneConfig& config) {
  std::vector<SetKey> keys;
  Flatten(YAML::Load(ToYaml(config)), "", &keys);
  return keys;
}

std::vector<SetKey> FindDifferingKeys(const SceneConfig& from, const SceneConfig& config,
                                      std::vector<std::string>* missing) {
  std::map<std::string, std::string> before;
  for (SetKey& key : KeysOf(from)) before[key.key] = std::move(key.value);
  const bool has_other_law = from.controller != config.controller;
  const auto is_of_law = [](std::string_view key) {
    return key.starts_with("gains.") || key.starts_with("controller.");
  };
  std::vector<SetKey> keys;
  for (SetKey& key : KeysOf(config)) {
    const auto found = before.find(key.key);
    const bool is_same = found != before.end() && found->second == key.value;
    if (found != before.end()) before.erase(found);
    // Another law begins without gains and options.
    if (!is_same || (has_other_law && is_of_law(key.key))) keys.push_back(std::move(key));
  }
  for (const auto& [key, value] : before) {
    if (!has_other_law || !is_of_law(key)) missing->push_back(key);
  }
  return keys;
}

std::vector<SetKey> MergeKeys(const std::vector<std::string>& overrides, std::vector<SetKey> keys) {
  std::vector<SetKey> merged;
  for (const std::string& text : overrides) {
    const std::size_t at = text.find('=');
    if (at != text.npos) Set({text.substr(0, at), text.substr(at + 1)}, &merged);
  }
  for (SetKey& key : keys) Set(std::move(key), &merged);
  return merged;
}

std::string FormatCommand(const TakenRuns& runs) {
  std::string text = "civita run " + ShellQuoted(runs.scene);
  for (const SetKey& key : runs.keys) text += " --set " + ShellQuoted(key.key + "=" + key.value);
  if (runs.compared) {
    for (const SetKey& key : *runs.compared) {
      text += " --compare " + ShellQuoted(key.key + "=" + key.value);
    }
  }
  return text + "\n" + Comments(runs.notes);
}

std::string FormatPython(const TakenRuns& runs) {
  std::string text =
      Comments(runs.notes) + "import civita\n\n" + PythonRun("run", runs.scene, runs.keys);
  if (!runs.compared) return text;
  std::vector<SetKey> keys = runs.keys;
  for (const SetKey& key : *runs.compared) Set(key, &keys);
  return text + PythonRun("other", runs.scene, keys);
}

std::string FormatConfig(const SceneConfig& config, const std::vector<std::string>& notes) {
  return Comments(notes) + ToYaml(config);
}

}  // namespace civita
