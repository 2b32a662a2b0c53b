#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "civita/error.h"
#include "civita/workspace.h"
#include "core/kernels/scratch.h"
#include "core/model/internal/tree_tables.h"
#include "core/spatial/internal/access.h"
#include "core/spatial/internal/coriolis_factor.h"
#include "core/spatial/internal/recursions.h"
#include "core/spatial/internal/tree.h"

namespace civita::internal {

/// A vector that is indexed by int, as bodies and coordinates are.
template <typename T>
class Table {
 public:
  explicit Table(int size) : numbers_(static_cast<size_t>(size)) {}
  T& operator[](int i) { return numbers_[static_cast<size_t>(i)]; }
  const T& operator[](int i) const { return numbers_[static_cast<size_t>(i)]; }
  int size() const { return static_cast<int>(numbers_.size()); }
  T* data() { return numbers_.data(); }
  const T* data() const { return numbers_.data(); }
  auto begin() { return numbers_.begin(); }
  auto end() { return numbers_.end(); }

 private:
  std::vector<T> numbers_;
};

/// What a Workspace holds: the state, its kinematics and, of the algorithm at work, what it sums.
template <typename T>
struct Scratch {
  Scratch(const Model& model, std::string_view instruction_set);

  std::uint64_t structure;     ///< Model::structure of the models that it fits
  std::uint64_t model_id = 0;  ///< of the model whose state it has
  Stage stage = Stage::kNone;
  VectorX<T> q, v;
  bool pending = false;  ///< bodies, Phi and Phidot are still to be computed from q and v

  Table<typename Kinematics<T>::Body> bodies;
  Table<Motion<T>> Phi, Phidot;

  // By body.
  Table<Inertia<T>> Ic;         ///< of the subtree
  Table<Inertia<T>> Idot;       ///< rate of the same, (ξ×*)I − I(ξ×) summed (mass rate 0)
  Table<CoriolisFactor<T>> B;   ///< of the body or of its subtree
  Table<CoriolisFactor<T>> Br;  ///< the same at a second velocity
  Table<Motion<T>> Vr;          ///< J v_r of a second velocity v_r
  Table<Motion<T>> A;           ///< acceleration
  Table<Force<T>> F;            ///< force on the body or on its subtree
  Table<Force<T>> P;            ///< momentum of the same
  std::vector<Matrix6<T>> articulated;  ///< articulated-body inertia, [angular; linear]
  // By velocity coordinate.
  Table<Force<T>> gain;  ///< I^A Φ_k / (Φ_kᵀ I^A Φ_k + a_k)
  // Φ_k's rates were it carried by the motion before its joint: ψ̇, that of a second velocity χ, χ̇.
  Table<Motion<T>> Psidot, Chi, Chidot;
  VectorX<T> force;                     ///< that of another function
  std::array<VectorX<T>, 3> arguments;  ///< of KeepArgument, the velocity first
  VectorX<T> position;                  ///< a configuration near q

  kernels::Scratch kernels;

