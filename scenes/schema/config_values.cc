#include "civita/scenes/schema/config_values.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <system_error>
#include <type_traits>

#include "base/text.h"
#include "civita/error.h"
#include "civita/suggest.h"

namespace civita::internal {
namespace {

using Range = NumberRange;

[[noreturn]] void Refuse(const YamlValue& value, const std::string& key, const std::string& want) {
  throw UserError(value.where + ": " + key + " must be " + want + ", not " + value.Describe());
}

const char* NumberText(Range range) {
  switch (range) {
    case Range::kPositive:
      return "a number > 0";
    case Range::kNotNegative:
      return "a number ≥ 0";
    case Range::kAny:
      break;
  }
  return "a number";
}

// Parses the whole text as a number in YAML's notation, including NaN and infinities.
std::optional<double> ParseNumber(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-') || text.starts_with('+')) return std::nullopt;
  }
  std::string_view word = text;
  if (word.starts_with('-')) word.remove_prefix(1);
  if (word == ".nan" || word == ".NaN" || word == ".NAN") return std::nan("");
  if (word == ".inf" || word == ".Inf" || word == ".INF") return HUGE_VAL;
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc::result_out_of_range) return HUGE_VAL;
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string ReadText(const YamlValue& value, const std::string& key) {
  if (value.kind != YamlValue::Kind::kScalar || value.text.empty()) Refuse(value, key, "text");
  return value.text;
}

std::string ReadChoice(const YamlValue& value, const std::string& key,
                       const std::vector<std::string>& choices) {
  const std::string text = ReadText(value, key);
  if (std::ranges::find(choices, text) != choices.end()) return text;
  throw UserError(value.where + ": " + UnknownName(key, text, choices));
}

/// A value as it is given, for a row of the table.
struct Given {
  const YamlValue& value;
  const std::string& key;
  Range range;
  Places* places;

