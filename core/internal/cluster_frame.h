#pragma once

#include "civita/cluster_kinematics.h"

namespace civita::internal {

/// Rate of G = −K_d⁻¹ K_i of one cluster when the tree moves with v, of which only the cluster's
/// own coordinates are read: K_d Ġ = −K̇ [1; G]. Goes into the rows of the dependent coordinates,
/// from place `first` on (of workspace.Adot or dA). Needs the factor of UpdateKinematics.
template <typename T>
void CalcClusterFrameDerivative(const ClusterModel& model, size_t cluster, VectorIn<T> v, int first,
                                ClusterWorkspace<T>& workspace, MatrixX<T>& rates);

}  // namespace civita::internal
