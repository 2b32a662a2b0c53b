#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "civita/model.h"

// The mechanisms of [EW], section 5, with numbers drawn from a fixed seed, the same ones on every
// machine: nothing in them is special, so that no algorithm can skip work.

namespace civita {

struct BenchBody {
  int parent = ModelBuilder::kWorld;  ///< index of an earlier body
  bool free = false;                  ///< a free joint, else a hinge about `axis`
  Pose X_PB;
  Eigen::Vector3d axis = Eigen::Vector3d::UnitZ();  ///< through the body's origin, in its axes
  MassProperties mass;
};

/// A mechanism in its plainest form, from which every library can build a model of its own. Bodies
/// are numbered depth-first; every one has one joint, and the coordinates are in the same order.
struct BenchModel {
  std::string name;
  std::vector<BenchBody> bodies;
};

/// `chainN` (N hinges in a row), `treeN` (the complete binary tree of N hinges), `bipedN` and
/// `quadrupedN` (a floating body with N hinges in two or four legs, as equal as can be), N from 1
/// to kLargestBenchModel. Nothing if the name is none of these.
std::optional<BenchModel> MakeBenchModel(std::string_view name);
constexpr int kLargestBenchModel = 300;

Model Build(const BenchModel& model);

/// The same as an MJCF file.
std::string ToMjcf(const BenchModel& model);

}  // namespace civita
