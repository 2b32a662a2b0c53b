#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <system_error>
#include <type_traits>

#include "core/error.h"
#include "core/suggest.h"
#include "scenes/schema/config_keys.h"

// Values of configs: what a key's row says of them is read, and written.

namespace civita::internal {
namespace {

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

// The whole text as a number, as YAML writes them; NaN and infinities included.
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

std::string WriteTexts(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) {
    list += (list.empty() ? "" : ", ") + ToYamlText(std::string_view(text));
  }
  return "[" + list + "]";
}

}  // namespace

double ReadNumber(const YamlValue& value, const std::string& key, Range range) {
  if (value.kind != YamlValue::Kind::kScalar || value.quoted) Refuse(value, key, NumberText(range));
  const std::optional<double> number = ParseNumber(value.text);
  if (!number) Refuse(value, key, NumberText(range));
  if (!std::isfinite(*number)) Refuse(value, key, "a finite number");
  if (range == Range::kPositive && *number <= 0) Refuse(value, key, NumberText(range));
  if (range == Range::kNotNegative && *number < 0) Refuse(value, key, NumberText(range));
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

std::vector<std::vector<double>> ReadRows(const YamlValue& value, const std::string& key,
                                          Range range) {
  if (value.kind != YamlValue::Kind::kList) Refuse(value, key, "a list of lists of numbers");
  std::vector<std::vector<double>> rows;
  for (size_t i = 0; i < value.items.size(); ++i) {
    rows.push_back(ReadNumbers(value.items[i], key + "[" + std::to_string(i) + "]", range, false));
  }
  return rows;
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

template <typename Owner>
void ReadMember(const KeyRow<Owner>& row, const YamlValue& value, const std::string& key,
                Owner* owner) {
  const auto read = [&](auto get) {
    auto& member = get(*owner);
    using T = std::remove_reference_t<decltype(member)>;
    if constexpr (std::is_same_v<T, std::string>) {
      member = row.choices ? ReadChoice(value, key, row.choices()) : ReadText(value, key);
    } else if constexpr (std::is_same_v<T, std::filesystem::path>) {
      member = ReadText(value, key);
    } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
      member = ReadTexts(value, key);
    } else if constexpr (std::is_enum_v<T>) {  // its choices are in the order of its values
      const std::vector<std::string> choices = row.choices();
      const std::string choice = ReadChoice(value, key, choices);
      member = static_cast<T>(std::find(choices.begin(), choices.end(), choice) - choices.begin());
    } else if constexpr (std::is_same_v<T, int>) {
      member = ReadInteger(value, key);
    } else if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, std::optional<bool>>) {
      member = ReadBoolean(value, key);
    } else if constexpr (std::is_same_v<T, double> || std::is_same_v<T, std::optional<double>>) {
      member = ReadNumber(value, key, row.range);
    } else if constexpr (std::is_same_v<T, std::vector<std::vector<double>>>) {
      member = ReadRows(value, key, row.range);
    } else {
      member = ReadNumbers(value, key, row.range, row.info.type == ConfigType::kNumberOrNumbers);
    }
  };
  std::visit(read, row.member);
}

template <typename Owner>
std::optional<std::string> WriteMember(const KeyRow<Owner>& row, const Owner& owner) {
  Owner copy = owner;
  const auto write = [&](auto get) -> std::optional<std::string> {
    const auto& member = get(copy);
    using T = std::remove_cvref_t<decltype(member)>;
    if constexpr (std::is_same_v<T, std::string>) {
      if (member.empty()) return std::nullopt;
      return ToYamlText(std::string_view(member));
    } else if constexpr (std::is_same_v<T, std::filesystem::path>) {
      if (member.empty()) return std::nullopt;
      return ToYamlText(std::string_view(member.string()));
    } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
      if (member.empty()) return std::nullopt;
      return WriteTexts(member);
    } else if constexpr (std::is_enum_v<T>) {
      return row.choices()[static_cast<size_t>(member)];
    } else if constexpr (std::is_same_v<T, int>) {
      return std::to_string(member);
    } else if constexpr (std::is_same_v<T, bool>) {
      return member ? "true" : "false";
    } else if constexpr (std::is_same_v<T, double>) {
      return ToYamlText(member);
    } else if constexpr (std::is_same_v<T, std::vector<double>>) {
      if (member.empty() && row.info.type == ConfigType::kNumberOrNumbers) return std::nullopt;
      return ToYamlText(member);
    } else if constexpr (std::is_same_v<T, std::vector<std::vector<double>>>) {
      std::string rows;
      for (const auto& numbers : member) rows += (rows.empty() ? "" : ", ") + ToYamlText(numbers);
      return "[" + rows + "]";
    } else if constexpr (std::is_same_v<T, std::optional<bool>>) {
      return member ? std::optional<std::string>(*member ? "true" : "false") : std::nullopt;
    } else {
      return member ? std::optional(ToYamlText(*member)) : std::nullopt;
    }
  };
  return std::visit(write, row.member);
}

template void ReadMember(const KeyRow<SceneConfig>&, const YamlValue&, const std::string&,
                         SceneConfig*);
template void ReadMember(const KeyRow<SceneConfig::PushConfig>&, const YamlValue&,
                         const std::string&, SceneConfig::PushConfig*);
template void ReadMember(const KeyRow<SceneConfig::ReferenceConfig::CommandConfig>&,
                         const YamlValue&, const std::string&,
                         SceneConfig::ReferenceConfig::CommandConfig*);
template std::optional<std::string> WriteMember(const KeyRow<SceneConfig>&, const SceneConfig&);
template std::optional<std::string> WriteMember(
    const KeyRow<SceneConfig::ReferenceConfig::CommandConfig>&,
    const SceneConfig::ReferenceConfig::CommandConfig&);
template std::optional<std::string> WriteMember(const KeyRow<SceneConfig::PushConfig>&,
                                                const SceneConfig::PushConfig&);

}  // namespace civita::internal
