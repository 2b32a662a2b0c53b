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

/// "gains.K_D".
std::string KeyOf(const ParameterInfo& gain);

/// A gain as it is given, while the model is not known.
struct GivenGain {
  std::vector<double> numbers;  ///< one or some; n² of a skew matrix by rows, or one 0
  bool is_whole = true;         ///< else entries of a skew matrix, whose n is that of the largest
};

/// @throws UserError with the place of what is no value of this gain: numbers out of its range, a
/// matrix that is not skew.
GivenGain ReadGain(const ParameterInfo& gain, const YamlValue& value);

/// The numbers for a model with nv velocities, as Controller::set_gain takes them. @throws KeyError
/// for a list or rows of another length, and for entries of coordinates that the model does not
/// have.
Eigen::VectorXd FitGain(const ParameterInfo& gain, const GivenGain& given, int nv);

/// Both. @throws UserError with the place.
Eigen::VectorXd ReadGain(const ParameterInfo& gain, const YamlValue& value, int nv);

/// The value as YAML's text: of a skew matrix the entries above its diagonal that are not 0, or 0;
/// of others a list, or one number where all are the same.
std::string WriteGain(GainShape shape, std::span<const double> numbers);

}  // namespace civita::internal
