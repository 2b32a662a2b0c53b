#pragma once

#include <Eigen/Core>
#include <vector>

#include "app/verbs/reproduce/printed/cluster_algorithms.h"
#include "tests/oracles/tree_spec.h"

namespace civita {

/// One cluster for each body of an open tree, for the printed algorithms: all joints of a body form
/// one joint with d columns Φ (6 × d), which may change in the body's axes; that change is computed
/// by differences of the oracle's Jacobians. Without armature.
std::vector<printed::Cluster> MakeClusters(const TreeSpec& spec, const Eigen::VectorXd& q);

}  // namespace civita