  /// A part of it, with a key of its own.
  Given Of(const YamlValue& part, const std::string& part_key) const {
    return {part, part_key, range, places};
  }
};

// Reading, by the type of the member that takes the value.

void Read(const Given& from, double* to) { *to = ReadNumber(from.value, from.key, from.range); }

void Read(const Given& from, int* to) {
  const std::string& text = from.value.text;
  const char* const end = text.data() + text.size();
  const bool is_plain = from.value.kind == YamlValue::Kind::kScalar && !from.value.quoted;
  const auto [stop, error] = std::from_chars(text.data(), end, *to);
  if (is_plain && error == std::errc() && stop == end && *to >= 0) return;
  Refuse(from.value, from.key, "a whole number from 0 to 2147483647");
}

void Read(const Given& from, bool* to) {
  const std::string& text = from.value.text;
  const bool is_plain = from.value.kind == YamlValue::Kind::kScalar && !from.value.quoted;
  *to = text == "true" || text == "True" || text == "TRUE";
  if (is_plain && (*to || text == "false" || text == "False" || text == "FALSE")) return;
  Refuse(from.value, from.key, "true or false");
}

void Read(const Given& from, std::string* to) { *to = ReadText(from.value, from.key); }
void Read(const Given& from, std::filesystem::path* to) { *to = ReadText(from.value, from.key); }

void Read(const Given& from, std::vector<std::string>* to) {
  if (from.value.kind != YamlValue::Kind::kList) Refuse(from.value, from.key, "a list of texts");
  to->clear();
  for (const YamlValue& item : from.value.items) to->push_back(ReadText(item, from.key));
}

void Read(const Given& from, std::vector<double>* to) {
  *to = ReadNumbers(from.value, from.key, from.range, false);
}

void Read(const Given& from, std::vector<std::vector<double>>* to) {
  const std::vector<YamlValue>& rows = from.value.items;
  if (from.value.kind != YamlValue::Kind::kList) {
    Refuse(from.value, from.key, "a list of lists of numbers");
  }
  to->clear();
  for (size_t i = 0; i < rows.size(); ++i) {
    Read(from.Of(rows[i], from.key + "[" + std::to_string(i) + "]"), &to->emplace_back());
  }
}

template <typename T>
void Read(const Given& from, std::optional<T>* to) {
  Read(from, &to->emplace());
}

template <typename T>
void Read(const Given& from, std::map<std::string, T>* to) {
  CheckIsMap(from.value, from.key, {"the joints' names"});
  for (const YamlValue::Entry& entry : from.value.entries) {
    const std::string key = from.key + "." + entry.key;
    Read(from.Of(entry.value, key), &(*to)[entry.key]);
    (*from.places)[key] = entry.value.where;
  }
}

template <typename T>
void Read(const Given& from, ByName<T>* to) {
  if (from.value.kind == YamlValue::Kind::kMap) return Read(from, &to->own);
  Read(from, &to->all);
}

void Read(const Given& from, const OneOrAllRef& to) {
  *to.numbers = ReadNumbers(from.value, from.key, from.range, true);
}

void Read(const Given& from, const NamedRef& to) {
  to.set(ReadChoice(from.value, from.key, to.names()));
}

void ReadItem(const YamlValue& map, const std::string& prefix, std::vector<BoundKey> rows,
              Places* places) {
  std::vector<std::string> valid;
  for (const BoundKey& row : rows) valid.push_back(row.key);
  CheckIsMap(map, prefix, valid);
  for (const YamlValue::Entry& entry : map.entries) {
    const auto row = std::ranges::find(rows, entry.key, &BoundKey::key);
    if (row == rows.end()) RefuseKey(entry, valid);
    row->key = prefix + "." + entry.key;
    ReadValue(*row, entry.value, places);
    (*places)[row->key] = entry.value.where;
  }
  (*places)[prefix] = map.where;
}

void Read(const Given& from, const ListRef& to) {
  const YamlValue& list = from.value;
  if (list.kind == YamlValue::Kind::kNull) return;
  if (list.kind != YamlValue::Kind::kList) {
    throw UserError(list.where + ": " + from.key + " must be a list, not " + list.Describe());
  }
  for (size_t i = 0; i < list.items.size(); ++i) {
    ReadItem(list.items[i], from.key + "." + std::to_string(i), to.add(), from.places);
  }
}

// The law's own keys, see config_reader.h.
void Read(const Given& from, std::map<std::string, std::vector<double>>* /*gains*/) {
  CIVITA_CHECK(false, from.key);
}
void Read(const Given& from, LawOptions* /*options*/) { CIVITA_CHECK(false, from.key); }

// Writing: nullopt of what is unset.

using Text = std::optional<std::string>;

Text Write(double number) { return ToYamlText(number); }
Text Write(int number) { return std::to_string(number); }
Text Write(bool flag) { return flag ? "true" : "false"; }
Text Write(const std::string& text) { return text.empty() ? Text() : ToYamlText(text); }
Text Write(const std::filesystem::path& path) { return Write(path.string()); }
Text Write(const std::vector<std::string>& texts) {
  return texts.empty() ? Text() : ToYamlText(texts);
}
Text Write(const std::vector<double>& numbers) { return ToYamlText(numbers); }
Text Write(const std::vector<std::vector<double>>& rows) { return ToYamlText(rows); }
template <typename T>
Text Write(const std::optional<T>& value) {
  return value ? Write(*value) : Text();
}
Text Write(const std::map<std::string, double>& numbers) {
  return numbers.empty() ? Text() : ToYamlText(numbers);
}
template <typename T>
Text Write(const ByName<T>& value) {
  return value.own.empty() ? ToYamlText(value.all) : ToYamlText(value.own);
}
Text Write(const OneOrAllRef& from) {
  return from.numbers->empty() ? Text() : ToYamlText(*from.numbers);
}
Text Write(const NamedRef& from) { return ToYamlText(from.get()); }
Text Write(const ListRef& /*list*/) { return {}; }
Text Write(const std::map<std::string, std::vector<double>>& /*gains*/) { return {}; }
Text Write(const LawOptions& /*options*/) { return {}; }

}  // namespace

void RefuseKey(const YamlValue::Entry& entry, const std::vector<std::string>& valid) {
  throw UserError(entry.where + ": " + UnknownName("key", entry.key, valid));
}

