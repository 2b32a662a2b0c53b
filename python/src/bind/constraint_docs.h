#pragma once

#include "python/src/bind/docs.h"

#define CIVITA_DOC_DAMPING                                                                                    \
  "damping : float\n"                                                                                         \
  "    μ of (J H⁻¹Jᵀ + μ 1) λ = …: with μ > 0 forces are bounded at every configuration, and the " \
  "constraints\n    are met but for μ λ.\n"

namespace civita::python {

// Docstrings of bind_constraints.cc.

constexpr const char* kConstrainedDynamicsDoc =
    R"(Dynamics under contacts and loops: H v̇ + C v + g = τ + Jᵀλ, J v̇ + J̇ v = −damping ė − stiffness e.

Rows are [ω; ṗ] of frame B relative to A at point_B, in A's axes, of a point ṗ alone; λ is [moment; force]
on B there. Rows that depend on others are no error: of all λ it is the least in norm. Where such rows contradict
each other, as those of four points of a foot that turns, v̇ has the least sum of squares of what remains of
them (`residual`), whatever the axes of A: the limit of small `damping`.

Parameters
----------
model : Model
constraints : sequence of dict
    Of a frame: B : str, the frame that is held; A : str, the frame that holds it, default the world; point_A,
    point_B : array_like, (3,), points in the frames that coincide, m, default their origins;
    fixes_rotation : bool, whether B's axes stay parallel to A's, six rows instead of three; stiffness
    (1/s²) and damping (1/s), Baumgarte terms, default 0; name : str.
    Of a joint of one coordinate, one row, behind those of frames: joint : str, which follows leader : str,
    default none, by q − reference = Σ polynomial[n] (q_leader − leader_reference)ⁿ, up to five coefficients;
    stiffness, damping, name. Its λ is the force on the joint, N·m or N.
q : array_like, (nq,), optional
    Where J has the rank that is expected; default the model's default_position.
max_condition : float
    Above 1. Of a row, in the metric H⁻¹, what the others do not span counts as zero where it is smaller by
    this factor than the row, taken as large as the largest row of J of its point or rotation.
loops : bool or dict
    Whether the model's own closed loops and coupled joints are constraints, too, behind the others of their
    kind; a dict has their stiffness and damping.
threads : int, optional
    Threads for batches, four for each processor at most; default: one for each.

Raises
------
ValueError
    By a method at a state where the rank is less than expected, with the rank and the condition.)";

constexpr const char* kConstrainedForwardDynamicsDoc =
    R"(Acceleration and constraint forces.)" CIVITA_DOC_QV R"(tau : array_like, (nv,) or (N, nv)
    Joint forces, N·m or N.
)" CIVITA_DOC_FORCES CIVITA_DOC_DAMPING CIVITA_DOC_OUTS R"(vdot : ndarray, (nv,) or (N, nv)
lambda_ : ndarray, (m,) or (N, m)
    N·m and N.

Notes
-----
By the sparse factor of H and a QR decomposition with pivoting, O(N·d² + nv·m²).)";

constexpr const char* kImpulseDoc =
    R"(Velocity after an impact, J v⁺ = −restitution J v, and the impulses.)" CIVITA_DOC_QV
    R"(restitution : float
    0: B stays; 1: energy is kept.
)" CIVITA_DOC_DAMPING CIVITA_DOC_OUTS R"(v_after : ndarray, (nv,) or (N, nv)
Lambda : ndarray, (m,) or (N, m)
    H (v⁺ − v) = JᵀΛ, N·m·s and N·s.)";

constexpr const char* kConstrainedInverseDynamicsDoc =
    R"(Joint forces τ = H v̇ + C v + g − Jᵀλ with given constraint forces.)" CIVITA_DOC_QV
        CIVITA_DOC_VDOT R"(lambda_ : array_like, (m,) or (N, m)
    N·m and N.
)" CIVITA_DOC_OUT R"(tau : ndarray, (nv,) or (N, nv))";

constexpr const char* kResidualDoc =
    R"(What remains of the rows at an acceleration, J v̇ + J̇ v + damping ė + stiffness e.)" CIVITA_DOC_QV
        CIVITA_DOC_VDOT CIVITA_DOC_OUT R"(residual : ndarray, (m,) or (N, m)
    rad/s² and m/s²; of the v̇ of `forward_dynamics` zero unless rows contradict each other, or with damping.)";

constexpr const char* kOperationalSpaceInertiaDoc =
    R"(Operational-space inertia (J H⁻¹Jᵀ)⁻¹ of all rows.)" CIVITA_DOC_Q CIVITA_DOC_DAMPING
        CIVITA_DOC_OUT R"(inertia : ndarray, (m, m) or (N, m, m))";

constexpr const char* kConstraintJacobianDoc =
    R"(Jacobian J of all rows.)" CIVITA_DOC_Q CIVITA_DOC_OUT
    R"(J : ndarray, (m, nv) or (N, m, nv))";

constexpr const char* kConstraintErrorDoc =
    R"(Errors e of all rows.)" CIVITA_DOC_Q CIVITA_DOC_OUT R"(error : ndarray, (m,) or (N, m)
    Rotation vectors, rad, and distances, m, of B in A's axes.)";

}  // namespace civita::python
