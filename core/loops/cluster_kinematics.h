#pragma once

#include <string>
#include <vector>

#include "civita/cluster_model.h"
#include "civita/workspace.h"

namespace civita {

/// What became of the clusters at a configuration.
struct ClusterStatus {
  enum class Code {
    kOk,
    kSingular,   ///< K_d of `cluster` is singular or worse conditioned than the model allows
    kNotClosed,  ///< the loops of `cluster` could not be closed
  };
  Code code = Code::kOk;
  int cluster = -1;  ///< the one meant, in ClusterModel::clusters(); −1 where there are none
  /// Of the worst cluster, ‖K‖·‖K_d⁻¹‖ (Frobenius; rotations in rad, lengths in Cluster::length):
  /// how far it is from singular, and a bound of ‖G‖ and of what errors are multiplied by.
  double condition = 0;
  /// The largest by which a loop is open: of a point in units of Cluster::length, rad of rotations.
  double gap = 0;

  bool ok() const { return code == Code::kOk; }
};

/// A line for people: which cluster, its condition, how far open.
std::string Describe(const ClusterModel& model, const ClusterStatus& status);

/// Scratch of all algorithms for one ClusterModel: sized once, nothing allocates after that. One a
/// thread.
template <typename T>
struct ClusterWorkspace {
  explicit ClusterWorkspace(const ClusterModel& model);

  Workspace<T> tree;
  MatrixX<T> H, C;  ///< of the tree, nv × nv, as the last call that needed them left them
  VectorX<T> q, v, v_r, vdot, force;  ///< of the tree
  VectorX<T> w;

  /// Rows of A, Ȧ and ∂_bA, a column for every coordinate of v: numbers by ClusterModel::support,
  /// those of ∂_bA_kc at b·(size of the support) + c. Of coordinates that are not dependent, 1 and
  /// zeros.
  MatrixX<T> A, Adot, dA;

  struct Block {
    MatrixX<T> K, Kdot;  ///< rows × coordinates
    MatrixX<T> factor;   ///< of K_d, rows × dependent
    VectorX<T> heads, scratch;
    MatrixX<T> solution;  ///< rows × independent
    VectorX<T> gap;
    MatrixX<T> damped, step;  ///< of CloseLoops
    VectorX<T> damped_heads;
  };
  std::vector<Block> blocks;  ///< by cluster
};

/// Kinematics of the tree at q (nq numbers), and A(q). The loops need not be closed exactly (those
/// of a simulation are not); the status says how far they are open, and that is no error here.
/// If some cluster is singular the status says which, and what needs the kinematics then throws.
template <typename T>
[[nodiscard]] ClusterStatus UpdateKinematics(const ClusterModel& model, VectorIn<T> q,
                                             ClusterWorkspace<T>& workspace);

/// The same with velocities w (nw numbers): v = A w, Ȧ from K_d Ġ = −K̇ [1; G] with analytic K̇.
template <typename T>
[[nodiscard]] ClusterStatus UpdateKinematics(const ClusterModel& model, VectorIn<T> q,
                                             VectorIn<T> w, ClusterWorkspace<T>& workspace);

/// Closes the loops from a configuration nearby by damped Newton steps of the dependent coordinates
/// (Levenberg–Marquardt), the independent ones kept. kNotClosed where that fails, because the
/// independent ones are out of reach or q too far away: q is then where it ended.
[[nodiscard]] ClusterStatus CloseLoops(const ClusterModel& model,
                                       ClusterWorkspace<double>& workspace,
                                       Eigen::Ref<Eigen::VectorXd> q);

/// A and Ȧ whole, nv × nw. Stage::kPosition and kVelocity of the tree.
template <typename T>
void CalcClusterFrame(const ClusterModel& model, const ClusterWorkspace<T>& workspace,
                      MatrixOut<T> A);
template <typename T>
void CalcClusterFrameRate(const ClusterModel& model, const ClusterWorkspace<T>& workspace,
                          MatrixOut<T> Adot);

/// A w, O(nv) for clusters of bounded size, and A ẇ + Ȧ w, nv numbers each, of any w and ẇ; A and
/// Ȧ are those of UpdateKinematics. Stage::kPosition and kVelocity.
template <typename T>
void CalcTreeVelocity(const ClusterModel& model, VectorIn<T> w,
                      const ClusterWorkspace<T>& workspace, VectorOut<T> v);
template <typename T>
void CalcTreeAcceleration(const ClusterModel& model, VectorIn<T> w, VectorIn<T> wdot,
                          const ClusterWorkspace<T>& workspace, VectorOut<T> vdot);

/// Aᵀτ, nw numbers: what forces of the tree do to w.
template <typename T>
void CalcReducedForces(const ClusterModel& model, VectorIn<T> tau,
                       const ClusterWorkspace<T>& workspace, VectorOut<T> tau_w);

}  // namespace civita