  std::uint64_t state = 0;     ///< counts UpdateKinematics
  Table<std::uint64_t> moved;  ///< by body: 2·state whose pose it has, + 1 with V, Phi and Phidot
  Table<int> path;             ///< of PathTo
};

/// Whether a body has the pose of the state; its motion, Phi and Phidot, too.
template <typename T>
bool HasPose(int b, const Scratch<T>& scratch) {
  return scratch.moved[b] >= 2 * scratch.state;
}
template <typename T>
bool HasMotion(int b, const Scratch<T>& scratch) {
  return scratch.moved[b] > 2 * scratch.state;
}

/// Throws the ContractError of CheckState.
[[noreturn, gnu::cold, gnu::noinline]] inline void FailState(bool fits, bool has_state,
                                                             Stage needed, const char* function) {
  CIVITA_CHECK(fits, function << ": the workspace was made for a model of another structure");
  CIVITA_CHECK(has_state, function << " needs UpdateKinematics with "
                                   << (needed == Stage::kVelocity ? "q and v" : "q") << " first");
  CIVITA_CHECK(false, function << ": the workspace has the state of another model, by whose "
                               << "UpdateKinematics it was set last");
}

/// Checks that `workspace` has the state of the model, at `needed` or beyond. @throws ContractError
/// of `function`.
template <typename T>
void CheckState(const Model& model, const Workspace<T>& workspace, Stage needed,
                const char* function) {
  const Scratch<T>& scratch = Access::scratch(workspace);
  if (scratch.model_id != model.id() || scratch.stage < needed) [[unlikely]]
    FailState(scratch.structure == model.structure(), scratch.stage >= needed, needed, function);
}

/// What a Workspace owns, made of the arguments.
template <typename X, typename... Arguments>
Owned<X> Own(const Arguments&... arguments) {
  return {new X(arguments...), [](X* x) { delete x; }};
}

/// The scratch of the workspace, checked by CheckState.
template <typename T>
Scratch<T>& RequireState(const Model& model, Workspace<T>& workspace, Stage needed,
                         const char* function) {
  CheckState(model, workspace, needed, function);
  return Access::scratch(workspace);
}

/// The same with bodies, Phi and Phidot, which plain algorithms read.
template <typename T>
Scratch<T>& RequireBodies(const Model& model, Workspace<T>& workspace, Stage needed,
                          const char* function);

/// Computes them where UpdateKinematics has left that open (core/dynamics/kinematics.cc).
template <typename T>
void UpdateBodies(const Tree& tree, Scratch<T>& scratch);
/// All but the inertias, which may then be those of another state.
template <typename T>
void UpdateMotions(const Tree& tree, Scratch<T>& scratch);
/// The same with the poses of all but the roots, which have an origin, by a kernel, where there is
/// one. For right behind UpdateKinematics alone: the kernel's poses differ by rounding, and no
/// function's result may depend on which others were called before.
template <typename T>
void UpdateMotionsAtOnce(const Tree& tree, Scratch<T>& scratch);
/// The same of the bodies of PathTo alone.
template <typename T>
void UpdatePath(const Tree& tree, int body, Scratch<T>& scratch);

/// Their poses alone.
template <typename T>
void UpdatePoses(const Tree& tree, Scratch<T>& scratch);
template <typename T>
void UpdatePosesTo(const Tree& tree, int body, Scratch<T>& scratch);

/// The bodies from the root to `body` (−1: none), valid until the next call; of them those alone
/// that are not `known`, as all that carry one that is are known, too.
template <typename T, typename Known>
std::span<const int> PathTo(const Tree& tree, int body, Scratch<T>& scratch, const Known& known) {
  auto first = scratch.path.end();
  for (int b = body; b >= 0 && !known(b); b = tree.links[b].parent) *--first = b;
  return {first, scratch.path.end()};
}
template <typename T>
std::span<const int> PathTo(const Tree& tree, int body, Scratch<T>& scratch) {
  return PathTo(tree, body, scratch, [](int) { return false; });
}

/// The reference point of the tree that body b belongs to, in the world.
template <typename T>
const V3<T>& ReferencePoint(const Model& model, Scratch<T>& s, int b) {
  return s.bodies[model.bodies()[static_cast<size_t>(b)].root].origin;
}

/// The body's centre of mass from that point.
template <typename T>
V3<T> CenterOf(const Link& link, const typename Kinematics<T>::Body& body) {
  return body.r + body.R_WB * Cast<T>(link.com);
}

template <typename X>
void SumOverSubtrees(const Tree& tree, Table<X>& x) {
  SumOverSubtrees(tree, x.data());
}

/// Ic of every body: the inertia of its subtree.
template <typename T>
void CalcCompositeInertias(const Tree& tree, Scratch<T>& scratch) {
  for (int b = 0; b < tree.num_bodies; ++b) scratch.Ic[b] = scratch.bodies[b].I;
  SumOverSubtrees(tree, scratch.Ic);
}

/// τ_k = Φ_kᵀ F with F summed over the subtree; F is set per body before.
template <typename T>
void ProjectForces(const Tree& tree, Scratch<T>& scratch, VectorOut<T>& tau) {
  SumOverSubtrees(tree, scratch.F);
  for (int k = 0; k < tree.nv; ++k) tau[k] = Dot(scratch.Phi[k], scratch.F[tree.body[k]]);
}

/// The acceleration of the world that stands for gravity.
template <typename T>
Motion<T> WorldAcceleration(const Tree& tree) {
  const V3<double>& g = tree.gravity;
  return {{}, {T(-g.x), T(-g.y), T(-g.z)}};
}

}  // namespace civita::internal
