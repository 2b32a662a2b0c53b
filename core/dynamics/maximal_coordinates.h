#pragma once

#include <span>

#include "civita/factorization.h"
#include "civita/model.h"
#include "civita/workspace.h"

// Rigid bodies in maximal coordinates: the velocity of the system is the twist ξ = [ω; u] of every
// body, and H and C are block-diagonal ([WES], section VI-A). With the generalized velocity v and
// the stacked Jacobians A, ξ = A v, the Coriolis matrix in v is AᵀC A + AᵀH Ȧ ([WES] (20)).

namespace civita {

/// Frame in which the twist [ω; u] of a body (rad/s, m/s) is expressed. Its six numbers are
/// generalized speeds that do not commute.
enum class TwistFrame {
  kBody,   ///< body axes, u the velocity of the body's origin, as in [WES]; [a, b] = a × b
  kWorld,  ///< world axes, u the velocity of the body-fixed point that passes through the tree's
           ///< reference point, as in Kinematics; [a, b] = −a × b
};

/// Diagonal blocks of a block-diagonal matrix, 6 × 6 each, one per body of Model::bodies().
template <typename T>
using BodyBlocks = std::span<Matrix6<std::type_identity_t<T>>>;

/// Christoffel-consistent C, 6 × 6, of one rigid body in its body twist ξ = [ω; u], expressed in
/// body axes ([WES] (18), (19)):
///   C = ½[I(ξ×) + (ξ×*)I + (Iξ)×̄*] = [(Σω)×  h×ω×; −ω×h×  m ω×],   Σ = ½tr(Ī)·1 − Ī,
/// which depends on the angular velocity `w` = ω (rad/s) alone. The mass matrix is the constant
/// I = [Ī h×; −h× m·1] about the body's origin with h = m·com, and C is skew: I ξ̇ + C ξ is the
/// wrench on the body. Blocks in kg·m²/s, kg·m/s, kg/s.
template <typename T>
Matrix6<T> CalcBodyTwistCoriolisMatrix(const Matrix6<T>& I, const Vector3<T>& w);

/// Christoffel-consistent C, 6 × 6, of one rigid body in its twist `V` = ξ = [ω; u], expressed in
/// world axes about a world-fixed point: the body-level factor of [EW] (10), [WES] (21),
///   C = ½[(ξ×*)I + (Iξ)×̄* − I(ξ×)] = [(Σω)× − Ī ω× − h×u×  0; (h×ω − m u)×  0],
///   Σ = ½tr(Ī)·1 − Ī.
/// The mass matrix I = [Ī h×; −h× m·1] about that point moves with the body:
/// C + Cᵀ = İ = (ξ×*)I − I(ξ×). Blocks in kg·m²/s, kg·m/s, kg/s.
template <typename T>
Matrix6<T> CalcWorldTwistCoriolisMatrix(const Matrix6<T>& I, const Vector6<T>& V);

/// Diagonal blocks of C and H in the twists of all bodies, expressed in `frame`: num_bodies()
/// blocks each, in the order of Model::bodies(); the massless bodies of a chain of joints have
/// zeros. C is the Coriolis matrix of `factorization` with its torsion and body injections; joint
/// injections and armature belong to joint coordinates and are not included. Every factorization
/// has the same C ξ and, except `alpha`, Ḣ = C + Cᵀ. Needs Stage::kVelocity.
template <typename T>
void CalcMaximalCoordinates(const Model& model, const Factorization& factorization,
                            TwistFrame frame, Workspace<T>& workspace, BodyBlocks<T> C,
                            BodyBlocks<T> H);

/// Stacked Jacobian A, 6·num_bodies() × nv, with ξ = A v for the twists of all bodies expressed in
/// `frame`, and its rate Ȧ entry by entry. Needs Stage::kVelocity.
template <typename T>
void CalcMaximalJacobian(const Model& model, TwistFrame frame, Workspace<T>& workspace,
                         MatrixOut<T> A, MatrixOut<T> Adot);

}  // namespace civita
