#include "tests/oracles/cluster_algorithms.h"

#include "app/verbs/reproduce/printed/dense_spatial.h"
#include "tests/oracles/linear.h"
#include "tests/oracles/slow_dynamics.h"

namespace civita {
namespace {

/// Φ of every body in its own axes.
std::vector<Eigen::MatrixXd> LocalColumns(const TreeSpec& spec,
                                          const std::vector<printed::Cluster>& clusters,
                                          const Eigen::VectorXd& q) {
  const std::vector<SlowBody> bodies = SlowBodies(spec, q);
  std::vector<Eigen::MatrixXd> all;
  for (size_t b = 0; b < bodies.size(); ++b) {
    all.push_back(dense::ToFrame(bodies[b].X_WB) *
                  bodies[b].J(Eigen::all, clusters[b].coordinates));
  }
  return all;
}

}  // namespace

std::vector<printed::Cluster> MakeClusters(const TreeSpec& spec, const Eigen::VectorXd& q) {
  const std::vector<SlowBody> bodies = SlowBodies(spec, q);
  std::vector<printed::Cluster> clusters(bodies.size());
  for (size_t b = 0; b < bodies.size(); ++b) {
    const TreeSpec::Body& row = spec.bodies[b];
    printed::Cluster& cluster = clusters[b];
    cluster.parent = row.parent;
    for (const TreeSpec::Joint& joint : row.joints) {
      for (int i = 0; i < NumVelocities(joint.type); ++i) {
        cluster.coordinates.push_back(joint.iv + i);
      }
    }
    if (row.parent >= 0) {
      const Pose& X_WP = bodies[static_cast<size_t>(row.parent)].X_WB;
      cluster.X = dense::ToFrame(bodies[b].X_WB) * linear::Inverse(dense::ToFrame(X_WP));
    }
    cluster.I = dense::ToMatrix(row.mass);
  }
  const std::vector<Eigen::MatrixXd> Phi = LocalColumns(spec, clusters, q);
  for (size_t b = 0; b < bodies.size(); ++b) {
    clusters[b].Phi = Phi[b];
    for (const int a : clusters[b].coordinates) {
      clusters[b].Phi_rates.push_back(
          SlowRate(spec, q, Eigen::VectorXd::Unit(spec.nv, a),
                   [&](const Eigen::VectorXd& at) { return LocalColumns(spec, clusters, at)[b]; }));
    }
  }
  return clusters;
}

}  // namespace civita
