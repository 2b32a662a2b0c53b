#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace civita {

/// A YAML value with its place in the file, for error messages.
struct YamlValue {
  enum class Kind { kNull, kScalar, kList, kMap };
  struct Entry;

  Kind kind = Kind::kNull;
  std::string where;  ///< "file.yaml:17:9" (from 1) or "--set gains.K_D"
  std::string text;   ///< scalars
  bool quoted = false;
  std::vector<YamlValue> items;  ///< lists
  std::vector<Entry> entries;    ///< maps, in the file's order, keys differ
  std::string file;              ///< that contains it; empty: the command line

  /// The value of the entry `key`, or nullptr.
  const YamlValue* Find(std::string_view key) const;
  YamlValue* Find(std::string_view key);

  /// Description for messages: "the text 'abc'", "a list", "a map", "nothing".
  std::string Describe() const;
};

struct YamlValue::Entry {
  std::string key;
  std::string where;  ///< place of the key
  YamlValue value;
};

/// Parses one YAML document. Places are "name:line:column". @throws UserError for malformed YAML,
/// duplicate keys, merge keys (<<), keys that are not plain text, several documents, more than
/// 100 000 keys and values.
YamlValue ParseYaml(const std::string& text, const std::string& name);

/// Parses a file of at most 4 MiB. @throws UserError also when it cannot be read.
YamlValue ReadYaml(const std::string& file);

/// Parses a value given on the command line; all places are `where`. @throws UserError.
YamlValue ParseYamlArgument(const std::string& text, const std::string& where);

/// Puts `value` into the map `root` at a path with dots, as in "gains.K_D" or "pushes.0.force_N"
/// (an entry of a list, or the next one). Creates missing maps on the path. @throws UserError.
void SetYamlValue(YamlValue& root, std::string_view path, const YamlValue& value);

/// A number in YAML's notation that reads back to the same bits; text quoted where needed.
std::string ToYamlText(double number);
std::string ToYamlText(std::string_view text);
template <typename T>
std::string ToYamlText(const std::vector<T>& items) {
  std::string text;
  for (const T& item : items) text += (text.empty() ? "" : ", ") + ToYamlText(item);
  return "[" + text + "]";
}
template <typename T>
std::string ToYamlText(const std::map<std::string, T>& values) {
  std::string text;
  for (const auto& [name, value] : values) {
    text += (text.empty() ? "" : ", ") + ToYamlText(name) + ": " + ToYamlText(value);
  }
  return "{" + text + "}";
}

}  // namespace civita
