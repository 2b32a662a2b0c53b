// Algorithms 1 and 2 of [WES], section VI-C, as printed, beside the algorithms of this program: by
// the spanning tree and the sparse congruence of the loops.

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/verbs/bench/measure.h"
#include "app/verbs/reproduce/printed/cluster_algorithms.h"
#include "app/verbs/reproduce/printed/cluster_tree.h"
#include "app/verbs/reproduce/reproduce.h"
#include "app/verbs/reproduce/reproduction.h"
#include "civita/error.h"
#include "civita/manifold.h"
#include "civita/mujoco/constraints.h"
#include "civita/mujoco/convert.h"
#include "civita/scenes/plant/model_file.h"
#include "civita/scenes/schema/config.h"
#include "civita/space_dynamics.h"
#include "civita/space_kinematics.h"

namespace civita {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr double kSame = 1e-12;
/// Gear ratios of about a hundred, whose squares multiply what cancels, cost two digits.
constexpr double kSameGeared = 1e-10;

/// The closed chain of a scene, without armature, which the printed algorithms do not have.
VelocitySpace LoadChain(const char* scene) {
  const SceneConfig config = ReadConfig(scene);
  std::vector<std::string> notices;
  ModelReading reading;
  reading.simulated = false;
  const MjModelPtr m = LoadModelFile(config.model, reading, &notices);
  std::fill_n(m->dof_armature, m->nv, 0.0);
  const Model tree = BuildModel(*m);
  return {tree, ReadConstraints(*m, tree)};
}

/// A chain of parallelograms, each on the coupler of the one before and turned about its length by
/// a quarter.
VelocitySpace ParallelogramChain(int clusters) {
  constexpr double kWide = 0.2, kLong = 0.4;  // m
  ModelBuilder builder;
  Eigen::Matrix3d quarter;
  quarter << 0, -1, 0, 1, 0, 0, 0, 0, 1;
  const Eigen::Matrix3d bar = Vector3d(0.005, 0.005, 0.0005).asDiagonal();
  int parent = ModelBuilder::kWorld;
  for (int i = 0; i < clusters; ++i) {
    const std::string n = std::to_string(i);
    const Pose base{i == 0 ? Eigen::Matrix3d(Eigen::Matrix3d::Identity()) : quarter,
                    Vector3d(0, 0, i == 0 ? 0 : 0.05)};
    const auto add = [&](const char* name, int on, const Pose& pose, double mass) {
      const int body =
          builder.AddBody(name + n, on, pose, {mass, Vector3d(0, 0.02, kLong / 2), mass * bar});
      builder.AddJoint(body, JointType::kHinge, {.name = name + n, .axis = {0, 1, 0}});
      return body;
    };
    const Pose beside{base.R, base.p + base.R * Vector3d(kWide, 0, 0)};
    const int crank = add("crank", parent, base, 1.2);
    add("rocker", parent, beside, 0.9);
    parent = add("coupler", crank, {Eigen::Matrix3d::Identity(), {0, 0, kLong}}, 0.7);
  }
  const Model tree = builder.Build();
  Constraints loops;
  for (int i = 0; i < clusters; ++i) {
    const std::string n = std::to_string(i);
    loops.rigid.push_back({.name = "loop" + n,
                           .A = tree.FindFrame("coupler" + n),
                           .B = tree.FindFrame("rocker" + n),
                           .point_A = {kWide, 0, 0},
                           .point_B = {0, 0, kLong}});
  }
  return {tree, loops, {.independent = {}, .start = {}}};
}

/// Our C̄ and Γ̄ at the workspace's state.
struct Ours {
  MatrixXd C, H;
  Tensor3 Gamma, tree_Gamma;
};

/// Moves from the closed start along w for a while, and takes the state there.
VectorXd MoveAlong(const VelocitySpace& model, const VectorXd& w,
                   SpaceWorkspace<double>& workspace) {
  VectorXd q = model.closed_start();
  const auto update = [&] {
    const Status status = UpdateKinematics<double>(model, q, w, workspace);
    CIVITA_CHECK(status.ok(), Describe(model, status));
  };
  update();
  for (int step = 0; step < 20; ++step) {
    IntegratePosition(model.tree(), VectorXd(q), workspace.tree().v(), 0.02, q);
    const Status status = CloseLoops(model, workspace, q);
    CIVITA_CHECK(status.ok(), Describe(model, status));
    update();
  }
  return q;
}

/// Both from the kinematics at hand: poses, A and Ȧ, or Φ and its rates.
void CompareChain(const std::string& name, const VelocitySpace& model, double same,
                  Reproduction* reproduction) {
  const int nw = model.nw();
  SpaceWorkspace<double> workspace(model);
  const VectorXd w = VectorXd::NullaryExpr(
      nw, [](Eigen::Index a) { return std::cos(0.4 + 1.3 * static_cast<double>(a)); });
  const VectorXd q = MoveAlong(model, w, workspace);
  const std::vector<printed::Cluster> clusters = printed::MakeClusterTree(model, q);
  Ours ours{MatrixXd(nw, nw), MatrixXd(nw, nw), Tensor3(nw), Tensor3(model.nv())};
  const auto coriolis = [&] {
    CalcCoriolisMatrix(model, {}, workspace, {.C = ours.C, .H = ours.H});
  };
  const auto symbols = [&] {
    CalcChristoffelSymbols<double>(model, workspace, ours.tree_Gamma.numbers(),
                                   ours.Gamma.numbers());
  };
  MatrixXd C;
  Tensor3 Gamma(nw);
  const auto algorithm1 = [&] { C = printed::CalcClusterCoriolis(clusters, w); };
  const auto algorithm2 = [&] { Gamma = printed::CalcClusterSymbols(clusters, nw); };
  coriolis();
  symbols();
  algorithm1();
  algorithm2();
  const double size = std::max(ours.C.cwiseAbs().maxCoeff(), 1e-3);
  reproduction->ExpectAtMost(name + ": C of algorithm 1 against ours, relative",
                             (C - ours.C).cwiseAbs().maxCoeff() / size, same);
  reproduction->ExpectAtMost(name + ": Γ of algorithm 2 against ours, relative",
                             (Gamma - ours.Gamma).MaxAbs() / std::max(ours.Gamma.MaxAbs(), 1e-3),
                             same);
  if (reproduction->ShouldStop(name)) return;
  constexpr double kSeconds = 0.05;
  const auto times = TimeInTurn(kSeconds, coriolis, algorithm1, symbols, algorithm2);
  reproduction->Record(name + ": our C, µs", 1e6 * times[0].median);
  reproduction->Record(name + ": time of C, printed over ours", times[1].median / times[0].median);
  reproduction->Record(name + ": our Γ, µs", 1e6 * times[2].median);
  reproduction->Record(name + ": time of Γ, printed over ours", times[3].median / times[2].median);
}

}  // namespace

void ReproduceClusters(Reproduction* reproduction) {
  CompareChain("four_bar", LoadChain("four_bar"), kSame, reproduction);
  CompareChain("geared_arm", LoadChain("geared_arm"), kSameGeared, reproduction);
  CompareChain("5 parallelograms", ParallelogramChain(5), kSame, reproduction);
}

}  // namespace civita
