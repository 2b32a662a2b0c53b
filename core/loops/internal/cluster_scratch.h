#pragma once

#include <cstdint>
#include <vector>

#include "civita/cluster_kinematics.h"
#include "civita/error.h"
#include "core/dynamics/internal/scratch.h"
#include "core/loops/internal/cluster_layout.h"

namespace civita::internal {

/// What a ClusterWorkspace holds: the state and, of the algorithm at work, what it sums.
template <typename T>
struct ClusterScratch {
  explicit ClusterScratch(const ClusterModel& model);

  std::uint64_t structure;  ///< ClusterModel::structure
  Workspace<T> tree;
  VectorX<T> q;
  VectorX<T> w;        ///< independent velocities
  VelocityMap<T> map;  ///< A at Stage::kPosition of the tree, Ȧ at Stage::kVelocity

  // Of the tree: matrices nv × nv, vectors nv.
  MatrixX<T> H, C;
  VectorX<T> v, v_r, vdot, force;
  MatrixX<T> products, dA;  ///< of the map, nv × nw; ∂_bA

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

/// Checks that the workspace was made for these loops. @throws ContractError of `function`.
template <typename T>
void CheckLoops(const ClusterModel& model, const ClusterWorkspace<T>& workspace,
                const char* function) {
  CIVITA_CHECK(workspace.structure() == model.structure(),
               function << ": the workspace was made for other loops");
}

/// The scratch of the workspace, checked to be of these loops and to have a state of the model, at
/// `needed` or beyond. @throws ContractError of `function`.
template <typename T, typename AnyWorkspace>
auto& RequireLoops(const ClusterModel& model, AnyWorkspace& workspace, Stage needed,
                   const char* function) {
  CheckLoops<T>(model, workspace, function);
  CheckState(model.tree(), workspace.scratch().tree, needed, function);
  return workspace.scratch();
}

/// Rate of G = −K_d⁻¹ K_i of one cluster when the tree moves with v, of which only the cluster's
/// own coordinates are read: K_d Ġ = −K̇ [1; G]. Goes into the rows of its dependent coordinates of
/// `rate` (nv × nw). Needs the factor of UpdateKinematics.
template <typename T>
void CalcClusterFrameDerivative(const ClusterModel& model, size_t cluster, VectorIn<T> v,
                                ClusterScratch<T>& scratch, MatrixX<T>& rate);

}  // namespace civita::internal
