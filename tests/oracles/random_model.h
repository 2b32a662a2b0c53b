#pragma once

#include <Eigen/Core>
#include <random>

#include "tests/oracles/tree_spec.h"

namespace civita {

struct RandomTreeOptions {
  int bodies = 7;
  bool armature = true;
  bool passive = false;    ///< damping, dry friction and springs, of tendons too
  bool helical = true;     ///< otherwise hinges instead, since MuJoCo has no helical joint
  bool free_root = false;  ///< the first body floats
  bool bushy = false;      ///< every parent at random, so that coordinates are not depth-first
};

/// A random tree with all features of joints: joints of all kinds, with anchors off the origin,
/// free bodies at roots, several joints on a body, bodies without joints, references, branches,
/// several trees, tilted gravity. The same seed gives the same tree. At least six DoF on the
/// longest path.
TreeSpec RandomTree(unsigned seed, const RandomTreeOptions& options = {});

/// Options of mechanisms for kernels, which treat floating bases specially and fill vectors of up
/// to eight numbers: every other seed has a floating base, half of these few bodies and half are
/// bushy.
RandomTreeOptions OptionsForKernels(unsigned seed);

/// Random configuration, velocities and accelerations of order 1. Quaternions have unit length.
Eigen::VectorXd RandomPosition(const TreeSpec& spec, std::mt19937* random);
Eigen::VectorXd RandomVector(int size, std::mt19937* random);

}  // namespace civita
