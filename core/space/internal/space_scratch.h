#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "civita/error.h"
#include "civita/mass_matrix_cholesky.h"
#include "civita/space_kinematics.h"
#include "core/dynamics/internal/scratch.h"
#include "core/space/internal/loop_layout.h"

namespace civita::internal {

/// What a SpaceWorkspace holds: the state and, of the algorithm at work, what it sums. Of w = v
/// there is the tree alone, all else is empty.
template <typename T>
struct SpaceScratch {
  SpaceScratch(const VelocitySpace& space, std::string_view instruction_set);

  std::uint64_t structure;  ///< VelocitySpace::structure
  Workspace<T> tree;
  std::uint64_t tree_state = 0;  ///< Scratch::state of `tree` that `map` belongs to
  VectorX<T> q;
  VectorX<T> w;
  VelocityMap<T> map;  ///< A at Stage::kPosition of the tree, Ȧ at Stage::kVelocity
  // Of coordinates: a copy, with scratch memory of its own, and the factor of A.
  std::optional<Coordinates> coordinates;
  bool is_factored = false;
  MatrixX<T> factor;
  VectorX<T> heads;
  MatrixX<T> right;                          ///< nv × 1
  std::optional<Workspace<T>> beside;        ///< of the tree at the state's q, and another velocity
  std::optional<VelocityMap<T>> map_beside;  ///< there
  std::optional<MassMatrixCholesky<T>> tree_factor;  ///< where w = v

  // Of the tree: matrices nv × nv, vectors nv.
  MatrixX<T> H, C;
  VectorX<T> v, v_r, vdot, force;
  MatrixX<T> products, dA;     ///< of the map, nv × nw; ∂_bA
  MatrixX<T> J, Jdot, J_last;  ///< 6 × nv; the last a derivative by v̇
  // Of derivatives (space_derivatives.cc): those of τ, nv × nv, the rest nv × nw.
  VectorX<T> direction, v_rate, y_rate;
  MatrixX<T> dtau_dq, dtau_dv;
  MatrixX<T> dv_dq, dy_dq, dx_dq, sum;

  // Of w.
  MatrixX<T> H_w;                   ///< H̄ or its factor, nw × nw
  MatrixX<T> dtau_dq_w, dtau_dw_w;  ///< nw × nw
  MatrixX<T> J_w;                   ///< 6 × nw
  VectorX<T> x_w;                   ///< nw

  struct Block {
    MatrixX<T> K, Kdot;  ///< rows × coordinates
    MatrixX<T> factor;   ///< of K_d, rows × dependent
    VectorX<T> heads, scratch;
    MatrixX<T> solution;  ///< rows × independent
    MatrixX<T> second;    ///< likewise, of accelerations
    VectorX<T> gap;
    MatrixX<T> damped, step;  ///< of CloseLoops
    VectorX<T> damped_heads;
  };
  std::vector<Block> blocks;  ///< by cluster

 private:
  SpaceScratch(const VelocitySpace& space, std::string_view instruction_set, int nv, int nw);
};

/// Checks that the workspace was made for this space. @throws ContractError of `function`.
template <typename T>
void CheckSpace(const VelocitySpace& model, const SpaceWorkspace<T>& workspace,
                const char* function) {
  CIVITA_CHECK(workspace.structure() == model.structure(),
               function << ": the workspace was made for another space of velocities");
}

/// The scratch of the workspace, checked to be of this space and to have a state of the model, at
/// `needed` or beyond. @throws ContractError of `function`.
template <typename T, typename AnyWorkspace>
auto& RequireSpace(const VelocitySpace& model, AnyWorkspace& workspace, Stage needed,
                   const char* function) {
  CheckSpace<T>(model, workspace, function);
  auto& scratch = Access::scratch(workspace);
  CheckState(model.tree(), scratch.tree, needed, function);
  CIVITA_CHECK(Access::scratch(scratch.tree).state == scratch.tree_state,
               function << ": the state of tree() is not that of the space; UpdateKinematics of "
                        << "the VelocitySpace sets both");
  return scratch;
}

/// The x_d with K_d x_d = `right`, which becomes scratch, of one cluster, a column for each of its
/// independent coordinates, by the factor of UpdateKinematics; right sides are in the units of K's
/// rows, for unit directions of K's columns. They go into the rows of its dependent coordinates of
/// `x` (nv × nw), out of the units of K.
template <typename T>
void SolveDependent(const VelocitySpace& model, size_t cluster, SpaceScratch<T>& scratch,
                    MatrixX<T>& right, MatrixX<T>& x);

/// Rate of G = −K_d⁻¹ K_i of one cluster when the tree moves with v, of which only the cluster's
/// own coordinates are read: K_d Ġ = −K̇ [1; G]. Goes into the rows of its dependent coordinates of
/// `rate` (nv × nw). Needs the factor of UpdateKinematics.
template <typename T>
void CalcLoopMapRate(const VelocitySpace& model, size_t cluster, VectorIn<T> v,
                     SpaceScratch<T>& scratch, MatrixX<T>& rate);

/// Sets scratch.dA (nv × nw) to ∂_bA, the rate of A along its column b. Needs the state.
template <typename T>
void CalcMapRate(const VelocitySpace& model, int b, SpaceScratch<T>& scratch);

}  // namespace civita::internal
