#pragma once

#include "python/src/docs.h"

// What the docstrings share: CIVITA_DOC_QW begins the parameters.

#define CIVITA_DOC_QW                  \
  CIVITA_DOC_Q                         \
  "w : array_like, (nw,) or (N, nw)\n" \
  "    Independent velocity, rad/s and m/s.\n"
#define CIVITA_DOC_WDOT                   \
  "wdot : array_like, (nw,) or (N, nw)\n" \
  "    Acceleration, the rate of w number by number.\n"
#define CIVITA_DOC_X                   \
  "x : array_like, (nw,) or (N, nw)\n" \
  "    Any vector.\n"
#define CIVITA_DOC_REFERENCE_W              \
  "w_r : array_like, (nw,) or (N, nw)\n"    \
  "    Reference velocity.\n"               \
  "wdot_r : array_like, (nw,) or (N, nw)\n" \
  "    Reference acceleration.\n"
#define CIVITA_DOC_POINT_OF CIVITA_DOC_FRAME CIVITA_DOC_POINT CIVITA_DOC_REFERENCE

namespace civita::python {

// Docstrings of bind_closed_chains.cc and bind_closed_chain_derivatives.cc.

constexpr const char* kClosedChainDynamicsDoc =
    R"(Equations of motion H(q) ẇ + C(q,w) w + g(q) = τ of closed chains in their independent velocities w.

The model's loops and coupled joints leave v = A(q) w of the velocities v of its tree: H = AᵀH_tree A, C =
AᵀC_tree A + AᵀH_tree Ȧ ([WES], section VI-C), τ = Aᵀτ_tree. Methods have the names, results and batches of
those of Dynamics. q is the configuration of the tree, with loops that are closed but for max_gap; `close`
closes them. What depends on q alone, as poses, Dynamics gives.

Parameters
----------
model : Model
    With closed loops or coupled joints.
factorization : str or Factorization
    Which C_tree, and so which C; default "christoffel", the torsion-free one.
independent : sequence of str
    Names of velocities that are to be independent; the others are chosen for a good condition.
q : array_like, (nq,), optional
    From where loops are closed and velocities chosen; default the model's default_position.
max_condition : float
    Loops of a larger condition are singular: ValueError.
max_gap : float
    Loops that are open by more, in rad or units of the loop's length, are refused: ValueError.
threads : int, optional
    Threads for batches, four for each processor at most; default: one for each.)";

constexpr const char* kCloseDoc =
    R"(The configuration with closed loops near q that has the same independent positions.)" CIVITA_DOC_Q
        CIVITA_DOC_OUT R"(q : ndarray, (nq,) or (N, nq)

Notes
-----
Damped Newton steps. ValueError where there is none.)";

constexpr const char* kConditionDoc =
    R"(Condition ‖K‖·‖K_d⁻¹‖ of the worst loop, infinite at a singular configuration.)" CIVITA_DOC_Q
    R"(
Returns
-------
condition : float or ndarray, (N,)
    Above max_condition the other methods raise ValueError.)";

constexpr const char* kVelocityMapDoc =
    R"(A(q) of v = A w.)" CIVITA_DOC_Q CIVITA_DOC_OUT R"(A : ndarray, (nv, nw) or (N, nv, nw))";

constexpr const char* kVelocityMapDerivativeDoc =
    R"(Rate Ȧ of A along w.)" CIVITA_DOC_QW CIVITA_DOC_OUT
    R"(Adot : ndarray, (nv, nw) or (N, nv, nw))";

constexpr const char* kTreeVelocityDoc =
    R"(Velocity v = A w of the tree.)" CIVITA_DOC_QW CIVITA_DOC_OUT R"(v : ndarray, (nv,) or (N, nv)

Notes
-----
`model.integrate_position(q, v, dt)` leaves the loops by an error of order dt², which `close` mends.)";

constexpr const char* kTreeAccelerationDoc =
    R"(Acceleration v̇ = A ẇ + Ȧ w of the tree.)" CIVITA_DOC_QW CIVITA_DOC_WDOT CIVITA_DOC_OUT
    R"(vdot : ndarray, (nv,) or (N, nv))";

constexpr const char* kReducedForcesDoc =
    R"(Generalized forces Aᵀτ on w of forces τ on the joints of the tree.)" CIVITA_DOC_Q
    R"(tau : array_like, (nv,) or (N, nv)
    N·m or N.
)" CIVITA_DOC_OUT R"(tau_w : ndarray, (nw,) or (N, nw))";

