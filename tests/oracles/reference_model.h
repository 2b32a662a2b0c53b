#pragma once

#include <Eigen/Core>
#include <map>
#include <string>
#include <vector>

#include "tests/oracles/tree_spec.h"

namespace civita {

/// One file of tests/data/reference (formats rbd-oracle-1 and rbd-oracle-cluster-1, see its
/// README): the mechanism, for clusters its spanning tree, and per state the numbers by their name
/// in the file, vectors as one column and scalars as 1×1.
struct ReferenceModel {
  std::string name;
  bool cluster = false;
  TreeSpec spec;
  Eigen::MatrixXd G;  ///< rotors: full velocities per independent ones
  using Values = std::map<std::string, Eigen::MatrixXd>;
  /// Trees: converted to MuJoCo's velocities, forces and order of q. Clusters: as in the file.
  std::vector<Values> states;
};

/// The names of the files that must be there.
const std::vector<std::string>& ReferenceModelNames();

/// @throws std::runtime_error when the file is missing or is not what it should be: never skip.
ReferenceModel LoadReferenceModel(const std::string& directory, const std::string& name);

}  // namespace civita
