#pragma once

#include <Eigen/Core>
#include <vector>

#include "civita/tensor3.h"

// Algorithms 1 and 2 of [WES], section VI-C, as printed: dense matrices, twists [angular; linear]
// in each body's own axes about its origin.

namespace civita::printed {

/// A cluster of n bodies that move together by d coordinates: v = X v_parent + Φ v̄, bodies one
/// below the other.
struct Cluster {
  int parent = -1;               ///< −1 the world; less than its own index
  std::vector<int> coordinates;  ///< indices of its d coordinates in v̄
  Eigen::MatrixXd X;             ///< 6n × 6n of the parent; empty at the world
  Eigen::MatrixXd I;             ///< 6n × 6n, block-diagonal
  Eigen::MatrixXd Phi;           ///< 6n × d
  /// ∂Φ̊/∂v̄_a, the rate of Φ in the bodies' own axes along its coordinate a, by a.
  std::vector<Eigen::MatrixXd> Phi_rates;
};

/// C of algorithm 1, Christoffel-consistent, at velocity v̄.
Eigen::MatrixXd CalcClusterCoriolis(std::vector<Cluster> clusters, const Eigen::VectorXd& v);

/// Γ of algorithm 2, the generalized Christoffel symbols, of n coordinates in all.
Tensor3 CalcClusterSymbols(std::vector<Cluster> clusters, int n);

}  // namespace civita::printed
