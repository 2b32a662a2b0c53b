#include "civita/scenes/schema/skew_gain.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <map>
#include <utility>

#include "civita/error.h"
#include "civita/scenes/schema/checked.h"
#include "civita/scenes/schema/config_values.h"
#include "civita/scenes/schema/key_error.h"

namespace civita::internal {
namespace {

constexpr std::size_t kMostCoordinates = 10'000;

std::size_t SizeOf(std::span<const double> numbers) {
  return static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(numbers.size()))));
}

std::string ShowEntry(std::size_t i, std::size_t j, double value) {
  return "entry " + std::to_string(i) + ", " + std::to_string(j) + " is " + ToYamlText(value);
}

std::size_t ReadCoordinate(const YamlValue::Entry& entry, const std::string& key) {
  std::size_t index = 0;
  const char* const end = entry.key.data() + entry.key.size();
  const auto [stop, error] = std::from_chars(entry.key.data(), end, index);
  if (error == std::errc() && stop == end && index < kMostCoordinates) return index;
  throw UserError(entry.where + ": " + key +
                  " has entries {i: {j: G_ij}} by coordinates that are counted from 0; '" +
                  entry.key + "' is none");
}

SkewGain ReadRows(const YamlValue& value, const std::string& key) {
  const std::size_t n = value.items.size();
  SkewGain gain{.numbers = {}, .is_whole = true};
  for (std::size_t i = 0; i < n; ++i) {
    const std::string row_key = key + "[" + std::to_string(i) + "]";
    const std::vector<double> row = ReadNumbers(value.items[i], row_key, NumberRange::kAny, false);
    if (row.size() != n) {
      throw UserError(value.items[i].where + ": " + row_key + " has " + std::to_string(row.size()) +
                      " numbers; a skew matrix of " + std::to_string(n) + " rows has " +
                      std::to_string(n) + " in each");
    }
    gain.numbers.insert(gain.numbers.end(), row.begin(), row.end());
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const double lower = gain.numbers[i * n + j], upper = gain.numbers[j * n + i];
      if (lower == -upper) continue;
      throw UserError(value.items[i].items[j].where + ": " + key +
                      " is not skew: " + ShowEntry(i, j, lower) +
                      (i == j ? "" : " and " + ShowEntry(j, i, upper)) + " (counted from 0)");
    }
  }
  return gain;
}

SkewGain ReadEntries(const YamlValue& value, const std::string& key) {
  std::map<std::pair<std::size_t, std::size_t>, double> entries;
  std::size_t n = 0;
  for (const YamlValue::Entry& row : value.entries) {
    const std::size_t i = ReadCoordinate(row, key);
    const std::string row_key = key + "." + row.key;
    if (row.value.kind != YamlValue::Kind::kMap) {
      throw UserError(row.value.where + ": " + row_key + " must be entries {j: G_ij} of row " +
                      row.key + ", not " + row.value.Describe());
    }
    for (const YamlValue::Entry& cell : row.value.entries) {
      const std::size_t j = ReadCoordinate(cell, key);
      const double x = ReadNumber(cell.value, row_key + "." + cell.key, NumberRange::kAny);
      const auto other = entries.find({j, i});
      if ((i == j && x != 0) || (other != entries.end() && other->second != -x)) {
        throw UserError(cell.value.where + ": " + key + " is not skew: " + ShowEntry(i, j, x) +
                        (i == j ? "" : " and " + ShowEntry(j, i, other->second)) +
                        " (counted from 0)");
      }
      entries[{i, j}] = x;
      n = std::max(n, std::max(i, j) + 1);
    }
  }
  SkewGain gain{.numbers = std::vector<double>(n * n, 0.0), .is_whole = false};
  for (const auto& [at, x] : entries) {
    gain.numbers[at.first * n + at.second] = x;
    gain.numbers[at.second * n + at.first] = x == 0 ? 0 : -x;
  }
  return gain;
}

}  // namespace

GainShape ShapeOf(const LawInfo& law, std::string_view key) {
  const auto found = std::ranges::find(law.parameters, key, &ParameterInfo::key);
  return found == law.parameters.end() ? GainShape::kCoordinates : found->shape;
}

Eigen::VectorXd ReadGain(const ParameterInfo& gain, const YamlValue& value, int nv) {
  const std::string key = "gains." + std::string(gain.key);
  try {
    if (gain.shape != GainShape::kSkew) {
      return Spread(key, ReadNumbers(value, key, gain.range, true),
                    gain.shape == GainShape::kScalar ? 1 : nv);
    }
    const std::vector<double> numbers = FitSkewGain(key, ReadSkewGain(value, key), nv);
    return Eigen::Map<const Eigen::VectorXd>(numbers.data(), std::ssize(numbers));
  } catch (const KeyError& error) {
    throw UserError(value.where + ": " + error.what());
  }
}

SkewGain ReadSkewGain(const YamlValue& value, const std::string& key) {
  if (value.kind == YamlValue::Kind::kList) return ReadRows(value, key);
  if (value.kind == YamlValue::Kind::kMap) return ReadEntries(value, key);
  if (value.kind == YamlValue::Kind::kScalar && value.text == "0" && !value.quoted) return {};
  throw UserError(value.where + ": " + key +
                  " must be the rows of a skew matrix, or entries {i: {j: G_ij}} of coordinates "
                  "counted from 0, not " +
                  value.Describe());
}

std::string WriteGain(GainShape shape, std::span<const double> numbers) {
  if (shape != GainShape::kSkew) {
    const bool uniform = !numbers.empty() && std::ranges::all_of(numbers, [&](double number) {
      return number == numbers.front();
    });
    return uniform ? ToYamlText(numbers.front())
                   : ToYamlText(std::vector<double>(numbers.begin(), numbers.end()));
  }
  const std::size_t n = SizeOf(numbers);
  std::string text;
  for (std::size_t i = 0; i < n; ++i) {
    std::string row;
    for (std::size_t j = i + 1; j < n; ++j) {
      const double x = numbers[i * n + j];
      if (x == 0) continue;
      row += (row.empty() ? "" : ", ") + std::to_string(j) + ": " + ToYamlText(x);
    }
    if (row.empty()) continue;
    text += (text.empty() ? "" : ", ") + std::to_string(i) + ": {" + row + "}";
  }
  return text.empty() ? "0" : "{" + text + "}";
}

std::vector<double> FitSkewGain(const std::string& key, const SkewGain& given, int nv) {
  const auto size = static_cast<std::size_t>(nv);
  const std::size_t n = SizeOf(given.numbers);
  if (n == 0 || n == size) return given.numbers;
  if (given.is_whole) {
    throw KeyError(key, key + " is " + std::to_string(n) + " × " + std::to_string(n) +
                            ", the model has nv = " + std::to_string(nv));
  }
  if (n > size) {
    throw KeyError(key, key + " has an entry of coordinate " + std::to_string(n - 1) +
                            "; those of the model are 0 to " + std::to_string(nv - 1));
  }
  std::vector<double> numbers(size * size, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) numbers[i * size + j] = given.numbers[i * n + j];
  }
  return numbers;
}

}  // namespace civita::internal
