#pragma once

#include "civita/cluster_kinematics.h"
#include "civita/error.h"
#include "core/dynamics/internal/scratch.h"

namespace civita::internal {

/// Checks that the workspace was made for these loops. @throws ContractError of `function`.
template <typename T>
void CheckLoops(const ClusterModel& model, const ClusterWorkspace<T>& workspace,
                const char* function) {
  CIVITA_CHECK(workspace.structure == model.structure(),
               function << ": the workspace was made for other loops");
}

/// The same, and that its state is that of the model, at `needed` or beyond.
template <typename T>
void CheckLoopState(const ClusterModel& model, const ClusterWorkspace<T>& workspace, Stage needed,
                    const char* function) {
  CheckLoops(model, workspace, function);
  CheckState(model.tree(), workspace.tree, needed, function);
}

/// Rate of G = −K_d⁻¹ K_i of one cluster when the tree moves with v, of which only the cluster's
/// own coordinates are read: K_d Ġ = −K̇ [1; G]. Goes into the rows of the dependent coordinates,
/// from place `first` on (of workspace.Adot or dA). Needs the factor of UpdateKinematics.
template <typename T>
void CalcClusterFrameDerivative(const ClusterModel& model, size_t cluster, VectorIn<T> v, int first,
                                ClusterWorkspace<T>& workspace, MatrixX<T>& rates);

}  // namespace civita::internal
