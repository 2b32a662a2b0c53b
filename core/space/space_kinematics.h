#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "civita/status.h"
#include "civita/velocity_map.h"
#include "civita/velocity_space.h"
#include "civita/workspace.h"

namespace civita {

namespace internal {
struct Access;
template <typename T>
struct SpaceScratch;
}  // namespace internal

/// One readable line about the status of a function of the space: of loops the cluster, its
/// condition and gap.
std::string Describe(const VelocitySpace& model, const Status& status);

/// State of a VelocitySpace and memory of its algorithms, allocated by the constructor alone. Each
/// thread needs its own. It serves the model's copies and the same loops of other trees
/// (VelocitySpace::structure), as a Workspace does with trees; with others the algorithms throw
/// ContractError.
template <typename T>
class SpaceWorkspace {
 public:
  /// `instruction_set` is that of the tree's Workspace.
  explicit SpaceWorkspace(const VelocitySpace& model, std::string_view instruction_set = {});

  /// VelocitySpace::structure of the loops that it serves.
  std::uint64_t structure() const;
  /// That of the spanning tree, with its q and its velocity v = A w.
  Workspace<T>& tree();
  const Workspace<T>& tree() const;
  /// A and Ȧ of v = A w at the state, where w is not v. Needs Stage::kVelocity of the tree.
  const VelocityMap<T>& map(const VelocitySpace& model) const;
  /// w of the state, nw numbers.
  const VectorX<T>& w() const;
  /// By how much a cluster (VelocitySpace::clusters) is open, at the last UpdateKinematics or
  /// CloseLoops: as Status::residual.
  double gap(int cluster) const;

 private:
  friend struct internal::Access;
  internal::Owned<internal::SpaceScratch<T>> scratch_;
};

/// Computes the Kinematics of the tree at configuration q (nq numbers) and A(q) of v = A w. The
/// loops need not be closed exactly, as in a simulation; the residual of the returned status is no
/// error. With kSingularLoops or kSingularCoordinates the algorithms that need the kinematics throw
/// ContractError.
template <typename T>
Status UpdateKinematics(const VelocitySpace& model, VectorIn<T> q, SpaceWorkspace<T>& workspace);

/// Computes the Kinematics of the tree at configuration q (nq numbers) and v = A w for independent
/// velocities w (nw numbers), A, and Ȧ from K_d Ġ = −K̇ [1; G] with analytic K̇. The loops need not
/// be closed exactly; the residual of the returned status is no error. With kSingularLoops or
/// kSingularCoordinates the algorithms that need the kinematics throw ContractError.
template <typename T>
Status UpdateKinematics(const VelocitySpace& model, VectorIn<T> q, VectorIn<T> w,
                        SpaceWorkspace<T>& workspace);

/// The same at the velocity w that a velocity v of the tree (nv numbers) has in the space: v
/// itself, the independent ones of its numbers (v may leave the loops), or A⁻¹v of coordinates with
/// a square A.
template <typename T>
Status UpdateKinematicsAlong(const VelocitySpace& model, VectorIn<T> q, VectorIn<T> v,
                             SpaceWorkspace<T>& workspace);

/// The w (nw numbers) of a velocity v of the tree (nv numbers), as UpdateKinematicsAlong has it. A
/// must be regular. Needs Stage::kPosition of the tree.
template <typename T>
void CalcSpaceVelocity(const VelocitySpace& model, VectorIn<T> v, SpaceWorkspace<T>& workspace,
                       VectorOut<T> w);

/// Its rate ẇ (nw numbers), from that of the tree's velocity v̇ (nv numbers) and w itself: S v̇ of
/// loops, A⁻¹(v̇ − Ȧ w). Needs Stage::kVelocity of the tree.
template <typename T>
void CalcSpaceAcceleration(const VelocitySpace& model, VectorIn<T> w, VectorIn<T> vdot,
                           SpaceWorkspace<T>& workspace, VectorOut<T> wdot);

/// Forces τ of the tree (nv numbers) with the work of τ̄ (nw numbers) in w: τ̄ itself, or A⁻ᵀτ̄ of
/// coordinates. Of loops many have it, of which motors choose (civita/loop_drive.h): @throws
/// ContractError. Needs Stage::kPosition of the tree.
template <typename T>
void CalcTreeForces(const VelocitySpace& model, VectorIn<T> tau_w, SpaceWorkspace<T>& workspace,
                    VectorOut<T> tau);

/// Closes the loops from a configuration q (nq numbers) near a closed one by damped Newton steps
/// (Levenberg–Marquardt) of the dependent coordinates; the independent ones are constant. @returns
/// kNotClosed if that fails because the independent coordinates are out of reach or q is too far
/// from a closed configuration; q is then the last iterate.
Status CloseLoops(const VelocitySpace& model, SpaceWorkspace<double>& workspace,
                  Eigen::Ref<Eigen::VectorXd> q);

/// Matrix A of v = A w, nv × nw. Needs Stage::kPosition of the tree.
template <typename T>
void CalcVelocityMap(const VelocitySpace& model, const SpaceWorkspace<T>& workspace,
                     MatrixOut<T> A);

/// Velocity v = A w of the tree (nv numbers) for any w (nw numbers), O(nv) if clusters are of
/// bounded size. Needs Stage::kPosition of the tree.
template <typename T>
void CalcTreeVelocity(const VelocitySpace& model, VectorIn<T> w, const SpaceWorkspace<T>& workspace,
                      VectorOut<T> v);

/// Acceleration A ẇ + Ȧ w of the tree (nv numbers) for any w and ẇ (nw numbers each), with A and Ȧ
/// of the last UpdateKinematics, O(nv) if clusters are of bounded size. Needs Stage::kVelocity of
/// the tree.
template <typename T>
void CalcTreeAcceleration(const VelocitySpace& model, VectorIn<T> w, VectorIn<T> wdot,
                          const SpaceWorkspace<T>& workspace, VectorOut<T> vdot);

/// Generalized forces Aᵀτ on the independent velocities w (nw numbers) from forces τ on the tree's
/// velocities (nv numbers). Needs Stage::kPosition of the tree.
template <typename T>
void CalcReducedForces(const VelocitySpace& model, VectorIn<T> tau,
                       const SpaceWorkspace<T>& workspace, VectorOut<T> tau_w);

}  // namespace civita
