#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <string>
#include <vector>

#include "civita/model.h"

// Numbers of a config as vectors, checked against the model. @throws KeyError.

namespace civita::internal {

inline Eigen::Map<const Eigen::VectorXd> AsVector(const std::vector<double>& numbers) {
  return {numbers.data(), static_cast<Eigen::Index>(numbers.size())};
}

/// A whole vector of `size` numbers, which is the model's `what`.
void CheckLength(const std::string& key, size_t given, int size, const char* what);

/// One number for all coordinates, or nv.
Eigen::VectorXd Spread(const std::string& key, const std::vector<double>& given, int nv);

/// A configuration of the model, its quaternions made of unit length.
Eigen::VectorXd CheckedPosition(const Model& model, const std::string& key,
                                const std::vector<double>& given);

/// Three numbers.
Eigen::Vector3d CheckedPoint(const std::string& key, const std::vector<double>& given);

}  // namespace civita::internal
