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

template <typename T>
constexpr bool kIsByName = std::is_same_v<T, ByName<double>> ||
                           std::is_same_v<T, ByName<std::vector<std::vector<double>>>>;

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

int ReadInteger(const YamlValue& value, const std::string& key) {
  constexpr const char* kWant = "a whole number from 0 to 2147483647";
  if (value.kind != YamlValue::Kind::kScalar || value.quoted) Refuse(value, key, kWant);
  const std::string_view text = value.text;
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) {
    Refuse(value, key, kWant);
  }
  return number;
}

bool ReadBoolean(const YamlValue& value, const std::string& key) {
  if (value.kind == YamlValue::Kind::kScalar && !value.quoted) {
    if (value.text == "true" || value.text == "True" || value.text == "TRUE") return true;
    if (value.text == "false" || value.text == "False" || value.text == "FALSE") return false;
  }
  Refuse(value, key, "true or false");
}

std::string ReadText(const YamlValue& value, const std::string& key) {
  if (value.kind != YamlValue::Kind::kScalar || value.text.empty()) Refuse(value, key, "text");
  return value.text;
}

std::string ReadChoice(const YamlValue& value, const std::string& key,
                       const std::vector<std::string>& choices) {
  const std::string text = ReadText(value, key);
  for (const std::string& choice : choices) {
    if (choice == text) return text;
  }
  throw UserError(value.where + ": " + UnknownName(key, text, choices));
}

std::vector<std::string> ReadTexts(const YamlValue& value, const std::string& key) {
  if (value.kind != YamlValue::Kind::kList) Refuse(value, key, "a list of texts");
  std::vector<std::string> texts;
  for (const YamlValue& item : value.items) texts.push_back(ReadText(item, key));
  return texts;
}

std::vector<std::vector<double>> ReadRows(const YamlValue& value, const std::string& key,
                                          Range range) {
  if (value.kind != YamlValue::Kind::kList) Refuse(value, key, "a list of lists of numbers");
  std::vector<std::vector<double>> rows;
  for (size_t i = 0; i < value.items.size(); ++i) {
    rows.push_back(ReadNumbers(value.items[i], key + "[" + std::to_string(i) + "]", range, false));
  }
  return rows;
}

double ReadOf(const YamlValue& value, const std::string& key, Range range, double /*type*/) {
  return ReadNumber(value, key, range);
}
std::vector<std::vector<double>> ReadOf(const YamlValue& value, const std::string& key, Range range,
                                        const std::vector<std::vector<double>>& /*type*/) {
  return ReadRows(value, key, range);
}

template <typename Value>
void ReadByName(const YamlValue& value, const BoundKey& row, ByName<Value>* to, Places* places) {
  if (value.kind != YamlValue::Kind::kMap) {
    to->all = ReadOf(value, row.key, row.range, Value());
    return;
  }
  for (const YamlValue::Entry& entry : value.entries) {
    const std::string key = row.key + "." + entry.key;
    to->own[entry.key] = ReadOf(entry.value, key, row.range, Value());
    (*places)[key] = entry.value.where;
  }
}

std::map<std::string, double> ReadMap(const YamlValue& map, const BoundKey& row, Places* places) {
  CheckIsMap(map, row.key, {"the joints' names"});
  std::map<std::string, double> numbers;
  for (const YamlValue::Entry& entry : map.entries) {
    const std::string key = row.key + "." + entry.key;
    numbers[entry.key] = ReadNumber(entry.value, key, row.range);
    (*places)[key] = entry.value.where;
  }
  return numbers;
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
}

void ReadList(const YamlValue& list, const std::string& key, const ListRef& items, Places* places) {
  if (list.kind == YamlValue::Kind::kNull) return;
  if (list.kind != YamlValue::Kind::kList) {
    throw UserError(list.where + ": " + key + " must be a list, not " + list.Describe());
  }
  for (size_t i = 0; i < list.items.size(); ++i) {
    const std::string prefix = key + "." + std::to_string(i);
    ReadItem(list.items[i], prefix, items.add(), places);
    (*places)[prefix] = list.items[i].where;
  }
}

std::string WriteTexts(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) {
    list += (list.empty() ? "" : ", ") + ToYamlText(std::string_view(text));
  }
  return "[" + list + "]";
}

std::string YamlOf(double number) { return ToYamlText(number); }
std::string YamlOf(const std::vector<std::vector<double>>& rows) {
  std::string text;
  for (const auto& row : rows) text += (text.empty() ? "" : ", ") + ToYamlText(row);
  return "[" + text + "]";
}

template <typename Value>
std::string WriteMap(const std::map<std::string, Value>& values) {
  std::string text;
  for (const auto& [name, value] : values) {
    text += (text.empty() ? "" : ", ") + ToYamlText(std::string_view(name)) + ": " + YamlOf(value);
  }
  return "{" + text + "}";
}

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
  return std::visit(
      [&](const auto& by_default) -> OptionValue {
        using T = std::remove_cvref_t<decltype(by_default)>;
        if constexpr (std::is_same_v<T, bool>) {
          return ReadBoolean(value, key);
        } else if constexpr (std::is_same_v<T, double>) {
          return ReadNumber(value, key, option.range);
        } else if constexpr (std::is_same_v<T, std::string_view>) {
          if (option.choices.empty()) return ReadText(value, key);
          return ReadChoice(value, key, {option.choices.begin(), option.choices.end()});
        } else if constexpr (std::is_same_v<T, std::span<const double>>) {
          return ReadNumbers(value, key, option.range, false);
        } else {
          return ReadTexts(value, key);
        }
      },
      option.default_value);
}

