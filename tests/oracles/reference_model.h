#pragma once

#include <Eigen/Core>
#include <map>
#include <string>
#include <vector>

#include "tests/oracles/tree_spec.h"

namespace civita {

/// A file of tests/data/reference (formats rbd-oracle-1 and rbd-oracle-cluster-1, see its README):
/// the mechanism, for clusters its spanning tree, and for each state the numbers by their name in
/// the file, vectors as one column and scalars as 1×1.
struct ReferenceModel {
  std::string name;
  bool cluster = false;
  TreeSpec spec;
  Eigen::MatrixXd G;  ///< rotors: full velocities as a function of independent ones
  using Values = std::map<std::string, Eigen::MatrixXd>;
  /// Trees: converted to MuJoCo's velocities, forces and order of q. Clusters: as in the file.
  std::vector<Values> states;
};

/// The names of the files, all of which must exist.
const std::vector<std::string>& ReferenceModelNames();

/// @throws std::runtime_error when the file is missing or invalid, so that no test is skipped.
ReferenceModel LoadReferenceModel(const std::string& directory, const std::string& name);

}  // namespace civita
