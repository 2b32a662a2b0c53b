#pragma once

#include <Eigen/Core>
#include <random>

#include "tests/oracles/tree_spec.h"

namespace civita {

struct RandomTreeOptions {
  int bodies = 7;
  bool armature = true;
  bool passive = false;    ///< damping, dry friction and springs
  bool helical = true;     ///< else hinges instead: MuJoCo has no helical joint
  bool free_root = false;  ///< the first body floats
  bool bushy = false;      ///< every parent at random, so that coordinates are not depth-first
};

/// A random tree with whatever joints can have: joints of all kinds, with anchors off the origin,
/// free bodies at roots, several joints on a body, bodies without joints, references, branches,
/// several trees, tilted gravity. The same seed gives the same tree. Never less than six
/// DoF on the longest path.
TreeSpec RandomTree(unsigned seed, const RandomTreeOptions& options = {});

/// Mechanisms for kernels, which treat floating bases by themselves and fill vectors of up to eight
/// numbers: every other seed has one, half of these with few bodies and half of them bushy.
RandomTreeOptions OptionsForKernels(unsigned seed);

/// A configuration and velocities, accelerations, … of order 1. Quaternions have unit length.
Eigen::VectorXd RandomPosition(const TreeSpec& spec, std::mt19937* random);
Eigen::VectorXd RandomVector(int size, std::mt19937* random);

}  // namespace civita
