#pragma once

#include <Eigen/Core>
#include <vector>

#include "app/verbs/reproduce/printed/cluster_algorithms.h"
#include "civita/velocity_space.h"

namespace civita::printed {

/// The clusters of a closed chain at a configuration q (nq numbers) of its tree: the bodies that a
/// group of loops couples are one cluster, every other body is one of its own. v̄ is w of the model;
/// the rates of Φ are exact, by dual numbers. Without armature. @throws ContractError if a
/// cluster is singular at q or hangs on two others, so that the clusters are no tree.
std::vector<Cluster> MakeClusterTree(const VelocitySpace& model, const Eigen::VectorXd& q);

}  // namespace civita::printed
