#pragma once

#include <random>
#include <span>
#include <vector>

#include "civita/model.h"

namespace civita {

/// A mechanism of equal thin tubes of 1 m, 1 kg and 2 cm radius, each hinged to the far end of its
/// parent `parents[b]` < b (−1: to the world), without gravity. The hinge's axis z is
/// perpendicular to its tube x, and rotated by `twist` (rad) about the parent tube relative to the
/// parent's axis. Coordinate b is the hinge of tube b.
Model TubeTree(std::span<const int> parents, double twist);

/// Parents of a serial chain, of a complete binary tree, and of a random tree in which each tube
/// is attached to any of the earlier ones.
std::vector<int> ChainParents(int bodies);
std::vector<int> BinaryTreeParents(int bodies);
std::vector<int> RandomTreeParents(int bodies, std::mt19937_64* random);

/// Uniform in [0, high), identical on every machine.
Eigen::VectorXd UniformVector(int size, double high, std::mt19937_64* random);

}  // namespace civita
