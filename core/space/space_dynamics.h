#pragma once

#include <span>

#include "civita/external_forces.h"
#include "civita/factorization.h"
#include "civita/space_kinematics.h"
#include "civita/tensor3.h"

// The equations of motion of closed chains in their independent velocities w,
//   H̄(q) ẇ + C̄(q,w) w + ḡ(q) = τ̄ = Aᵀτ,   H̄ = AᵀHA,   C̄ = AᵀCA + AᵀHȦ,   ḡ = Aᵀg,
// with H, C, g of the spanning tree and A block-diagonal by clusters ([WES], (17) and section
// VI-C). C̄ belongs to the connection that the tree's connection induces on the constraint manifold:
// for every admissible factorization Ḣ̄ = C̄ + C̄ᵀ, and for the default, Christoffel-consistent one it
// is torsion-free (theorem V.2): C̄_ac = Σ_b Γ̄_abc w_b. The functions have the names of those for
// open trees, and their costs and those of the products with A (civita/velocity_map.h), which are
// O(nv²) for matrices and O(nv³) for symbols, as the numbers that they are about, if clusters are
// of bounded size. What is no matter of the velocities' choice (energies, poses, velocities and
// momenta) the functions for open trees give of SpaceWorkspace::tree(), which moves with A w.

namespace civita {

/// Mass matrix H̄ = AᵀHA of a closed chain, nw × nw. Needs Stage::kPosition of the tree.
template <typename T>
void CalcMassMatrix(const VelocitySpace&, SpaceWorkspace<T>&, MatrixOut<T> H);

/// Inverse H̄⁻¹ of the mass matrix of a closed chain, nw × nw, in O(nw³) beyond H̄; of trees in
/// O(N·d·n). Needs Stage::kPosition of the tree. @returns kSingularMassMatrix if H̄ is not positive
/// definite to working precision; H_inverse then stays as it is.
template <typename T>
Status CalcMassMatrixInverse(const VelocitySpace&, SpaceWorkspace<T>&, MatrixOut<T> H_inverse);

/// Rate Ḣ̄ = AᵀḢA + AᵀHȦ + ȦᵀHA of the mass matrix of a closed chain along w, nw × nw. It uses no
/// Coriolis matrix, so that Ḣ̄ = C̄ + C̄ᵀ is an independent check of one. Needs Stage::kVelocity of
/// the tree.
template <typename T>
void CalcMassMatrixDerivative(const VelocitySpace&, SpaceWorkspace<T>&, MatrixOut<T> Hdot);

/// Coriolis matrix C̄ = AᵀCA + AᵀHȦ and mass matrix H̄ of a closed chain, nw × nw each, with C of
/// `factorization` of the tree ([WES], (17)). Needs Stage::kVelocity of the tree.
template <typename T>
void CalcCoriolisMatrix(const VelocitySpace&, const Factorization& factorization,
                        SpaceWorkspace<T>&, CoriolisOut<T> out);

/// Christoffel symbols Γ̄_abc = A_ia A_jb A_kc Γ_ijk + A_ia H_ik (A_jb ∂_jA_kc) of a closed chain in
/// w: `Gamma` has nw³ numbers (see ChristoffelIndex); `tree_Gamma`, nv³ numbers, receives the
/// symbols of the tree. Needs Stage::kPosition of the tree.
template <typename T>
void CalcChristoffelSymbols(const VelocitySpace&, SpaceWorkspace<T>&,
                            std::span<std::type_identity_t<T>> tree_Gamma,
                            std::span<std::type_identity_t<T>> Gamma);

/// Connection Γ̄ of a factorization of a closed chain at q (nq numbers) in w, nw³ numbers, with
/// C̄_ac(q,w) = Σ_b Γ̄_abc w_b ([WES] (10), (17)), from nw evaluations of C̄; for Factorization{} the
/// symbols of CalcChristoffelSymbols. Leaves `workspace` at a unit velocity. @returns the status of
/// UpdateKinematics; at a singular configuration Γ̄ is as it was.
Status CalcConnection(const VelocitySpace&, const Factorization& factorization, VectorIn<double> q,
                      SpaceWorkspace<double>& workspace, Tensor3& Gamma);

/// Gravity forces ḡ = Aᵀg of a closed chain, nw numbers, in O(N). Needs Stage::kPosition of the
/// tree.
template <typename T>
void CalcGravityForces(const VelocitySpace&, SpaceWorkspace<T>&, VectorOut<T> g);

/// Generalized forces τ̄ = Aᵀ Σ Jᵀ[moment; force] of external forces (nw numbers), in O(N + number
/// of forces). Needs Stage::kPosition of the tree.
template <typename T>
void CalcGeneralizedForces(const VelocitySpace&, ExternalForces<T> forces, SpaceWorkspace<T>&,
                           VectorOut<T> tau);

/// Inverse dynamics τ̄ = H̄ ẇ + C̄ w + ḡ − AᵀJᵀf = Aᵀ RNEA(A ẇ + Ȧ w) of a closed chain (nw numbers)
/// at acceleration ẇ (nw numbers) under external forces f, in O(N). Needs Stage::kVelocity of the
/// tree.
template <typename T>
void CalcInverseDynamics(const VelocitySpace&, VectorIn<T> wdot, SpaceWorkspace<T>&,
                         VectorOut<T> tau, ExternalForces<T> forces = {});

/// Bias forces C̄ w + ḡ of a closed chain (nw numbers), the same for every factorization, in O(N).
/// Needs Stage::kVelocity of the tree.
template <typename T>
void CalcBiasForces(const VelocitySpace&, SpaceWorkspace<T>&, VectorOut<T> bias);

/// Forward dynamics ẇ = H̄⁻¹(τ̄ + AᵀJᵀf − C̄ w − ḡ) of a closed chain (nw numbers) under generalized
/// forces τ̄ (nw numbers; CalcReducedForces has those of forces on the tree's joints) and external
/// forces f, in O(nw³/6) beyond H̄. CalcTreeAcceleration has the tree's v̇ of it. Needs
/// Stage::kVelocity of the tree. @returns kSingularMassMatrix if H̄ is not positive definite to
/// working precision; wdot then stays as it is.
template <typename T>
Status CalcForwardDynamics(const VelocitySpace&, VectorIn<T> tau, SpaceWorkspace<T>&,
                           VectorOut<T> wdot, ExternalForces<T> forces = {});

/// τ̄ = H̄ ẇ_r + C̄ w_r + ḡ of a closed chain (nw numbers) for any reference velocity w_r and
/// reference acceleration ẇ_r (nw numbers each), in O(N), with C̄ as CalcCoriolisMatrix gives it for
/// `factorization`. Needs Stage::kVelocity of the tree.
template <typename T>
void CalcPassivityInverseDynamics(const VelocitySpace&, const Factorization& factorization,
                                  VectorIn<T> w_r, VectorIn<T> wdot_r, SpaceWorkspace<T>&,
                                  VectorOut<T> tau);

/// Product C̄(q,w) x (nw numbers) for any x (nw numbers), with C̄ as CalcCoriolisMatrix gives it for
/// `factorization`. Needs Stage::kVelocity of the tree.
template <typename T>
void CalcCoriolisProduct(const VelocitySpace&, const Factorization& factorization, VectorIn<T> x,
                         SpaceWorkspace<T>&, VectorOut<T> product);

/// Product C̄ᵀ(q,w) x (nw numbers) for any x (nw numbers), likewise: the momentum p̄ = H̄ w has p̄̇ =
/// τ̄ + C̄ᵀw − ḡ. Needs Stage::kVelocity of the tree.
template <typename T>
void CalcCoriolisTransposeProduct(const VelocitySpace&, const Factorization& factorization,
                                  VectorIn<T> x, SpaceWorkspace<T>&, VectorOut<T> product);

/// Slotine–Li regressor of a closed chain: Ȳ = AᵀY, nw × 10·n of n `frames`, and ȳ₀, nw numbers,
/// with H̄ ẇ_r + C̄ w_r + ḡ = Ȳ π + ȳ₀ for every π (civita/regressor.h), for any w_r and ẇ_r (nw
/// numbers each). `tree_Y`, nv × 10·n, receives Y of the tree at A w_r and
/// A ẇ_r + Ȧ w_r. Needs Stage::kVelocity of the tree.
template <typename T>
void CalcRegressor(const VelocitySpace&, const Factorization& factorization,
                   std::span<const Model::NamedFrame> frames, VectorIn<T> w_r, VectorIn<T> wdot_r,
                   SpaceWorkspace<T>&, MatrixOut<T> tree_Y, MatrixOut<T> Y, VectorOut<T> y_0);

/// Products Ȳ x (nw numbers) and Ȳᵀs (10·n numbers) without the matrix, for x of 10·n and s of nw
/// numbers; as in civita/regressor.h the arguments and the result of one of them may be empty.
/// Needs Stage::kVelocity of the tree.
template <typename T>
void CalcRegressorProducts(const VelocitySpace&, const Factorization& factorization,
                           std::span<const Model::NamedFrame> frames, VectorIn<T> w_r,
                           VectorIn<T> wdot_r, VectorIn<T> x, VectorIn<T> s, SpaceWorkspace<T>&,
                           VectorOut<T> Yx, VectorOut<T> YTs);

/// Derivatives ∂ẇ/∂π = −H̄⁻¹Ȳ, nw × 10·n, of forward dynamics by the inertial parameters of n
/// `frames`, with q, w and τ̄ constant, at the acceleration `wdot` (nw numbers) of
/// CalcForwardDynamics; `tree_Y` as of CalcRegressor. Needs Stage::kVelocity of the tree. @returns
/// kSingularMassMatrix if H̄ is not positive definite; dwdot_dpi then stays as it is.
template <typename T>
Status CalcForwardDynamicsParameterDerivatives(const VelocitySpace&,
                                               std::span<const Model::NamedFrame> frames,
                                               VectorIn<T> wdot, SpaceWorkspace<T>&,
                                               MatrixOut<T> tree_Y, MatrixOut<T> dwdot_dpi);

}  // namespace civita
