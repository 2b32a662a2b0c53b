#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "civita/controllers/law_info.h"
#include "civita/scenes/schema/yaml_value.h"

// A gain that is a skew matrix (GainShape::kSkew) as text: its rows, or entries on one side of the
// diagonal by coordinates that are counted from 0, {i: {j: G_ij}}, which dots of a path reach
// (gains.G.0.1). What else is 0.

namespace civita::internal {

/// Whether this gain of the law is a skew matrix.
bool IsSkewGain(const LawInfo& law, std::string_view key);

/// A skew matrix by rows.
struct SkewGain {
  std::vector<double> numbers;  ///< n² numbers; none: zero
  bool is_whole = false;        ///< n is that of the rows given, not of the largest entry
};

/// Reads the rows, the entries, or 0. @throws UserError with the place for anything else and for a
/// matrix that is not skew.
SkewGain ReadSkewGain(const YamlValue& value, const std::string& key);

/// The entries of a skew matrix by rows above its diagonal that are not 0; none: nullopt.
std::optional<std::string> WriteSkewGain(std::span<const double> numbers);

/// The numbers as those of an nv × nv matrix. @throws KeyError for rows of another length, and for
/// entries of coordinates that the model does not have.
std::vector<double> FitSkewGain(const std::string& key, const SkewGain& given, int nv);

}  // namespace civita::internal