constexpr const char* kClosedMassMatrixDoc =
    R"(Mass matrix H = AᵀH_tree A.)" CIVITA_DOC_Q CIVITA_DOC_OUT
    R"(H : ndarray, (nw, nw) or (N, nw, nw))";

constexpr const char* kClosedMassMatrixDerivativeDoc =
    R"(Rate Ḣ of the mass matrix along w.)" CIVITA_DOC_QW CIVITA_DOC_OUT
    R"(Hdot : ndarray, (nw, nw) or (N, nw, nw)

Notes
-----
Computed without a Coriolis matrix, so that Ḣ = C + Cᵀ is an independent check of one.)";

constexpr const char* kClosedCoriolisMatrixDoc =
    R"(Mass matrix H and Coriolis matrix C = AᵀC_tree A + AᵀH_tree Ȧ of the factorization.)" CIVITA_DOC_QW
        CIVITA_DOC_OUTS R"(H, C : ndarray, (nw, nw) or (N, nw, nw) each

Notes
-----
[WES], (17). Every factorization but `alpha` has Ḣ = C + Cᵀ; the default's connection is torsion-free.)";

constexpr const char* kClosedCoriolisProductDoc =
    R"(C(q,w) x for any x.)" CIVITA_DOC_QW CIVITA_DOC_X CIVITA_DOC_OUT
    R"(product : ndarray, (nw,) or (N, nw))";

constexpr const char* kClosedCoriolisTransposeProductDoc =
    R"(Cᵀ(q,w) x for any x.)" CIVITA_DOC_QW CIVITA_DOC_X CIVITA_DOC_OUT
    R"(product : ndarray, (nw,) or (N, nw)

Notes
-----
p = H w has ṗ = τ + Cᵀw − g if Ḣ = C + Cᵀ.)";

constexpr const char* kClosedChristoffelSymbolsDoc =
    R"(Christoffel symbols Γ_abc of the first kind of the Riemannian connection of H.)" CIVITA_DOC_Q
        CIVITA_DOC_OUT R"(Gamma : ndarray, (nw, nw, nw) or (N, nw, nw, nw)
    C[a, c] = Σ_b Gamma[a, b, c] w[b] of the default factorization ([WES], theorem V.2).)";

constexpr const char* kClosedConnectionDoc =
    R"(Connection Γ_abc of the factorization.)" CIVITA_DOC_Q CIVITA_DOC_OUT
    R"(Gamma : ndarray, (nw, nw, nw) or (N, nw, nw, nw)
    C[a, c] = Σ_b Gamma[a, b, c] w[b] of this factorization's C ([WES], (10) and (17)).

Notes
-----
From nw evaluations of C.)";

constexpr const char* kClosedGravityDoc =
    R"(Gravity forces g = Aᵀg_tree.)" CIVITA_DOC_Q CIVITA_DOC_OUT R"(g : ndarray, (nw,) or (N, nw)
    N·m or N; springs are not included.)";

constexpr const char* kClosedBiasForcesDoc =
    R"(Bias forces C w + g, the same for every factorization.)" CIVITA_DOC_QW CIVITA_DOC_OUT
    R"(bias : ndarray, (nw,) or (N, nw)
    N·m or N.)";

constexpr const char* kClosedRneaDoc =
    R"(Inverse dynamics τ = H ẇ + C w + g − AᵀJᵀf.)" CIVITA_DOC_QW CIVITA_DOC_WDOT CIVITA_DOC_FORCES
        CIVITA_DOC_OUT R"(tau : ndarray, (nw,) or (N, nw)
    N·m or N.

Notes
-----
Aᵀ times the tree's recursive Newton–Euler at A ẇ + Ȧ w, O(N).)";

constexpr const char* kClosedPassivityRneaDoc =
    R"(H ẇ_r + C(q,w) w_r + g with any reference velocity and acceleration.)" CIVITA_DOC_QW
        CIVITA_DOC_REFERENCE_W CIVITA_DOC_OUT R"(tau : ndarray, (nw,) or (N, nw)
    N·m or N.)";

constexpr const char* kClosedForwardDynamicsDoc =
    R"(Acceleration ẇ = H⁻¹(τ + AᵀJᵀf − C w − g).)" CIVITA_DOC_QW
    R"(tau : array_like, (nw,) or (N, nw)
    Generalized forces on w, N·m or N; `reduced_forces` has those of forces on the tree's joints.
)" CIVITA_DOC_FORCES CIVITA_DOC_OUT R"(wdot : ndarray, (nw,) or (N, nw)

Notes
-----
`tree_acceleration` has that of all joints. ValueError where H is singular.)";

