#include "civita/study/poe/poe_states.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/check_json.h"
#include "base/text.h"
#include "base/utf8.h"
#include "civita/error.h"
#include "civita/scenes/schema/config_values.h"
#include "civita/scenes/schema/yaml_value.h"
#include "civita/suggest.h"

namespace civita {
namespace {

using Json = nlohmann::json;

constexpr std::array<PoeInputInfo, kNumPoeInputs> kInputs = {{
    {"theta", 0, "θ: joint coordinates, rad or m for screws of unit length"},
    {"dtheta", 0, "θ̇: their rates"},
    {"ddtheta", 0, "θ̈: their accelerations"},
    {"tau", 0, "τ: joint torques or forces, N·m or N for screws of unit length"},
    {"F_tip", 6,
     "wrench [moment; force] of the tip on its surroundings, in the tip frame, N·m and N"},
    {"V", 6, "twist [angular; linear], rad/s and m/s"},
}};

constexpr auto kNumInputs = static_cast<int>(kNumPoeInputs);

/// "file.json: states[3].theta"
std::string PlaceOf(const std::string& name, std::size_t state, std::string_view key = "") {
  std::string place = name + ": states[" + std::to_string(state) + "]";
  if (!key.empty()) place += "." + std::string(key);
  return place;
}

/// The text as JSON. @throws UserError with the line and column of malformed text.
Json ParseJson(const std::string& text, const std::string& name) {
  internal::CheckUtf8(text, name);
  internal::CheckJson(text, name);
  try {
    return Json::parse(text);
  } catch (const Json::exception& error) {
    // "[json.exception.…] parse error at line 1, column 2: …"
    const std::string what = internal::KeepCharacters(error.what());  // it ends within one
    const std::size_t start = what.find("] ");
    throw UserError(
        name + ": malformed JSON: " + (start == std::string::npos ? what : what.substr(start + 2)));
  }
}

const Json& FindStates(const Json& root, const std::string& name) {
  if (!root.is_object()) throw UserError(name + ": must be an object {\"states\": […]}");
  const auto found = root.find("states");
  if (found == root.end()) throw UserError(name + ": there is no key 'states'");
  if (!found->is_array()) throw UserError(name + ": states: must be a list of states");
  if (found->empty()) throw UserError(name + ": states: is empty");
  return *found;
}

PoeInput FindInput(const std::string& key, const std::string& place) {
  const auto row = std::ranges::find(kInputs, key, &PoeInputInfo::name);
  if (row == kInputs.end()) {
    throw UserError(place + ": " + UnknownName("key", key, PoeInputNames()));
  }
  return static_cast<PoeInput>(row - kInputs.begin());
}

std::vector<double> ReadNumbers(const Json& list, const std::string& place) {
  if (!list.is_array()) throw UserError(place + ": must be a list of numbers");
  std::vector<double> numbers;
  for (const Json& item : list) {
    if (!item.is_number()) {
      throw UserError(place + "[" + std::to_string(numbers.size()) + "]: must be a number, not " +
                      (item.is_structured() ? "a list or object" : item.dump()));
    }
    numbers.push_back(item.get<double>());
  }
  return numbers;
}

/// The number of joints by the first input that has one number a joint; 1 if there is none.
int GuessNumJoints(const Json& states) {
  for (const Json& state : states) {
    for (const auto& [key, value] : state.items()) {
      const auto row = std::ranges::find(kInputs, key, &PoeInputInfo::name);
      if (row != kInputs.end() && row->width == 0) return static_cast<int>(value.size());
    }
  }
  return 1;
}

}  // namespace

const PoeInputInfo& InfoOf(PoeInput input) { return kInputs[static_cast<std::size_t>(input)]; }

std::vector<std::string> PoeInputNames() {
  std::vector<std::string> names;
  for (const PoeInputInfo& info : kInputs) names.emplace_back(info.name);
  return names;
}

std::vector<double> ParsePoeNumbers(PoeInput input, const std::string& text,
                                    const OptionNames& called) {
  const PoeInputInfo& info = InfoOf(input);
  const std::string list = text.starts_with('[') ? text : "[" + text + "]";
  return internal::ReadNumbers(ParseYamlArgument(list, called(info.name)), std::string(info.name),
                               NumberRange::kAny, false);
}

PoeStates::PoeStates(std::size_t N, int n) {
  for (int i = 0; i < kNumInputs; ++i) {
    const int width = kInputs[static_cast<std::size_t>(i)].width;
    rows_[static_cast<std::size_t>(i)].setZero(static_cast<Eigen::Index>(N),
                                               width == 0 ? n : width);
  }
}

std::span<const double> PoeStates::at(PoeInput input, std::size_t state) const {
  const RowMajor& rows = rows_[static_cast<std::size_t>(input)];
  const auto width = static_cast<std::size_t>(rows.cols());
  return std::span(rows.data(), static_cast<std::size_t>(rows.size()))
      .subspan(state * width, width);
}

void PoeStates::Set(PoeInput input, std::size_t state, std::span<const double> numbers,
                    const std::string& place) {
  RowMajor& rows = rows_[static_cast<std::size_t>(input)];
  if (numbers.size() != static_cast<std::size_t>(rows.cols())) {
    throw UserError(place + ": has " + internal::Count(numbers.size(), "number") + ", must have " +
                    std::to_string(rows.cols()) +
                    (InfoOf(input).width == 0 ? ", one for each joint" : ""));
  }
  std::copy(numbers.begin(), numbers.end(), rows.row(static_cast<Eigen::Index>(state)).begin());
}

void PoeStates::SetAll(PoeInput input, std::span<const double> numbers, const std::string& place) {
  for (std::size_t i = 0; i < size(); ++i) Set(input, i, numbers, place);
}

PoeStates ParsePoeStates(const std::string& text, const std::string& name, std::optional<int> n) {
  const Json root = ParseJson(text, name);
  const Json& list = FindStates(root, name);
  PoeStates states(list.size(), n ? *n : GuessNumJoints(list));
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!list[i].is_object()) {
      throw UserError(PlaceOf(name, i) + ": must be an object with keys " +
                      internal::Join(PoeInputNames(), ", "));
    }
    for (const auto& [key, value] : list[i].items()) {
      const std::string place = PlaceOf(name, i, key);
      states.Set(FindInput(key, PlaceOf(name, i)), i, ReadNumbers(value, place), place);
    }
  }
  return states;
}

}  // namespace civita
