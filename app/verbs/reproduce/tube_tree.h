#pragma once

#include <random>
#include <span>
#include <vector>

#include "civita/model.h"

namespace civita {

/// A mechanism of equal thin tubes of 1 m, 1 kg and 2 cm radius, each hinged to the far end of the
/// tube `parents[b]` < b that carries it (−1: to the world), without gravity. The hinge's axis z is
/// square to its tube x, and turned by `twist` (rad) about the carrying tube against that one's.
/// Coordinate b is the hinge of tube b.
Model TubeTree(std::span<const int> parents, double twist);

/// Parents of a serial chain, of a tree where each tube carries two (the last ones fewer), and of
/// one where each tube hangs on any of the earlier ones.
std::vector<int> ChainParents(int bodies);
std::vector<int> BinaryTreeParents(int bodies);
std::vector<int> RandomTreeParents(int bodies, std::mt19937_64* random);

/// Numbers in [0, high): the same ones on every machine.
Eigen::VectorXd UniformVector(int size, double high, std::mt19937_64* random);

}  // namespace civita
