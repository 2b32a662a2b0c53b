#include "tests/oracles/cluster_algorithms.h"

#include <Eigen/LU>

#include "tests/oracles/dense_spatial.h"
#include "tests/oracles/slow_dynamics.h"

namespace civita {
namespace {

using dense::DenseChristoffelFactor;
using dense::Matrix6d;
using dense::MotionCross;
using dense::Vector6d;
using Block = Eigen::Matrix<double, 6, Eigen::Dynamic>;

/// One cluster: the body and the joint that moves it.
struct Cluster {
  int parent = -1;
  int iv = 0, nv = 0;       ///< its indices in v
  Matrix6d X;               ///< from the parent's axes to its own
  Matrix6d I;               ///< composite inertia I^C, initially the body's
  Block Phi;                ///< 6 × nv, own axes
  std::vector<Block> rate;  ///< rate[a]: ∂Φ̊/∂v_a, the change of Φ in own axes along coordinate a
};

/// Φ of every body in its own axes.
std::vector<Block> LocalColumns(const TreeSpec& spec, const std::vector<Cluster>& clusters,
                                const Eigen::VectorXd& q) {
  const std::vector<SlowBody> bodies = SlowBodies(spec, q);
  std::vector<Block> all;
  for (size_t b = 0; b < bodies.size(); ++b) {
    all.push_back(dense::ToFrame(bodies[b].X_WB) *
                  bodies[b].J.middleCols(clusters[b].iv, clusters[b].nv));
  }
  return all;
}

std::vector<Cluster> MakeClusters(const TreeSpec& spec, const Eigen::VectorXd& q) {
  const std::vector<SlowBody> bodies = SlowBodies(spec, q);
  std::vector<Cluster> clusters(bodies.size());
  for (size_t b = 0; b < bodies.size(); ++b) {
    const TreeSpec::Body& row = spec.bodies[b];
    Cluster& cluster = clusters[b];
    cluster.parent = row.parent;
    if (!row.joints.empty()) cluster.iv = row.joints.front().iv;
    for (const TreeSpec::Joint& joint : row.joints) cluster.nv += NumVelocities(joint.type);
    const Matrix6d X_W = dense::ToFrame(bodies[b].X_WB);
    cluster.X = X_W;
    if (row.parent >= 0) {
      cluster.X =
          X_W * dense::ToFrame(bodies[static_cast<size_t>(row.parent)].X_WB).inverse().eval();
    }
    cluster.I = dense::ToMatrix(row.mass);
  }
  const std::vector<Block> Phi = LocalColumns(spec, clusters, q);
  for (size_t b = 0; b < bodies.size(); ++b) {
    clusters[b].Phi = Phi[b];
    for (int a = 0; a < clusters[b].nv; ++a) {
      clusters[b].rate.push_back(
          SlowRate(spec, q, Eigen::VectorXd::Unit(spec.nv, clusters[b].iv + a),
                   [&](const Eigen::VectorXd& at) { return LocalColumns(spec, clusters, at)[b]; }));
    }
  }
  return clusters;
}

}  // namespace

Eigen::MatrixXd CalcClusterCoriolis(const TreeSpec& spec, const Eigen::VectorXd& q,
                                    const Eigen::VectorXd& v) {
  std::vector<Cluster> clusters = MakeClusters(spec, q);
  std::vector<Vector6d> velocity;
  std::vector<Block> Phidot;
  std::vector<Matrix6d> B;
  for (const Cluster& c : clusters) {
    Vector6d x = c.Phi * v.segment(c.iv, c.nv);
    if (c.parent >= 0) x += c.X * velocity[static_cast<size_t>(c.parent)];
    Block rate = MotionCross(x) * c.Phi;
    for (int a = 0; a < c.nv; ++a) rate += c.rate[static_cast<size_t>(a)] * v[c.iv + a];
    velocity.push_back(x);
    Phidot.push_back(rate);
    B.push_back(DenseChristoffelFactor(c.I, x));
  }
  Eigen::MatrixXd C = Eigen::MatrixXd::Zero(spec.nv, spec.nv);
  for (size_t j = clusters.size(); j-- > 0;) {
    const Cluster& cj = clusters[j];
    Block f1 = cj.I * Phidot[j] + B[j] * cj.Phi;
    Block f2 = cj.I * cj.Phi;
    Block f3 = B[j].transpose() * cj.Phi;
    C.block(cj.iv, cj.iv, cj.nv, cj.nv) = cj.Phi.transpose() * f1;
    for (size_t i = j; clusters[i].parent >= 0;) {
      for (Block* f : {&f1, &f2, &f3}) *f = (clusters[i].X.transpose() * *f).eval();
      i = static_cast<size_t>(clusters[i].parent);
      const Cluster& ci = clusters[i];
      C.block(ci.iv, cj.iv, ci.nv, cj.nv) = ci.Phi.transpose() * f1;
      C.block(cj.iv, ci.iv, cj.nv, ci.nv) =
          (Phidot[i].transpose() * f2 + ci.Phi.transpose() * f3).transpose();
    }
    if (cj.parent < 0) continue;
    const size_t p = static_cast<size_t>(cj.parent);
    clusters[p].I += cj.X.transpose() * cj.I * cj.X;
    B[p] += cj.X.transpose() * B[j] * cj.X;
  }
  return C;
}

namespace {

/// The symbols with access by index.
struct Symbols {
  SymbolSlices slices;
  double& operator()(int i, int j, int k) { return slices[static_cast<size_t>(j)](i, k); }
};

/// Lines 14–17, for columns a, b, c of the joints i, j, k.
void SetSymbols(int ia, int jb, int kc, double A1, double A2, Symbols* Gamma) {
  (*Gamma)(ia, jb, kc) = (*Gamma)(ia, kc, jb) = A1;
  (*Gamma)(jb, ia, kc) = (*Gamma)(jb, kc, ia) = A2;
  (*Gamma)(kc, ia, jb) = (*Gamma)(kc, jb, ia) = -A2;
}

/// Lines 18–24, where two indices belong to one joint, whose motion changes its own columns:
/// ∂Φ̊_b/∂v_a = rate[a].col(b).
void SetOwnDirections(const std::vector<Cluster>& clusters, size_t k, Symbols* Gamma) {
  const Cluster& ck = clusters[k];
  for (int c = 0; c < ck.nv; ++c) {
    Matrix6d page = DenseChristoffelFactor(ck.I, ck.Phi.col(c));
    Vector6d f4 = ck.I * ck.Phi.col(c);
    for (int b = 0; b < ck.nv; ++b) {
      Vector6d F = page * ck.Phi.col(b) + ck.I * ck.rate[static_cast<size_t>(b)].col(c);
      for (int i = static_cast<int>(k); i >= 0; i = clusters[static_cast<size_t>(i)].parent) {
        const Cluster& ci = clusters[static_cast<size_t>(i)];
        for (int a = 0; a < ci.nv; ++a) {
          (*Gamma)(ci.iv + a, ck.iv + b, ck.iv + c) = ci.Phi.col(a).dot(F);
        }
        F = (ci.X.transpose() * F).eval();
      }
    }
    for (int i = static_cast<int>(k); i >= 0; i = clusters[static_cast<size_t>(i)].parent) {
      const Cluster& ci = clusters[static_cast<size_t>(i)];
      for (int a = 0; a < ci.nv; ++a) {
        for (int b = 0; b < ci.nv; ++b) {
          (*Gamma)(ck.iv + c, ci.iv + a, ci.iv + b) =
              f4.dot(ci.rate[static_cast<size_t>(a)].col(b)) -
              ci.Phi.col(b).dot(page * ci.Phi.col(a));
        }
      }
      page = (ci.X.transpose() * page * ci.X).eval();
      f4 = (ci.X.transpose() * f4).eval();
    }
  }
}

}  // namespace

/// Each matrix of the tensors belongs to a column c of Φ_k. Lines 18–24 come after all of these
/// for k, since they set the same symbols.
SymbolSlices CalcClusterSymbols(const TreeSpec& spec, const Eigen::VectorXd& q) {
  std::vector<Cluster> clusters = MakeClusters(spec, q);
  Symbols Gamma{
      SymbolSlices(static_cast<size_t>(spec.nv), Eigen::MatrixXd::Zero(spec.nv, spec.nv))};
  for (size_t k = clusters.size(); k-- > 0;) {
    const Cluster& ck = clusters[k];
    for (int c = 0; c < ck.nv; ++c) {
      Matrix6d page = DenseChristoffelFactor(ck.I, ck.Phi.col(c));
      for (int j = static_cast<int>(k); j >= 0;) {
        const Cluster& cj = clusters[static_cast<size_t>(j)];
        Block F1 = page * cj.Phi, F2 = page.transpose() * cj.Phi;
        for (int i = j; i >= 0;) {
          const Cluster& ci = clusters[static_cast<size_t>(i)];
          for (int a = 0; a < ci.nv; ++a) {
            for (int b = 0; b < cj.nv; ++b) {
              SetSymbols(ci.iv + a, cj.iv + b, ck.iv + c, ci.Phi.col(a).dot(F1.col(b)),
                         ci.Phi.col(a).dot(F2.col(b)), &Gamma);
            }
          }
          F1 = (ci.X.transpose() * F1).eval();
          F2 = (ci.X.transpose() * F2).eval();
          i = ci.parent;
        }
        page = (cj.X.transpose() * page * cj.X).eval();
        j = cj.parent;
      }
    }
    SetOwnDirections(clusters, k, &Gamma);
    if (ck.parent >= 0) {
      clusters[static_cast<size_t>(ck.parent)].I += ck.X.transpose() * ck.I * ck.X;
    }
  }
  return Gamma.slices;
}

}  // namespace civita