std::optional<std::string> WriteOption(const OptionValue& value) {
  return std::visit(
      [](const auto& given) -> std::optional<std::string> {
        using T = std::remove_cvref_t<decltype(given)>;
        if constexpr (std::is_same_v<T, bool>) {
          return given ? "true" : "false";
        } else if constexpr (std::is_same_v<T, double>) {
          return ToYamlText(given);
        } else {
          if (given.empty()) return std::nullopt;
          if constexpr (std::is_same_v<T, std::string>) {
            return ToYamlText(std::string_view(given));
          } else if constexpr (std::is_same_v<T, std::vector<double>>) {
            return ToYamlText(given);
          } else {
            return WriteTexts(given);
          }
        }
      },
      value);
}

void ReadValue(const BoundKey& row, const YamlValue& value, Places* places) {
  const std::string& key = row.key;
  const auto read = [&](const auto& to) {
    using To = std::remove_cvref_t<decltype(to)>;
    if constexpr (std::is_same_v<To, OneOrAllRef>) {
      *to.numbers = ReadNumbers(value, key, row.range, true);
    } else if constexpr (std::is_same_v<To, NamedRef>) {
      to.set(ReadChoice(value, key, to.names()));
    } else if constexpr (std::is_same_v<To, ListRef>) {
      ReadList(value, key, to, places);
    } else {
      using T = std::remove_pointer_t<To>;
      if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, std::filesystem::path>) {
        *to = ReadText(value, key);
      } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
        *to = ReadTexts(value, key);
      } else if constexpr (std::is_same_v<T, int>) {
        *to = ReadInteger(value, key);
      } else if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, std::optional<bool>>) {
        *to = ReadBoolean(value, key);
      } else if constexpr (std::is_same_v<T, double> || std::is_same_v<T, std::optional<double>>) {
        *to = ReadNumber(value, key, row.range);
      } else if constexpr (std::is_same_v<T, std::vector<std::vector<double>>>) {
        *to = ReadRows(value, key, row.range);
      } else if constexpr (kIsByName<T>) {
        ReadByName(value, row, to, places);
      } else if constexpr (std::is_same_v<T, std::map<std::string, double>>) {
        *to = ReadMap(value, row, places);
      } else if constexpr (std::is_same_v<T, std::vector<double>> ||
                           std::is_same_v<T, std::optional<std::vector<double>>>) {
        *to = ReadNumbers(value, key, row.range, false);
      } else {  // the law's own keys: see law_reader.h
        CIVITA_CHECK(false, key);
      }
    }
  };
  std::visit(read, row.value);
}

std::optional<std::string> WriteValue(const ValueRef& value) {
  using Text = std::optional<std::string>;
  const auto write = [](const auto& from) -> Text {
    using From = std::remove_cvref_t<decltype(from)>;
    if constexpr (std::is_same_v<From, OneOrAllRef>) {
      return from.numbers->empty() ? Text() : ToYamlText(*from.numbers);
    } else if constexpr (std::is_same_v<From, NamedRef>) {
      return ToYamlText(std::string_view(from.get()));
    } else if constexpr (std::is_same_v<From, ListRef>) {
      return std::nullopt;
    } else {
      using T = std::remove_pointer_t<From>;
      if constexpr (std::is_same_v<T, std::string>) {
        return from->empty() ? Text() : ToYamlText(std::string_view(*from));
      } else if constexpr (std::is_same_v<T, std::filesystem::path>) {
        return from->empty() ? Text() : ToYamlText(std::string_view(from->string()));
      } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
        return from->empty() ? Text() : WriteTexts(*from);
      } else if constexpr (std::is_same_v<T, std::map<std::string, double>>) {
        return from->empty() ? Text() : WriteMap(*from);
      } else if constexpr (std::is_same_v<T, int>) {
        return std::to_string(*from);
      } else if constexpr (std::is_same_v<T, bool>) {
        return *from ? "true" : "false";
      } else if constexpr (std::is_same_v<T, double> || std::is_same_v<T, std::vector<double>>) {
        return ToYamlText(*from);
      } else if constexpr (std::is_same_v<T, std::vector<std::vector<double>>>) {
        return YamlOf(*from);
      } else if constexpr (kIsByName<T>) {
        return from->own.empty() ? YamlOf(from->all) : WriteMap(from->own);
      } else if constexpr (std::is_same_v<T, std::optional<bool>>) {
        return *from ? Text(**from ? "true" : "false") : Text();
      } else if constexpr (std::is_same_v<T, std::optional<double>> ||
                           std::is_same_v<T, std::optional<std::vector<double>>>) {
        return *from ? ToYamlText(**from) : Text();
      } else {
        return std::nullopt;
      }
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

bool IsMap(const ValueRef& value) {
  return std::holds_alternative<std::map<std::string, double>*>(value) ||
         std::holds_alternative<std::map<std::string, std::vector<double>>*>(value);
}

}  // namespace civita::internal