void CheckKeys(const YamlValue& map, const std::vector<std::string>& valid) {
  for (const YamlValue::Entry& entry : map.entries) {
    if (std::ranges::find(valid, entry.key) == valid.end()) RefuseKey(entry, valid);
  }
}

void CheckIsMap(const YamlValue& value, const std::string& key,
                const std::vector<std::string>& valid) {
  if (value.kind == YamlValue::Kind::kMap || value.kind == YamlValue::Kind::kNull) return;
  throw UserError(value.where + ": " + key + " must be a map of keys (" + Join(valid, ", ") +
                  "), not " + value.Describe());
}

double ReadNumber(const YamlValue& value, const std::string& key, Range range) {
  if (value.kind != YamlValue::Kind::kScalar || value.quoted) Refuse(value, key, NumberText(range));
  const std::optional<double> number = ParseNumber(value.text);
  if (!number) Refuse(value, key, NumberText(range));
  if (!std::isfinite(*number)) Refuse(value, key, "a finite number");
  if (!IsIn(range, *number)) Refuse(value, key, NumberText(range));
  return *number;
}

std::vector<double> ReadNumbers(const YamlValue& value, const std::string& key, Range range,
                                bool one_number_too) {
  if (one_number_too && value.kind == YamlValue::Kind::kScalar) {
    return {ReadNumber(value, key, range)};
  }
  if (value.kind != YamlValue::Kind::kList) {
    Refuse(value, key, one_number_too ? "a number or a list of numbers" : "a list of numbers");
  }
  std::vector<double> numbers;
  for (size_t i = 0; i < value.items.size(); ++i) {
    numbers.push_back(ReadNumber(value.items[i], key + "[" + std::to_string(i) + "]", range));
  }
  return numbers;
}

OptionValue ReadOption(const OptionInfo& option, const YamlValue& value, const std::string& key) {
  if (!option.choices.empty()) {
    return ReadChoice(value, key, {option.choices.begin(), option.choices.end()});
  }
  OptionValue read = DefaultOf(option);
  std::visit([&](auto& to) { Read({value, key, option.range, nullptr}, &to); }, read);
  return read;
}

std::optional<std::string> WriteOption(const OptionValue& value) {
  const auto write = [](const auto& given) -> Text {
    if constexpr (requires { given.empty(); }) {
      if (given.empty()) return {};
    }
    return Write(given);
  };
  return std::visit(write, value);
}

void ReadValue(const BoundKey& row, const YamlValue& value, Places* places) {
  const Given from{value, row.key, row.range, places};
  std::visit([&from](const auto& to) { Read(from, to); }, row.value);
}

std::optional<std::string> WriteValue(const ValueRef& value) {
  const auto write = [](const auto& from) {
    if constexpr (std::is_pointer_v<std::remove_cvref_t<decltype(from)>>) {
      return Write(*from);
    } else {
      return Write(from);
    }
  };
  return std::visit(write, value);
}

ConfigType TypeOf(const ValueRef& value) {
  using enum ConfigType;
  // In the order of the alternatives of ValueRef.
  constexpr ConfigType kTypes[] = {
      kText,       kText,    kNumber,  kNumber,          kInteger, kBoolean,
      kBoolean,    kNumbers, kNumbers, kNumberOrNumbers, kRows,    kNumberByName,
      kRowsByName, kTexts,   kNumber,  kNumberOrNumbers, kText,    kChoice,
      kText};
  static_assert(std::size(kTypes) == std::variant_size_v<ValueRef>);
  return kTypes[value.index()];
}

ConfigType TypeOf(const OptionInfo& option) {
  using enum ConfigType;
  constexpr ConfigType kTypes[] = {kBoolean, kNumber, kText, kNumbers, kTexts};
  return option.choices.empty() ? kTypes[option.default_value.index()] : kChoice;
}

ConfigType TypeOf(GainShape shape) {
  using enum ConfigType;
  constexpr ConfigType kTypes[] = {kNumberOrNumbers, kNumber, kSkewMatrix};
  return kTypes[static_cast<size_t>(shape)];
}

bool IsMap(const ValueRef& value) {
  return std::holds_alternative<std::map<std::string, double>*>(value) ||
         std::holds_alternative<std::map<std::string, std::vector<double>>*>(value);
}

}  // namespace civita::internal
