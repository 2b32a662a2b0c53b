#include "civita/scenes/schema/yaml_value.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <optional>
#include <sstream>

#include "civita/error.h"
#include "core/internal/read_file.h"

namespace civita {
namespace {

// Limit on values, since aliases let a small file stand for a huge or endless tree.
constexpr int kMaxValues = 100'000;
constexpr int kMaxDepth = 32;

class Converter {
 public:
  // `fixed`: `name` is the place of every value; otherwise places are name:line:column.
  Converter(std::string name, bool fixed) : name_(std::move(name)), fixed_(fixed) {}

  std::string Where(const YAML::Mark& mark) const {
    if (fixed_ || mark.is_null()) return name_;
    return name_ + ":" + std::to_string(mark.line + 1) + ":" + std::to_string(mark.column + 1);
  }

  YamlValue Convert(const YAML::Node& node, int depth = 0) {
    YamlValue value;
    value.where = Where(node.Mark());
    if (!fixed_) value.file = name_;
    if (++count_ > kMaxValues || depth > kMaxDepth) {
      throw UserError(value.where + ": too many or too deeply nested values");
    }
    if (node.IsScalar()) {
      value.kind = YamlValue::Kind::kScalar;
      value.text = node.Scalar();
      value.quoted = node.Tag() == "!";
    } else if (node.IsSequence()) {
      value.kind = YamlValue::Kind::kList;
      for (const YAML::Node& item : node) value.items.push_back(Convert(item, depth + 1));
    } else if (node.IsMap()) {
      value.kind = YamlValue::Kind::kMap;
      for (const auto& entry : node) AddEntry(entry.first, entry.second, depth, &value);
    }
    return value;
  }

 private:
  void AddEntry(const YAML::Node& key, const YAML::Node& item, int depth, YamlValue* map) {
    const std::string where = Where(key.Mark());
    if (!key.IsScalar()) throw UserError(where + ": a key must be a word");
    if (key.Scalar() == "<<") throw UserError(where + ": merge keys ('<<') are not supported");
    for (const YamlValue::Entry& entry : map->entries) {
      if (entry.key == key.Scalar()) {
        throw UserError(where + ": duplicate key '" + entry.key + "'" +
                        (fixed_ ? "" : ", first at " + entry.where));
      }
    }
    map->entries.push_back({key.Scalar(), where, Convert(item, depth + 1)});
    YamlValue& value = map->entries.back().value;
    if (value.kind == YamlValue::Kind::kNull) value.where = where;
  }

  std::string name_;
  bool fixed_;
  int count_ = 0;
};

/// Remembers where the second document's root is.
class SecondDocument : public YAML::EventHandler {
 public:
  const std::optional<YAML::Mark>& mark() const { return mark_; }

  void OnDocumentStart(const YAML::Mark&) override { ++count_; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { See(mark); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { See(mark); }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                const std::string&) override {
    See(mark);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    See(mark);
  }
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    See(mark);
  }
  void OnMapEnd() override {}

 private:
  void See(const YAML::Mark& mark) {
    if (count_ > 1 && !mark_) mark_ = mark;
  }

  int count_ = 0;
  std::optional<YAML::Mark> mark_;
};

/// YAML::LoadAll finds documents without end in some malformed texts, until memory is full.
std::optional<YAML::Mark> FindSecondDocument(const std::string& text) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  SecondDocument second;
  while (!second.mark() && parser.HandleNextDocument(second)) {
  }
  return second.mark();
}

YamlValue Parse(const std::string& text, Converter converter) {
  try {
    if (const std::optional<YAML::Mark> second = FindSecondDocument(text)) {
      throw UserError(converter.Where(*second) + ": a second YAML document; only one is read");
    }
    return converter.Convert(YAML::Load(text));
  } catch (const YAML::Exception& error) {
    throw UserError(converter.Where(error.mark) + ": malformed YAML: " + error.msg);
  }
}

std::optional<size_t> ParseIndex(std::string_view text) {
  size_t index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return index;
}

}  // namespace

const YamlValue* YamlValue::Find(std::string_view key) const {
  for (const Entry& entry : entries) {
    if (entry.key == key) return &entry.value;
  }
  return nullptr;
}

std::string YamlValue::Describe() const {
  switch (kind) {
    case Kind::kNull:
      return "nothing";
    case Kind::kList:
      return "a list";
    case Kind::kMap:
      return "a map";
    case Kind::kScalar:
      break;
  }
  constexpr size_t kShown = 40;
  return std::string(quoted ? "the text " : "") + "'" +
         (text.size() > kShown ? text.substr(0, kShown) + "…" : text) + "'";
}

YamlValue ParseYaml(const std::string& text, const std::string& name) {
  return Parse(text, Converter(name, false));
}

YamlValue ReadYaml(const std::string& file) {
  return ParseYaml(internal::ReadFile(file, internal::kMostYamlBytes), file);
}

YamlValue ParseYamlArgument(const std::string& text, const std::string& where) {
  return Parse(text, Converter(where, true));
}

void SetYamlValue(YamlValue& root, std::string_view path, const YamlValue& value) {
  YamlValue* at = &root;
  std::string_view rest = path;
  while (true) {
    const size_t dot = rest.find('.');
    const std::string_view key = rest.substr(0, dot);
    if (key.empty()) {
      throw UserError(value.where + ": '" + std::string(path) + "' is no key; write key=value");
    }
    if (at->kind == YamlValue::Kind::kList) {
      const std::optional<size_t> index = ParseIndex(key);
      if (!index || *index >= at->items.size()) {
        throw UserError(value.where + ": '" + std::string(key) + "' is no entry of a list of " +
                        std::to_string(at->items.size()) + " (counted from 0)");
      }
      at = &at->items[*index];
    } else {
      if (at->kind != YamlValue::Kind::kMap)
        *at = {YamlValue::Kind::kMap, value.where, {}, {}, {}, {}, {}};
      const auto found =
          std::find_if(at->entries.begin(), at->entries.end(),
                       [key](const YamlValue::Entry& entry) { return entry.key == key; });
      if (found != at->entries.end()) {
        found->where = value.where;
        at = &found->value;
      } else {
        at->entries.push_back({std::string(key), value.where, {}});
        at = &at->entries.back().value;
      }
    }
    if (dot == std::string_view::npos) break;
    rest.remove_prefix(dot + 1);
  }
  *at = value;
}

std::string ToYamlText(double number) {
  std::array<char, 32> buffer;
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
  CIVITA_CHECK(error == std::errc());
  return {buffer.data(), end};
}

std::string ToYamlText(const std::vector<double>& numbers) {
  std::string text;
  for (const double number : numbers) text += (text.empty() ? "" : ", ") + ToYamlText(number);
  return "[" + text + "]";
}

std::string ToYamlText(std::string_view text) {
  YAML::Emitter emitter;
  emitter << std::string(text);
  return emitter.c_str();
}

}  // namespace civita
