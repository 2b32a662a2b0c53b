#pragma once

#include <span>

#include "civita/cluster_kinematics.h"
#include "civita/factorization.h"

// The equations of motion of closed chains in their independent velocities w,
//   H̄(q) ẇ + C̄(q,w) w + ḡ(q) = τ̄ = Aᵀτ,   H̄ = AᵀHA,   C̄ = AᵀCA + AᵀHȦ,   ḡ = Aᵀg,
// with H, C, g of the spanning tree by core's algorithms and A block-diagonal by clusters ([WES],
// (17) and section VI-C). C̄ is that of the connection that the tree's induces on the constraint
// manifold: it inherits Ḣ̄ = C̄ + C̄ᵀ and C̄ w, of every factorization, and for the default,
// Christoffel-consistent one, freedom of torsion (theorem V.2): C̄_ac = Γ̄_abc w_b. The names are
// those of the tree's functions. Costs are those, O(N·d) and O(N·d²), for clusters of bounded size.

namespace civita {

/// H̄, nw × nw. Stage::kPosition of the tree.
template <typename T>
void CalcMassMatrix(const ClusterModel& model, ClusterWorkspace<T>& workspace, MatrixOut<T> H);

/// C̄ and H̄, nw × nw each, of any factorization of the tree. Stage::kVelocity.
template <typename T>
void CalcCoriolisMatrix(const ClusterModel& model, const Factorization& factorization,
                        ClusterWorkspace<T>& workspace, MatrixOut<T> C, MatrixOut<T> H);

/// Γ̄_abc = A_ia A_jb A_kc Γ_ijk + A_ia H_ik (A_jb ∂_jA_kc), nw³ numbers (see ChristoffelIndex).
/// `tree_Gamma`, nv³ numbers, takes the tree's symbols. Stage::kPosition.
template <typename T>
void CalcChristoffelSymbols(const ClusterModel& model, ClusterWorkspace<T>& workspace,
                            std::span<std::type_identity_t<T>> tree_Gamma,
                            std::span<std::type_identity_t<T>> Gamma);

/// ḡ, nw numbers. Stage::kPosition.
template <typename T>
void CalcGravityForces(const ClusterModel& model, ClusterWorkspace<T>& workspace, VectorOut<T> g);

/// τ̄ = H̄ ẇ + C̄ w + ḡ = Aᵀ RNEA(A ẇ + Ȧ w), in O(N), and the bias C̄ w + ḡ. Stage::kVelocity.
template <typename T>
void CalcInverseDynamics(const ClusterModel& model, VectorIn<T> wdot,
                         ClusterWorkspace<T>& workspace, VectorOut<T> tau);
template <typename T>
void CalcBiasForces(const ClusterModel& model, ClusterWorkspace<T>& workspace, VectorOut<T> bias);

/// H̄ ẇ_r + C̄ w_r + ḡ for a reference velocity and acceleration, in O(N), C̄ of the factorization.
/// Stage::kVelocity.
template <typename T>
void CalcPassivityInverseDynamics(const ClusterModel& model, const Factorization& factorization,
                                  VectorIn<T> w_r, VectorIn<T> wdot_r,
                                  ClusterWorkspace<T>& workspace, VectorOut<T> tau);

}  // namespace civita
