#include "app/verbs/reproduce/printed/cluster_tree.h"

#include <Eigen/LU>
#include <algorithm>

#include "app/verbs/reproduce/printed/dense_spatial.h"
#include "civita/dual.h"
#include "civita/manifold.h"
#include "civita/space_kinematics.h"

namespace civita::printed {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Bodies of a cluster, ascending.
using Bodies = std::vector<int>;

/// Groups of bodies that loops couple, and single bodies, by their first body. @param group
/// receives the group of each body.
std::vector<Bodies> GroupBodies(const VelocitySpace& model, std::vector<int>* group) {
  const auto& bodies = model.tree().bodies();
  std::vector<int> loop(bodies.size(), -1);  // of each body: the cluster of its coordinates
  for (size_t c = 0; c < model.clusters().size(); ++c) {
    for (size_t b = 0; b < bodies.size(); ++b) {
      const auto& in = model.clusters()[c].coordinates;
      if (std::ranges::find(in, bodies[b].iv) != in.end()) loop[b] = static_cast<int>(c);
    }
  }
  std::vector<Bodies> groups;
  std::vector<int> group_of_loop(model.clusters().size(), -1);
  group->assign(bodies.size(), -1);
  for (size_t b = 0; b < bodies.size(); ++b) {
    int* found = loop[b] < 0 ? nullptr : &group_of_loop[static_cast<size_t>(loop[b])];
    int index = found == nullptr ? -1 : *found;
    if (index < 0) {
      index = static_cast<int>(groups.size());
      groups.emplace_back();
      if (found != nullptr) *found = index;
    }
    groups[static_cast<size_t>(index)].push_back(static_cast<int>(b));
    (*group)[b] = index;
  }
  return groups;
}

/// Twists of every body in its own axes about its origin for unit velocities w: 6 × nw each.
template <typename T>
std::vector<MatrixX<T>> BodyFrames(const VelocitySpace& model, SpaceWorkspace<T>& workspace) {
  const Model& tree = model.tree();
  const Kinematics<T> k = workspace.tree().kinematics(tree);
  MatrixX<T> A(model.nv(), model.nw());
  CalcVelocityMap(model, workspace, A);
  std::vector<MatrixX<T>> frames;
  for (int b = 0; b < tree.num_bodies(); ++b) {
    const auto& body = k.bodies[b];
    MatrixX<T> J = MatrixX<T>::Zero(6, model.nv());
    for (int a = b; a >= 0; a = tree.bodies()[static_cast<size_t>(a)].parent) {
      const Model::Body& carrier = tree.bodies()[static_cast<size_t>(a)];
      for (int i = carrier.iv; i < carrier.iv + carrier.nv; ++i) {
        const Motion<T>& Phi = k.Phi[i];
        const V3<T> w = TransposeTimes(body.R_WB, Phi.w);
        const V3<T> u = TransposeTimes(body.R_WB, Phi.u + Cross(Phi.w, body.r));
        J.col(i) << w.x, w.y, w.z, u.x, u.y, u.z;
      }
    }
    frames.push_back(J * A);
  }
  return frames;
}

/// The bodies' frames, and their rates along each velocity w_a.
struct Frames {
  std::vector<MatrixXd> values;
  std::vector<std::vector<MatrixXd>> rates;  ///< by a, then body
};

Frames CalcFrames(const VelocitySpace& model, const VectorXd& q,
                  SpaceWorkspace<double>& workspace) {
  Frames frames{BodyFrames(model, workspace), {}};
  SpaceWorkspace<Dual> dual(model);
  VectorXd v(model.nv());
  for (int a = 0; a < model.nw(); ++a) {
    CalcTreeVelocity(model, VectorXd(VectorXd::Unit(model.nw(), a)), workspace, v);
    VectorX<Dual> moved(q.size());
    IntegratePosition<Dual>(model.tree(), q.cast<Dual>(), v.cast<Dual>(), Dual(0, 1), moved);
    const Status status = UpdateKinematics(model, moved, dual);
    CIVITA_CHECK(status.ok(), Describe(model, status));
    std::vector<MatrixXd>& rates = frames.rates.emplace_back();
    for (const MatrixX<Dual>& frame : BodyFrames(model, dual)) {
      rates.push_back(Derivatives(frame));
    }
  }
  return frames;
}

/// From world axes about the tree's reference point to the body's own.
dense::Matrix6d ToBody(const Kinematics<double>::Body& body) {
  Pose pose;
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) pose.R(i, k) = body.R_WB(i, k);
  }
  pose.p = {body.r.x, body.r.y, body.r.z};
  return dense::ToFrame(pose);
}

