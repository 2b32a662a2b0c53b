#pragma once

#include <Eigen/Core>
#include <vector>

#include "tests/oracles/coriolis_routes.h"
#include "tests/oracles/tree_spec.h"

namespace civita {

/// Algorithms 1 and 2 of [WES], section VI-C, as printed: dense blocks, body axes, transforms from
/// body to body, one cluster for each body. All joints of a body of the spec form one joint with d
/// columns Φ_i (6 × d), which may change in the body's axes; that change is computed by
/// differences of the oracle's Jacobians. Without armature.

/// C of algorithm 1, Christoffel-consistent.
Eigen::MatrixXd CalcClusterCoriolis(const TreeSpec& spec, const Eigen::VectorXd& q,
                                    const Eigen::VectorXd& v);

/// Γ of algorithm 2, the generalized Christoffel symbols.
SymbolSlices CalcClusterSymbols(const TreeSpec& spec, const Eigen::VectorXd& q);

}  // namespace civita
