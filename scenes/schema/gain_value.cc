#include "civita/scenes/schema/gain_value.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
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

/// The entries of a skew matrix that have been read.
class SkewEntries {
 public:
  explicit SkewEntries(std::string key) : key_(std::move(key)) {}

  void Add(std::size_t i, std::size_t j, double x, const std::string& where) {
    const auto other = entries_.find({j, i});
    if ((i == j && x != 0) || (other != entries_.end() && other->second != -x)) {
      throw UserError(where + ": " + key_ + " is not skew: " + ShowEntry(i, j, x) +
                      (i == j ? "" : " and " + ShowEntry(j, i, other->second)) +
                      " (counted from 0)");
    }
    entries_[{i, j}] = x;
    n_ = std::max(n_, std::max(i, j) + 1);
  }
  std::vector<double> Rows() const {
    std::vector<double> numbers(n_ * n_, 0.0);
    for (const auto& [at, x] : entries_) {
      numbers[at.first * n_ + at.second] = x;
      numbers[at.second * n_ + at.first] = x == 0 ? 0 : -x;
    }
    return numbers;
  }

 private:
  std::string key_;
  std::map<std::pair<std::size_t, std::size_t>, double> entries_;
  std::size_t n_ = 0;
};

std::size_t ReadCoordinate(const YamlValue::Entry& entry, const std::string& key) {
  std::size_t index = 0;
  const char* const end = entry.key.data() + entry.key.size();
  const auto [stop, error] = std::from_chars(entry.key.data(), end, index);
  if (error == std::errc() && stop == end && index < kMostCoordinates) return index;
  throw UserError(entry.where + ": " + key +
                  " has entries {i: {j: G_ij}} by coordinates that are counted from 0; '" +
                  entry.key + "' is none");
}

GivenGain ReadRows(const YamlValue& value, const std::string& key) {
  const std::size_t n = value.items.size();
  SkewEntries entries(key);
  for (std::size_t i = 0; i < n; ++i) {
    const YamlValue& item = value.items[i];
    const std::string row_key = key + "[" + std::to_string(i) + "]";
    const std::vector<double> row = ReadNumbers(item, row_key, NumberRange::kAny, false);
    if (row.size() != n) {
      throw UserError(item.where + ": " + row_key + " has " + std::to_string(row.size()) +
                      " numbers; a skew matrix of " + std::to_string(n) + " rows has " +
                      std::to_string(n) + " in each");
    }
    for (std::size_t j = 0; j < n; ++j) entries.Add(i, j, row[j], item.items[j].where);
  }
  return {entries.Rows()};
}

GivenGain ReadEntries(const YamlValue& value, const std::string& key) {
  SkewEntries entries(key);
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
      entries.Add(i, j, x, cell.value.where);
    }
  }
  return {entries.Rows(), false};
}

GivenGain ReadSkewGain(const YamlValue& value, const std::string& key) {
  if (value.kind == YamlValue::Kind::kList) return ReadRows(value, key);
  if (value.kind == YamlValue::Kind::kMap) return ReadEntries(value, key);
  if (value.kind == YamlValue::Kind::kScalar && value.text == "0" && !value.quoted) return {{0.0}};
  throw UserError(value.where + ": " + key +
                  " must be the rows of a skew matrix, or entries {i: {j: G_ij}} of coordinates "
                  "counted from 0, not " +
                  value.Describe());
}

Eigen::VectorXd FitSkewGain(const std::string& key, const GivenGain& given, int nv) {
  const auto size = static_cast<Eigen::Index>(nv);
  const auto n = static_cast<Eigen::Index>(SizeOf(given.numbers));
  if (n == 0 || (n == 1 && given.numbers[0] == 0)) return {};
  if (n != size && given.is_whole) {
    throw KeyError(key, key + " is " + std::to_string(n) + " × " + std::to_string(n) +
                            ", the model has nv = " + std::to_string(nv));
  }
  if (n > size) {
    throw KeyError(key, key + " has an entry of coordinate " + std::to_string(n - 1) +
                            "; those of the model are 0 to " + std::to_string(nv - 1));
  }
  // By columns, as the first numbers are those of the given rows' transpose.
  Eigen::MatrixXd columns = Eigen::MatrixXd::Zero(size, size);
  columns.topLeftCorner(n, n) = AsVector(given.numbers).reshaped(n, n);
  return columns.reshaped();
}

}  // namespace

std::string KeyOf(const ParameterInfo& gain) { return "gains." + std::string(gain.key); }

GainShape ShapeOf(const LawInfo& law, std::string_view key) {
  const auto found = std::ranges::find(law.parameters, key, &ParameterInfo::key);
  return found == law.parameters.end() ? GainShape::kCoordinates : found->shape;
}

GivenGain ReadGain(const ParameterInfo& gain, const YamlValue& value) {
  if (gain.shape == GainShape::kSkew) return ReadSkewGain(value, KeyOf(gain));
  return {ReadNumbers(value, KeyOf(gain), gain.range, true)};
}

Eigen::VectorXd FitGain(const ParameterInfo& gain, const GivenGain& given, int nv) {
  if (gain.shape == GainShape::kSkew) return FitSkewGain(KeyOf(gain), given, nv);
  return Spread(KeyOf(gain), given.numbers, gain.shape == GainShape::kScalar ? 1 : nv);
}

Eigen::VectorXd ReadGain(const ParameterInfo& gain, const YamlValue& value, int nv) {
  try {
    return FitGain(gain, ReadGain(gain, value), nv);
  } catch (const KeyError& error) {
    throw UserError(value.where + ": " + error.what());
  }
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

}  // namespace civita::internal
