#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "civita/scenes/scene.h"

namespace civita {

/// Why a run left the finite numbers, and what helps: from the numbers of one control step at its
/// last finite state. `gains` in the order of the law's parameters.
std::string DescribeCause(const SceneData& scene, const std::vector<Eigen::VectorXd>& gains,
                          const Factorization& factorization, const Eigen::VectorXd& q,
                          const Eigen::VectorXd& v);

}  // namespace civita
