#pragma once

#include <Eigen/Core>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "civita/controllers/law_info.h"
#include "civita/scenes/schema/yaml_value.h"

// Gains as text, by their shape (GainShape): one number or a list; of a skew matrix its rows, or
// entries on one side of the diagonal by coordinates that are counted from 0, {i: {j: G_ij}}, which
// dots of a path reach (gains.G.0.1). What else is 0.

namespace civita::internal {

/// The shape of the law's gain with this key; kCoordinates if it has none.
GainShape ShapeOf(const LawInfo& law, std::string_view key);

/// The numbers of a gain's value for a model with nv velocities, as Controller::set_gain takes
/// them. @throws UserError with the place.
Eigen::VectorXd ReadGain(const ParameterInfo& gain, const YamlValue& value, int nv);

/// The value as YAML's text: of a skew matrix the entries above its diagonal that are not 0, or 0;
/// of others a list, or one number where all are the same.
std::string WriteGain(GainShape shape, std::span<const double> numbers);

/// A skew matrix by rows.
struct SkewGain {
  std::vector<double> numbers;  ///< n² numbers; none: zero
  bool is_whole = false;        ///< n is that of the rows given, not of the largest entry
};

/// Reads the rows, the entries, or 0. @throws UserError with the place for anything else and for a
/// matrix that is not skew.
SkewGain ReadSkewGain(const YamlValue& value, const std::string& key);

/// The numbers as those of an nv × nv matrix. @throws KeyError for rows of another length, and for
/// entries of coordinates that the model does not have.
std::vector<double> FitSkewGain(const std::string& key, const SkewGain& given, int nv);

}  // namespace civita::internal
