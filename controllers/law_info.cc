#include "civita/controllers/law_info.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "civita/controllers/controller.h"
#include "civita/error.h"
#include "civita/suggest.h"

namespace civita {

std::unique_ptr<Controller> LawMaker::operator()(const Model& model,
                                                 const ControllerOptions& options) const {
  return make_(model, options);
}

bool IsIn(NumberRange range, double x) {
  return std::isfinite(x) &&
         (range == NumberRange::kAny || x > 0 || (x == 0 && range == NumberRange::kNotNegative));
}

const char* ToText(NumberRange range) {
  switch (range) {
    case NumberRange::kPositive:
      return "> 0";
    case NumberRange::kNotNegative:
      return "≥ 0";
    case NumberRange::kAny:
      break;
  }
  return "";
}

OptionValue DefaultOf(const OptionInfo& option) {
  return std::visit(
      [](const auto& value) -> OptionValue {
        using T = std::remove_cvref_t<decltype(value)>;
        if constexpr (std::is_same_v<T, std::string_view>) {
          return std::string(value);
        } else if constexpr (std::is_same_v<T, std::span<const double>>) {
          return std::vector<double>(value.begin(), value.end());
        } else if constexpr (std::is_same_v<T, std::span<const std::string_view>>) {
          return std::vector<std::string>(value.begin(), value.end());
        } else {
          return value;
        }
      },
      option.default_value);
}

const OptionValue* LawOptions::Find(std::string_view key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? nullptr : &found->second;
}

void LawOptions::Set(std::string_view key, OptionValue value) {
  values_.insert_or_assign(std::string(key), std::move(value));
}

static void CheckValue(const OptionInfo& option, const OptionValue& value) {
  const std::string key = "controller." + std::string(option.key);
  std::vector<double> numbers;
  if (const auto* number = std::get_if<double>(&value)) numbers = {*number};
  if (const auto* all = std::get_if<std::vector<double>>(&value)) numbers = *all;
  for (const double x : numbers) {
    if (IsIn(option.range, x)) continue;
    const bool is_any = option.range == NumberRange::kAny;
    internal::MessageStream message;
    message << key << ": must be a finite number" << (is_any ? "" : " ") << ToText(option.range)
            << ", not " << x;
    throw UserError(message.str());
  }
  const auto* text = std::get_if<std::string>(&value);
  const std::vector<std::string> choices(option.choices.begin(), option.choices.end());
  if (text != nullptr && !choices.empty() && std::ranges::find(choices, *text) == choices.end())
    throw UserError(UnknownName("value of " + key, *text, choices));
}

void LawOptions::Complete(std::span<const OptionInfo> table) {
  for (const auto& [key, value] : values_) {
    const auto option = std::ranges::find(table, key, &OptionInfo::key);
    CIVITA_CHECK(option != table.end(), "the law has no option '" << key << "'");
    CIVITA_CHECK(option->default_value.index() == value.index(),
                 "the option '" << key << "' has a value of another type");
    CheckValue(*option, value);
  }
  for (const OptionInfo& option : table) values_.emplace(option.key, DefaultOf(option));
}

template <typename T>
const T& LawOptions::Get(std::string_view key) const {
  const OptionValue* value = Find(key);
  CIVITA_CHECK(value != nullptr && std::holds_alternative<T>(*value),
               "the law's table has no option '" << key << "' of that type");
  return std::get<T>(*value);
}

template const bool& LawOptions::Get(std::string_view) const;
template const double& LawOptions::Get(std::string_view) const;
template const std::string& LawOptions::Get(std::string_view) const;
template const std::vector<double>& LawOptions::Get(std::string_view) const;
template const std::vector<std::string>& LawOptions::Get(std::string_view) const;

bool LawInfo::MovesFrame(LawOptions own) const {
  if (moves_frame == nullptr) return false;
  own.Complete(options);
  return moves_frame(own);
}

bool LawInfo::FollowsReference(LawOptions own) const {
  if (follows_reference == nullptr) return true;
  own.Complete(options);
  return follows_reference(own);
}

}  // namespace civita
