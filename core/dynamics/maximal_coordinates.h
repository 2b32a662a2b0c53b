#pragma once

#include <span>

#include "civita/factorization.h"
#include "civita/model.h"
#include "civita/workspace.h"

// Rigid bodies in maximal coordinates: the velocity of the system is the twist ξ = [ω; u] of every
// body, and H and C are block-diagonal ([WES], section VI-A). With v the velocities of the joints
// and A the stacked Jacobians, ξ = A v, C of the joints is AᵀC A + AᵀH Ȧ ([WES] (20)).

namespace civita {

/// What the six numbers of a twist are: generalized speeds that do not commute.
enum class TwistFrame {
  kBody,   ///< velocity of the body's origin, in the body's axes, as in [WES]; [a, b] = a × b
  kWorld,  ///< velocity of the body-fixed point that passes through the reference point of the
           ///< tree, in world axes, as in Workspace; [a, b] = −a × b
};

/// Diagonal blocks of a matrix, one a body.
template <typename T>
using BodyBlocks = std::span<Matrix6<std::type_identity_t<T>>>;

/// C of one rigid body whose generalized speeds are its twist in its own axes, 6 × 6,
/// Christoffel-consistent ([WES] (18), (19)):
///   C = ½[I(ξ×) + (ξ×*)I + (Iξ)×̄*] = [(Σω)×  h×ω×; −ω×h×  m ω×],   Σ = ½tr(Ī)·1 − Ī,
/// in which the linear velocity has no share. The mass matrix I is constant, C skew:
/// I ξ̇ + C ξ = the force on the body. kg·m²/s, kg·m/s, kg/s. I is [Ī h×; −h× m·1], h = m·com, about
/// the body's origin.
template <typename T>
Matrix6<T> CalcBodyTwistCoriolisMatrix(const Matrix6<T>& I, const Vector3<T>& w);

/// The same with the twist in world axes, the body-level factor of [EW] (10), [WES] (21):
///   C = ½[(ξ×*)I + (Iξ)×̄* − I(ξ×)] = [(Σω)× − Ī ω× − h×u×  0; (h×ω − m u)×  0].
/// The mass matrix I is carried by the body: C + Cᵀ = İ = (ξ×*)I − I(ξ×).
template <typename T>
Matrix6<T> CalcWorldTwistCoriolisMatrix(const Matrix6<T>& I, const Vector6<T>& V);

/// Diagonal blocks of C and H of the bodies (num_bodies() of each, in the order of
/// Model::bodies(), the massless bodies of a chain of joints among them with zeros). C is the one
/// that `factorization` names, torsion and injections at bodies included; a joint injection, like
/// armature, belongs to the joints' coordinates and not to a body. For all of them C ξ is the same
/// and, but for `alpha`, Ḣ = C + Cᵀ. Needs Stage::kVelocity.
template <typename T>
void CalcMaximalCoordinates(const Model& model, const Factorization& factorization,
                            TwistFrame frame, Workspace<T>& workspace, BodyBlocks<T> C,
                            BodyBlocks<T> H);

/// A, 6·num_bodies() × nv, with ξ = A v, and the rate Ȧ of its numbers. Needs Stage::kVelocity.
template <typename T>
void CalcMaximalJacobian(const Model& model, TwistFrame frame, Workspace<T>& workspace,
                         MatrixOut<T> A, MatrixOut<T> Adot);

}  // namespace civita
