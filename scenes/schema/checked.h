#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <string>
#include <vector>

#include "civita/model.h"

// Conversion of a config's numbers to vectors, checked against the model. @throws KeyError.

namespace civita::internal {

inline Eigen::Map<const Eigen::VectorXd> AsVector(const std::vector<double>& numbers) {
  return {numbers.data(), static_cast<Eigen::Index>(numbers.size())};
}

/// Requires a list of exactly `size` numbers, which is the model's `what`.
void CheckLength(const std::string& key, size_t given, int size, const char* what);

/// Expands one number to all nv coordinates, or takes nv numbers.
Eigen::VectorXd Spread(const std::string& key, const std::vector<double>& given, int nv);

/// Normalizes a quaternion. @returns whether it could: its length is neither about zero nor beyond
/// the largest number.
bool Normalize(Eigen::Ref<Eigen::Vector4d> quaternion);

/// A configuration of the model with its quaternions normalized.
Eigen::VectorXd CheckedPosition(const Model& model, const std::string& key,
                                const std::vector<double>& given);

/// Requires three numbers.
Eigen::Vector3d CheckedPoint(const std::string& key, const std::vector<double>& given);

}  // namespace civita::internal