constexpr const char* kClosedGeneralizedForcesDoc =
    R"(Generalized forces τ = Σ AᵀJᵀ[moment; force] of external wrenches.)" CIVITA_DOC_Q
        CIVITA_DOC_FORCES CIVITA_DOC_OUT R"(tau : ndarray, (nw,) or (N, nw)
    N·m or N.)";

constexpr const char* kClosedRegressorDoc =
    R"(Slotine–Li regressor: H ẇ_r + C w_r + g = Y π + y_0.)" CIVITA_DOC_QW CIVITA_DOC_REFERENCE_W
        CIVITA_DOC_FRAMES CIVITA_DOC_OUTS R"(Y : ndarray, (nw, 10·n) or (N, nw, 10·n)
    Ten columns for each of n frames, as those of Dynamics.
y_0 : ndarray, (nw,) or (N, nw)
    Forces of armature and injections.)";

constexpr const char* kClosedFrameVelocityDoc =
    R"(Velocity of a frame and of a point fixed in it.)" CIVITA_DOC_QW CIVITA_DOC_POINT_OF
        CIVITA_DOC_OUT
    R"(velocity : ndarray, (6,) or (N, 6)
    [angular velocity, rad/s; velocity of the point, m/s].)";

constexpr const char* kClosedFrameAccelerationDoc =
    R"(Spatial acceleration of a frame about a point fixed in it.)" CIVITA_DOC_QW CIVITA_DOC_WDOT
        CIVITA_DOC_POINT_OF CIVITA_DOC_OUT R"(acceleration : ndarray, (6,) or (N, 6)
    [angular, rad/s²; p̈ − ω × ṗ, m/s²], gravity not included.)";

constexpr const char* kClosedFrameClassicalAccelerationDoc =
    R"(Acceleration of a frame and of a point fixed in it.)" CIVITA_DOC_QW CIVITA_DOC_WDOT
        CIVITA_DOC_POINT_OF CIVITA_DOC_OUT R"(acceleration : ndarray, (6,) or (N, 6)
    [angular, rad/s²; of the point, m/s²], gravity not included.)";

constexpr const char* kClosedJacobianDoc =
    R"(Jacobian of a frame and of a point fixed in it.)" CIVITA_DOC_Q CIVITA_DOC_POINT_OF
        CIVITA_DOC_OUT
    R"(J : ndarray, (6, nw) or (N, 6, nw)
    J w = [angular velocity; velocity of the point].)";

constexpr const char* kClosedJacobianDerivativeDoc =
    R"(Rate along w of the numbers of the Jacobian.)" CIVITA_DOC_QW CIVITA_DOC_POINT_OF
        CIVITA_DOC_OUT R"(Jdot : ndarray, (6, nw) or (N, 6, nw))";

constexpr const char* kClosedRelativeJacobianDoc =
    R"(Jacobian of a frame and of a point fixed in it relative to another frame.)" CIVITA_DOC_Q
        CIVITA_DOC_BASE CIVITA_DOC_POINT_OF CIVITA_DOC_OUT R"(J : ndarray, (6, nw) or (N, 6, nw)
    "world" and "world axes" are base's.)";

constexpr const char* kClosedRelativeJacobianDerivativeDoc =
    R"(Rate along w of the numbers of `relative_jacobian`.)" CIVITA_DOC_QW CIVITA_DOC_BASE
        CIVITA_DOC_POINT_OF CIVITA_DOC_OUT R"(Jdot : ndarray, (6, nw) or (N, 6, nw))";

constexpr const char* kClosedCenterOfMassJacobianDoc =
    R"(Jacobian of the centre of mass.)" CIVITA_DOC_Q CIVITA_DOC_OUT
    R"(J : ndarray, (3, nw) or (N, 3, nw)
    J w is its velocity, m/s.)";

constexpr const char* kClosedCentroidalMomentumDoc =
    R"(Momentum about the centre of mass.)" CIVITA_DOC_QW CIVITA_DOC_OUT
    R"(h : ndarray, (6,) or (N, 6)
    [angular, kg·m²/s; linear, kg·m/s], in world axes.)";

constexpr const char* kClosedCentroidalMomentumMatrixDoc =
    R"(Matrix A_G of the momentum about the centre of mass.)" CIVITA_DOC_Q CIVITA_DOC_OUT
    R"(A : ndarray, (6, nw) or (N, 6, nw)
    A w = centroidal momentum.)";

constexpr const char* kClosedKineticEnergyDoc = R"(Kinetic energy ½ wᵀH w.)" CIVITA_DOC_QW R"(
Returns
-------
energy : float or ndarray, (N,)
    J.)";

}  // namespace civita::python
