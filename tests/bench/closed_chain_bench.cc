#include <benchmark/benchmark.h>

#include <random>
#include <string>
#include <vector>

#include "core/change_of_coordinates.h"
#include "core/christoffel.h"
#include "core/cluster_dynamics.h"
#include "core/coriolis.h"

// Closed chains by the block structure of A against the same by dense matrices: a chain of N
// joints, each with a geared rotor beside it or with a four-bar in its place, branching or not.
// What grows with N·d in one grows with N³ in the other.

namespace civita {
namespace {

MassProperties Link() {
  return {1, {0.1, 0.02, 0.01}, Eigen::Vector3d(0.01, 0.02, 0.015).asDiagonal()};
}

/// `joints` links as a binary tree, each with a rotor on its parent that turns ten times as fast.
ClusterModel MakeGearedTree(int joints) {
  ModelBuilder builder;
  LoopClosures loops;
  std::vector<int> bodies;
  for (int i = 0; i < joints; ++i) {
    const int parent = i == 0 ? ModelBuilder::kWorld : bodies[static_cast<size_t>((i - 1) / 2)];
    const Pose place{Eigen::Matrix3d::Identity(), {0.2, 0.05, i % 2 == 0 ? 0.1 : -0.1}};
    const std::string name = std::to_string(i);
    const Eigen::Vector3d axis = Eigen::Vector3d::Unit(i % 3);
    bodies.push_back(builder.AddBody("link" + name, parent, place, Link()));
    builder.AddJoint(bodies.back(), JointType::kHinge, {.name = "joint" + name, .axis = axis});
    const int rotor = builder.AddBody("rotor" + name, parent, place, Link());
    builder.AddJoint(rotor, JointType::kHinge, {.name = "rotor" + name, .axis = axis});
    loops.joints.push_back(
        {.name = "gear" + name, .joint = 2 * i + 1, .leader = 2 * i, .polynomial = {0, 10}});
  }
  return {builder.Build(), loops};
}

/// `loops` four-bars, each on the coupler of the one before.
ClusterModel MakeFourBarChain(int number) {
  ModelBuilder builder;
  LoopClosures loops;
  int ground = ModelBuilder::kWorld;
  const auto add = [&](const std::string& name, int parent, const Eigen::Vector3d& p) {
    const int body = builder.AddBody(name, parent, {Eigen::Matrix3d::Identity(), p}, Link());
    builder.AddJoint(body, JointType::kHinge, {.name = name, .axis = {0, 1, 0}});
    return body;
  };
  for (int i = 0; i < number; ++i) {
    const std::string name = std::to_string(i);
    const int crank = add("crank" + name, ground, {0, 0, 0.1});
    const int coupler = add("coupler" + name, crank, {0.1, 0, 0.2});
    const int rocker = add("rocker" + name, ground, {0.4, 0, 0.1});
    loops.frames.push_back({.name = "loop" + name,
                            .a = {.frame = coupler, .point = {0.35, 0, 0.05}},
                            .b = {.frame = rocker, .point = {0.05, 0, 0.25}}});
    ground = coupler;
  }
  return {builder.Build(), loops};
}

struct Bench {
  explicit Bench(ClusterModel built)
      : model(std::move(built)), workspace(model), change(model.nv(), model.nw()) {
    std::mt19937 random(1);
    std::normal_distribution<double> normal;
    w.resize(model.nw());
    for (double& x : w) x = normal(random);
    C = H = Eigen::MatrixXd::Zero(model.nw(), model.nw());
    tree_Gamma.resize(ChristoffelIndex(model.nv(), 0, 0, model.nv()));
    Gamma.resize(ChristoffelIndex(model.nw(), 0, 0, model.nw()));
  }
  bool Update() {
    w[0] = -w[0];
    return UpdateKinematics(model, model.closed_start(), w, workspace).ok();
  }

  ClusterModel model;
  ClusterWorkspace<double> workspace;
  CoordinateChange<double> change;
  Eigen::VectorXd w;
  Eigen::MatrixXd C, H;
  std::vector<double> tree_Gamma, Gamma;
};

template <typename Make>
void BlockCoriolis(benchmark::State& state, Make make) {
  Bench bench(make(static_cast<int>(state.range(0))));
  for (auto _ : state) {
    if (!bench.Update()) state.SkipWithError("singular");
    CalcCoriolisMatrix(bench.model, {}, bench.workspace, bench.C, bench.H);
    benchmark::DoNotOptimize(bench.C.data());
    benchmark::ClobberMemory();
  }
  state.counters["nv"] = bench.model.nv();
}

/// The same by AᵀCA + AᵀHȦ with whole matrices.
template <typename Make>
void DenseCoriolis(benchmark::State& state, Make make) {
  Bench bench(make(static_cast<int>(state.range(0))));
  const Model& tree = bench.model.tree();
  for (auto _ : state) {
    if (!bench.Update()) state.SkipWithError("singular");
    CalcCoriolisMatrix(tree, {}, bench.workspace.tree, bench.workspace.C, bench.workspace.H);
    CalcClusterFrame(bench.model, bench.workspace, bench.change.A);
    CalcClusterFrameRate(bench.model, bench.workspace, bench.change.Adot);
    ChangeCoriolisMatrix(bench.change, bench.workspace.C, bench.workspace.H, bench.C);
    ChangeMassMatrix(bench.change, bench.workspace.H, bench.H);
    benchmark::DoNotOptimize(bench.C.data());
    benchmark::ClobberMemory();
  }
  state.counters["nv"] = bench.model.nv();
}

template <typename Make>
void BlockChristoffel(benchmark::State& state, Make make) {
  Bench bench(make(static_cast<int>(state.range(0))));
  for (auto _ : state) {
    if (!bench.Update()) state.SkipWithError("singular");
    CalcChristoffelSymbols<double>(bench.model, bench.workspace, bench.tree_Gamma, bench.Gamma);
    benchmark::DoNotOptimize(bench.Gamma.data());
    benchmark::ClobberMemory();
  }
  state.counters["nv"] = bench.model.nv();
}

const bool kRegistered = [] {
  const auto add = [](const char* name, auto function, auto make) {
    benchmark::RegisterBenchmark(name, [=](benchmark::State& state) { function(state, make); })
        ->RangeMultiplier(2)
        ->Range(5, 40)
        ->Unit(benchmark::kMicrosecond);
  };
  add("geared_tree/coriolis/blocks", BlockCoriolis<decltype(&MakeGearedTree)>, &MakeGearedTree);
  add("geared_tree/coriolis/dense", DenseCoriolis<decltype(&MakeGearedTree)>, &MakeGearedTree);
  add("geared_tree/christoffel/blocks", BlockChristoffel<decltype(&MakeGearedTree)>,
      &MakeGearedTree);
  add("four_bar_chain/coriolis/blocks", BlockCoriolis<decltype(&MakeFourBarChain)>,
      &MakeFourBarChain);
  add("four_bar_chain/coriolis/dense", DenseCoriolis<decltype(&MakeFourBarChain)>,
      &MakeFourBarChain);
  add("four_bar_chain/christoffel/blocks", BlockChristoffel<decltype(&MakeFourBarChain)>,
      &MakeFourBarChain);
  return true;
}();

}  // namespace
}  // namespace civita
