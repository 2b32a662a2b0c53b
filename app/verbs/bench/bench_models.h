// The mechanisms of [EW], section 5, with random numbers from a fixed seed, identical on every
// machine: general values, so that no algorithm can skip work.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "civita/model.h"

namespace civita {

struct BenchBody {
  int parent = ModelBuilder::kWorld;  ///< index of an earlier body
  bool free = false;                  ///< a free joint, otherwise a hinge about `axis`
  Pose X_PB;
  Eigen::Vector3d axis = Eigen::Vector3d::UnitZ();  ///< through the body's origin, in its axes
  MassProperties mass;
};

/// A library-independent description of a mechanism, from which other libraries build their own
/// models. Bodies are numbered depth-first; each has one joint, and coordinates are in the same
/// order.
struct BenchModel {
  std::string name;
  std::vector<BenchBody> bodies;
};

/// `chainN` (a serial chain of N hinges), `treeN` (the complete binary tree of N hinges), `bipedN`
/// and `quadrupedN` (a floating body with N hinges distributed evenly over two or four legs), N
/// from 1 to kLargestBenchModel. nullopt for any other name.
std::optional<BenchModel> MakeBenchModel(std::string_view name);
constexpr int kLargestBenchModel = 300;

/// The point of the last body whose motion is computed, in its axes, m.
inline Eigen::Vector3d BenchPoint() { return {0.1, -0.2, 0.3}; }

Model Build(const BenchModel& model);

/// Bodies of Model::bodies() at the ends of a floating mechanism's legs; empty if it has none.
std::vector<int> FindFeet(const Model& model);

/// A mechanism to be timed.
struct NamedModel {
  std::string name;
  Model model;
};

/// A model of MakeBenchModel, a scene, an MJCF or a URDF file. @throws UserError that lists the
/// choices.
NamedModel FindModel(const std::string& name);

}  // namespace civita
