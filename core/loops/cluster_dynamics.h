#pragma once

#include <span>

#include "civita/cluster_kinematics.h"
#include "civita/factorization.h"

// The equations of motion of closed chains in their independent velocities w,
//   H̄(q) ẇ + C̄(q,w) w + ḡ(q) = τ̄ = Aᵀτ,   H̄ = AᵀHA,   C̄ = AᵀCA + AᵀHȦ,   ḡ = Aᵀg,
// with H, C, g of the spanning tree and A block-diagonal by clusters ([WES], (17) and section
// VI-C). C̄ belongs to the connection that the tree's connection induces on the constraint manifold:
// for every admissible factorization Ḣ̄ = C̄ + C̄ᵀ, and for the default, Christoffel-consistent one it
// is torsion-free (theorem V.2): C̄_ac = Σ_b Γ̄_abc w_b. The functions have the names of those for
// open trees, and their costs and those of the products with A (civita/velocity_map.h), which are
// O(nv²) for matrices and O(nv³) for symbols, as the numbers that they are about, if clusters are
// of bounded size.

namespace civita {

/// Mass matrix H̄ = AᵀHA of a closed chain, nw × nw. Needs Stage::kPosition of the tree.
template <typename T>
void CalcMassMatrix(const ClusterModel& model, ClusterWorkspace<T>& workspace, MatrixOut<T> H);

/// Coriolis matrix C̄ = AᵀCA + AᵀHȦ and mass matrix H̄ of a closed chain, nw × nw each, with C of
/// `factorization` of the tree ([WES], (17)). Needs Stage::kVelocity of the tree.
template <typename T>
void CalcCoriolisMatrix(const ClusterModel& model, const Factorization& factorization,
                        ClusterWorkspace<T>& workspace, MatrixOut<T> C, MatrixOut<T> H);

/// Christoffel symbols Γ̄_abc = A_ia A_jb A_kc Γ_ijk + A_ia H_ik (A_jb ∂_jA_kc) of a closed chain in
/// w: `Gamma` has nw³ numbers (see ChristoffelIndex); `tree_Gamma`, nv³ numbers, receives the
/// symbols of the tree. Needs Stage::kPosition of the tree.
template <typename T>
void CalcChristoffelSymbols(const ClusterModel& model, ClusterWorkspace<T>& workspace,
                            std::span<std::type_identity_t<T>> tree_Gamma,
                            std::span<std::type_identity_t<T>> Gamma);

/// Gravity forces ḡ = Aᵀg of a closed chain, nw numbers, in O(N). Needs Stage::kPosition of the
/// tree.
template <typename T>
void CalcGravityForces(const ClusterModel& model, ClusterWorkspace<T>& workspace, VectorOut<T> g);

/// Inverse dynamics τ̄ = H̄ ẇ + C̄ w + ḡ = Aᵀ RNEA(A ẇ + Ȧ w) of a closed chain (nw numbers) at
/// acceleration ẇ (nw numbers), in O(N). Needs Stage::kVelocity of the tree.
template <typename T>
void CalcInverseDynamics(const ClusterModel& model, VectorIn<T> wdot,
                         ClusterWorkspace<T>& workspace, VectorOut<T> tau);

/// Bias forces C̄ w + ḡ of a closed chain (nw numbers), the same for every factorization, in O(N).
/// Needs Stage::kVelocity of the tree.
template <typename T>
void CalcBiasForces(const ClusterModel& model, ClusterWorkspace<T>& workspace, VectorOut<T> bias);

/// τ̄ = H̄ ẇ_r + C̄ w_r + ḡ of a closed chain (nw numbers) for any reference velocity w_r and
/// reference acceleration ẇ_r (nw numbers each), in O(N), with C̄ as CalcCoriolisMatrix gives it for
/// `factorization`. Needs Stage::kVelocity of the tree.
template <typename T>
void CalcPassivityInverseDynamics(const ClusterModel& model, const Factorization& factorization,
                                  VectorIn<T> w_r, VectorIn<T> wdot_r,
                                  ClusterWorkspace<T>& workspace, VectorOut<T> tau);

}  // namespace civita
