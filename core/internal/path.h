#pragma once

#include "civita/error.h"
#include "civita/model.h"
#include "civita/workspace.h"

namespace civita::internal {

template <typename T>
void CheckStage(const Workspace<T>& workspace, Stage needed, const char* function) {
  CIVITA_CHECK(workspace.stage >= needed, function << " needs UpdateKinematics with "
                                                   << (needed == Stage::kVelocity ? "q and v" : "q")
                                                   << " first");
}

/// Fills bodies, Phi and Phidot from q and v, where UpdateKinematics has left that open.
template <typename T>
void UpdateBodies(const Model& model,
                  const Workspace<T>& workspace);  // core/dynamics/kinematics.cc

/// The beginning of a plain algorithm, one that reads bodies, Phi or Phidot.
template <typename T>
void RequireBodies(const Model& model, const Workspace<T>& workspace, Stage needed,
                   const char* function) {
  CheckStage(workspace, needed, function);
  UpdateBodies(model, workspace);
}

/// Sums `member` of every body over its subtree: Ic, Bc and the like are set per body before.
template <typename T, typename Add>
void SumOverSubtrees(const Model& model, Workspace<T>& workspace, Add add) {
  for (size_t b = workspace.bodies.size(); b-- > 0;) {
    const int parent = model.bodies()[b].parent;
    if (parent >= 0) add(workspace.bodies[static_cast<size_t>(parent)], workspace.bodies[b]);
  }
}

/// Ic of every body: the inertia of its subtree.
template <typename T>
void SumInertias(const Model& model, Workspace<T>& workspace) {
  using Body = typename Workspace<T>::Body;
  for (Body& body : workspace.bodies) body.Ic = body.I;
  SumOverSubtrees(model, workspace, [](Body& parent, const Body& body) { parent.Ic += body.Ic; });
}

/// τ_k = Φ_kᵀ F with F summed over the subtree; F is set per body before.
template <typename T>
void ProjectForces(const Model& model, Workspace<T>& workspace, VectorOut<T>& tau) {
  using Body = typename Workspace<T>::Body;
  SumOverSubtrees(model, workspace, [](Body& parent, const Body& body) { parent.F += body.F; });
  for (size_t b = 0; b < workspace.bodies.size(); ++b) {
    const Model::Body& body = model.bodies()[b];
    for (int k = body.iv; k < body.iv + body.nv; ++k) {
      tau[k] = Dot(workspace.Phi[static_cast<size_t>(k)], workspace.bodies[b].F);
    }
  }
}

/// Visits every velocity coordinate k, depth-first, with the path that leads to it laid out
/// contiguously: `visit(k, body state, depth)` sees in workspace.path[0 … depth−1] the coordinates
/// that move k, k itself last, and in the rows of workspace.path_columns their [Φ, Φ̇] (columns ω u
/// ω̇ u̇, three each).
template <typename T, typename Visit>
void ForEachCoordinate(const Model& model, Workspace<T>& workspace, Visit visit) {
  for (size_t b = 0; b < workspace.bodies.size(); ++b) {
    const Model::Body& body = model.bodies()[b];
    for (int c = 0; c < body.nv; ++c) {
      const int k = body.iv + c;
      const int row = body.depth + c;
      const Motion<T>& Phi = workspace.Phi[static_cast<size_t>(k)];
      const Motion<T>& Phidot = workspace.Phidot[static_cast<size_t>(k)];
      workspace.path[static_cast<size_t>(row)] = k;
      for (int a = 0; a < 3; ++a) {
        workspace.path_columns(row, a) = Phi.w[a];
        workspace.path_columns(row, 3 + a) = Phi.u[a];
        workspace.path_columns(row, 6 + a) = Phidot.w[a];
        workspace.path_columns(row, 9 + a) = Phidot.u[a];
      }
      visit(k, workspace.bodies[b], row + 1);
    }
  }
}

/// out[d] = Φ_dᵀF for the coordinates d of the path.
template <typename T>
void DotPath(const Workspace<T>& workspace, int depth, const Force<T>& F, T* __restrict out) {
  const auto& X = workspace.path_columns;
  const T *x0 = &X(0, 0), *x1 = &X(0, 1), *x2 = &X(0, 2);
  const T *x3 = &X(0, 3), *x4 = &X(0, 4), *x5 = &X(0, 5);
  for (int d = 0; d < depth; ++d) {
    out[d] = x0[d] * F.n[0] + x1[d] * F.n[1] + x2[d] * F.n[2] + x3[d] * F.f[0] + x4[d] * F.f[1] +
             x5[d] * F.f[2];
  }
}

/// out[d] = Φ̇_dᵀP + Φ_dᵀF for rows [Φ, Φ̇] like those of workspace.path_columns; with kMomentOnly
/// the force part of F counts as zero.
template <typename T, bool kMomentOnly>
void DotPathRates(const PathColumns<T>& X, int depth, const Force<T>& P, const Force<T>& F,
                  T* __restrict out) {
  const T *x0 = &X(0, 0), *x1 = &X(0, 1), *x2 = &X(0, 2);
  const T *x3 = &X(0, 3), *x4 = &X(0, 4), *x5 = &X(0, 5);
  const T *y0 = &X(0, 6), *y1 = &X(0, 7), *y2 = &X(0, 8);
  const T *y3 = &X(0, 9), *y4 = &X(0, 10), *y5 = &X(0, 11);
  for (int d = 0; d < depth; ++d) {
    T sum = y0[d] * P.n[0] + y1[d] * P.n[1] + y2[d] * P.n[2] + y3[d] * P.f[0] + y4[d] * P.f[1] +
            y5[d] * P.f[2] + x0[d] * F.n[0] + x1[d] * F.n[1] + x2[d] * F.n[2];
    if constexpr (!kMomentOnly) sum += x3[d] * F.f[0] + x4[d] * F.f[1] + x5[d] * F.f[2];
    out[d] = sum;
  }
}

}  // namespace civita::internal
