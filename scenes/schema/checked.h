#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <string>
#include <vector>

#include "scenes/scene.h"
#include "scenes/schema/config.h"

// Numbers of a config as vectors, checked against the model. @throws UserError with the key's
// place.

namespace civita::internal {

inline Eigen::Map<const Eigen::VectorXd> AsVector(const std::vector<double>& numbers) {
  return {numbers.data(), static_cast<Eigen::Index>(numbers.size())};
}

/// A whole vector of `size` numbers, which is the model's `what`.
void CheckLength(const SceneConfig& config, const std::string& key, size_t given, int size,
                 const char* what);

/// One number for all coordinates, or nv.
Eigen::VectorXd Spread(const SceneConfig& config, const std::string& key,
                       const std::vector<double>& given, int nv);

/// A configuration of the plant, its quaternions made of unit length.
Eigen::VectorXd CheckedPosition(const Scene& scene, const std::string& key,
                                const std::vector<double>& given);

}  // namespace civita::internal