/// Indices in w of the coordinates that move a group.
std::vector<int> CoordinatesOf(const VelocitySpace& model, const Bodies& bodies) {
  std::vector<int> own;
  for (const int b : bodies) {
    const Model::Body& body = model.tree().bodies()[static_cast<size_t>(b)];
    for (int i = body.iv; i < body.iv + body.nv; ++i) {
      const auto found = std::ranges::find(model.independent(), i);
      if (found != model.independent().end()) {
        own.push_back(static_cast<int>(found - model.independent().begin()));
      }
    }
  }
  return own;
}

}  // namespace

std::vector<Cluster> MakeClusterTree(const VelocitySpace& model, const VectorXd& q) {
  const auto& bodies = model.tree().bodies();
  SpaceWorkspace<double> workspace(model);
  const Status status = UpdateKinematics(model, q, workspace);
  CIVITA_CHECK(status.ok(), Describe(model, status));
  const Frames frames = CalcFrames(model, q, workspace);
  const Kinematics<double> kinematics = workspace.tree().kinematics(model.tree());
  std::vector<int> group;
  const std::vector<Bodies> groups = GroupBodies(model, &group);
  std::vector<Cluster> clusters(groups.size());
  for (size_t g = 0; g < groups.size(); ++g) {
    Cluster& cluster = clusters[g];
    const auto rows = 6 * static_cast<Eigen::Index>(groups[g].size());
    cluster.coordinates = CoordinatesOf(model, groups[g]);
    cluster.I = MatrixXd::Zero(rows, rows);
    cluster.Phi.resize(rows, static_cast<Eigen::Index>(cluster.coordinates.size()));
    cluster.Phi_rates.assign(cluster.coordinates.size(), cluster.Phi);
    for (size_t n = 0; n < groups[g].size(); ++n) {
      const int b = groups[g][n];
      const auto row = 6 * static_cast<Eigen::Index>(n);
      cluster.I.block<6, 6>(row, row) = dense::ToMatrix(bodies[static_cast<size_t>(b)].mass);
      cluster.Phi.middleRows<6>(row) =
          frames.values[static_cast<size_t>(b)](Eigen::all, cluster.coordinates);
      for (size_t a = 0; a < cluster.coordinates.size(); ++a) {
        cluster.Phi_rates[a].middleRows<6>(row) =
            frames.rates[static_cast<size_t>(cluster.coordinates[a])][static_cast<size_t>(b)](
                Eigen::all, cluster.coordinates);
      }
      int carrier = b;  // the nearest body before b in another group
      while (carrier >= 0 && group[static_cast<size_t>(carrier)] == static_cast<int>(g)) {
        carrier = bodies[static_cast<size_t>(carrier)].parent;
      }
      const int parent = carrier < 0 ? -1 : group[static_cast<size_t>(carrier)];
      CIVITA_CHECK(n == 0 || parent == cluster.parent, "a cluster on two others");
      cluster.parent = parent;
      if (parent < 0) continue;
      const Bodies& before = groups[static_cast<size_t>(parent)];
      const auto column = 6 * (std::ranges::find(before, carrier) - before.begin());
      if (n == 0) cluster.X = MatrixXd::Zero(rows, 6 * static_cast<Eigen::Index>(before.size()));
      cluster.X.block<6, 6>(row, column) =
          ToBody(kinematics.bodies[b]) * ToBody(kinematics.bodies[carrier]).inverse();
    }
  }
  return clusters;
}

}  // namespace civita::printed
