#pragma once

// What the docstrings of methods share, to be written between their other parts. CIVITA_DOC_Q and
// CIVITA_DOC_QV begin the parameters, CIVITA_DOC_OUT and CIVITA_DOC_OUTS end them.

#define CIVITA_DOC_Q                   \
  "\n\nParameters\n----------\n"       \
  "q : array_like, (nq,) or (N, nq)\n" \
  "    Configuration; quaternions are [w, x, y, z].\n"

#define CIVITA_DOC_QV                                                                            \
  CIVITA_DOC_Q                                                                                   \
  "v : array_like, (nv,) or (N, nv)\n"                                                           \
  "    Velocity, rad/s and m/s; angular velocities of ball and free joints in the body's axes, " \
  "linear ones\n    of free joints in the world's.\n"

#define CIVITA_DOC_VDOT                   \
  "vdot : array_like, (nv,) or (N, nv)\n" \
  "    Acceleration, the rate of v number by number.\n"

#define CIVITA_DOC_FRAMES                       \
  "frames : str or sequence of str, optional\n" \
  "    Names of frames of the model, default its `body_frames`.\n"
#define CIVITA_DOC_FRAME \
  "frame : str\n"        \
  "    Name of a frame of the model.\n"

#define CIVITA_DOC_BASE \
  "base : str\n"        \
  "    Name of the frame that takes the world's place.\n"

#define CIVITA_DOC_POINT                 \
  "point : array_like, (3,), optional\n" \
  "    A point fixed in the frame, in its axes from its origin, m; default the origin.\n"

#define CIVITA_DOC_REFERENCE                                                                       \
  "reference : {'local_world_aligned', 'local', 'world'}\n"                                        \
  "    The point whose motion the linear part is, and the axes of both parts: the point in world " \
  "axes, the point\n    in the frame's axes, or the body's point at the world's origin in world "  \
  "axes.\n"

#define CIVITA_DOC_FRICTION                                                                       \
  "friction_speed : float\n"                                                                      \
  "    Speed that smooths dry friction, rad/s or m/s.\n"                                          \
  "full_speeds : array_like, (nv + tendons,), optional\n"                                         \
  "    Of each velocity, then of each fixed tendon: the speed from which on its dry friction is " \
  "full, and below\n    which it is proportional to the velocity, as MuJoCo's soft constraint; "  \
  "0, the "                                                                                       \
  "default: by friction_speed.\n"

#define CIVITA_DOC_FORCES                                                                         \
  "forces : dict, optional\n"                                                                     \
  "    From names of frames to external wrenches [moment about the frame's origin, N·m; force, " \
  "N] "                                                                                           \
  "in world axes, (6,) or\n    (N, 6).\n"

#define CIVITA_DOC_OUT                                                          \
  "out : ndarray, optional\n"                                                   \
  "    Where the result goes: writable, C-contiguous, float64, of its shape.\n" \
  "\nReturns\n-------\n"

#define CIVITA_DOC_OUTS                                                           \
  "out : tuple of ndarray, optional\n"                                            \
  "    Where the results go: writable, C-contiguous, float64, of their shapes.\n" \
  "\nReturns\n-------\n"

/// What C w and Cᵀw take and give.
#define CIVITA_DOC_PRODUCT             \
  "w : array_like, (nv,) or (N, nv)\n" \
  "    Any vector.\n" CIVITA_DOC_OUT "product : ndarray, (nv,) or (N, nv)\n"

#define CIVITA_DOC_REFERENCE_MOTION         \
  "v_r : array_like, (nv,) or (N, nv)\n"    \
  "    Reference velocity.\n"               \
  "vdot_r : array_like, (nv,) or (N, nv)\n" \
  "    Reference acceleration.\n"

namespace civita::python {

// Docstrings of the classes, and of the methods of Dynamics in bind_dynamics.cc.

constexpr const char* kMassMatrixDoc =
    R"(Mass matrix H(q), armature included.)" CIVITA_DOC_Q CIVITA_DOC_OUT
    R"(H : ndarray, (nv, nv) or (N, nv, nv)
    Symmetric, kg·m² between rotations, kg between translations.

Notes
-----
Composite rigid bodies, O(N·d).)";

constexpr const char* kCoriolisMatrixDoc =
    R"(Mass matrix H and Coriolis matrix C of the factorization.)" CIVITA_DOC_QV CIVITA_DOC_OUTS
    R"(H, C : ndarray, (nv, nv) or (N, nv, nv) each
    C in kg·m²/s between rotations.

Notes
-----
Algorithm 1 of [EW], O(N·d). With the default factorization C is the Christoffel-consistent,
torsion-free one, C_ik = Σ_j Γ_ijk v_j, for ball and free joints generalized to their velocities ([WES],
theorem III.1). Every factorization has the same C v; every one but `alpha` has Ḣ = C + Cᵀ.)";

constexpr const char* kCoriolisProductDoc =
    R"(C(q,v) w for any w, without the matrix.)" CIVITA_DOC_QV CIVITA_DOC_PRODUCT R"(
Notes
-----
O(N). C is that of the factorization: Σ Γ_ijk v_j w_k of its connection.)";

constexpr const char* kCoriolisTransposeProductDoc =
    R"(Cᵀ(q,v) w for any w, without the matrix.)" CIVITA_DOC_QV CIVITA_DOC_PRODUCT R"(
Notes
-----
O(N). A momentum observer needs it: p = H v has ṗ = τ + Cᵀv − g if Ḣ = C + Cᵀ.)";

constexpr const char* kRneaDoc =
    R"(Inverse dynamics τ = H v̇ + C v + g − Jᵀf.)" CIVITA_DOC_QV CIVITA_DOC_VDOT CIVITA_DOC_FORCES
        CIVITA_DOC_OUT
    R"(tau : ndarray, (nv,) or (N, nv)
    N·m or N.

Notes
-----
Recursive Newton–Euler ([F], section 5.3), O(N). Damping, friction and springs are not included, see
`passive_forces`.)";

constexpr const char* kPassivityRneaDoc =
    R"(H v̇_r + C(q,v) v_r + g with any reference velocity and acceleration.)" CIVITA_DOC_QV
        CIVITA_DOC_REFERENCE_MOTION CIVITA_DOC_OUT R"(tau : ndarray, (nv,) or (N, nv)
    N·m or N.

Notes
-----
O(N), without C: the feedforward of a passivity-based law (Slotine and Li; [EW], remark 2). C is that of
the factorization; with v_r = v all give `rnea`.)";

constexpr const char* kForwardDynamicsDoc =
    R"(Acceleration v̇ = H⁻¹(τ + Jᵀf − C v − g).)" CIVITA_DOC_QV
    R"(tau : array_like, (nv,) or (N, nv)
    Joint forces, N·m or N.
)" CIVITA_DOC_FORCES CIVITA_DOC_OUT R"(vdot : ndarray, (nv,) or (N, nv)

Notes
-----
Articulated bodies ([F], section 7.3), O(N). Not finite or meaningless where H is singular.)";

constexpr const char* kGeneralizedForcesDoc =
    R"(Generalized forces τ = Σ Jᵀ[moment; force] of external wrenches.)" CIVITA_DOC_Q
        CIVITA_DOC_FORCES CIVITA_DOC_OUT R"(tau : ndarray, (nv,) or (N, nv)
    N·m or N.

Notes
-----
O(N), without Jacobians.)";

constexpr const char* kChristoffelSymbolsDoc =
    R"(Christoffel symbols Γ_ijk of the first kind of the Riemannian connection.)" CIVITA_DOC_Q
        CIVITA_DOC_OUT R"(Gamma : ndarray, (nv, nv, nv) or (N, nv, nv, nv)
    Gamma[i, j, k], kg·m² between rotations; C[i, k] = Σ_j Gamma[i, j, k] v[j].

Notes
-----
Algorithm 2 of [EW], O(N·d²), for ball and free joints generalized ([WES], section III). Whatever the
factorization; `connection` is that of the factorization.)";

constexpr const char* kPackedChristoffelSymbolsDoc =
    R"(Christoffel symbols, each nonzero one once.)" CIVITA_DOC_Q CIVITA_DOC_OUT
    R"(packed : ndarray, (np,) or (N, np)
    About nv³/3 numbers for a chain; docs/eval.md says how to unpack them (Gamma_packed).)";

constexpr const char* kConnectionDoc =
    R"(Symbols Γ_ijk of the factorization's connection, torsion included.)" CIVITA_DOC_Q
        CIVITA_DOC_OUT R"(Gamma : ndarray, (nv, nv, nv) or (N, nv, nv, nv)
    C[i, k] = Σ_j Gamma[i, j, k] v[j] of the factorization.

Notes
-----
[WES] (10). Without torsion `christoffel_symbols` gives the same numbers faster.)";

constexpr const char* kDynamicsDoc =
    R"(Equations of motion H(q) v̇ + C(q,v) v + g(q) = τ of a model, with C of a factorization.

v are the velocities of the model's tree; with `loops` those that its closed loops and coupled joints leave, or
with `coordinates` others of one's own, each with v_tree = A(q) v, H = AᵀH_tree A, C = AᵀC_tree A + AᵀH_tree Ȧ
([WES], (17)), τ = Aᵀτ_tree. They have nw numbers, where the docstrings of the methods say nv. q is always the
configuration of the tree, with loops that are closed but for max_gap; `close` closes them.

Every method takes one state, or a batch with a row for each of N states, which runs on all threads; the
results of a batch have a first axis of N states. Arguments that are not C-contiguous float64 arrays are
converted; text, complex and boolean numbers are refused (TypeError), as are other shapes and numbers
that are not finite (ValueError). The GIL is released while a method computes. One object serves threads
one after the other: for calls side by side, each thread makes its own.

Parameters
----------
model : Model
factorization : str or Factorization
    Which C; default "christoffel", the torsion-free one.
threads : int, optional
    Threads for batches, four for each processor at most; default: one for each.
instruction_set : str, optional
    "avx512", "avx2", "baseline" or "plain"; default the fastest of the machine.
loops : bool
    In the independent velocities of the model's loops and coupled joints, which it must have.
coordinates : str, optional
    In these velocities: body_twists, com_decoupled, mass_orthonormal, task:FRAME[:pose], FILE.csv or FILE.yaml;
    not with loops.
independent : sequence of str
    Of loops: names of velocities that are to be independent; the others are chosen for a good condition.
q : array_like, (nq,), optional
    From where loops are closed, and velocities chosen; default the model's default_position.
max_condition : float
    Loops of a larger condition are singular: ValueError.
max_gap : float
    Loops that are open by more, in rad or units of the loop's length, are refused: ValueError.)";

constexpr const char* kModelDoc =
    R"(A tree of rigid bodies. Immutable; any number of Dynamics may use it.

Made by `from_file`, `from_mujoco` or `ModelBuilder.build`. q has nq and v nv numbers in the order of the
joints.)";

// Docstrings of the methods of Dynamics in bind_frames.cc.

constexpr const char* kFramePoseDoc =
    R"(Orientation and position of a frame in the world.)" CIVITA_DOC_Q CIVITA_DOC_FRAME
        CIVITA_DOC_OUTS R"(R : ndarray, (3, 3) or (N, 3, 3)
    Rotates the frame's axes into the world's.
p : ndarray, (3,) or (N, 3)
    Position of its origin, m.)";

constexpr const char* kFrameVelocityDoc =
    R"(Velocity of a frame and of a point fixed in it.)" CIVITA_DOC_QV CIVITA_DOC_FRAME
        CIVITA_DOC_POINT CIVITA_DOC_REFERENCE CIVITA_DOC_OUT R"(velocity : ndarray, (6,) or (N, 6)
    [angular velocity, rad/s; velocity of the point, m/s].)";

constexpr const char* kFrameAccelerationDoc =
    R"(Spatial acceleration of a frame about a point fixed in it.)" CIVITA_DOC_QV CIVITA_DOC_VDOT
        CIVITA_DOC_FRAME CIVITA_DOC_POINT CIVITA_DOC_REFERENCE CIVITA_DOC_OUT
    R"(acceleration : ndarray, (6,) or (N, 6)
    [angular, rad/s²; p̈ − ω × ṗ, m/s²], gravity not included.

Notes
-----
With "world" and "local" the rate of the numbers of `frame_velocity` ([F], section 2.11).)";

constexpr const char* kFrameClassicalAccelerationDoc =
    R"(Acceleration of a frame and of a point fixed in it.)" CIVITA_DOC_QV CIVITA_DOC_VDOT
        CIVITA_DOC_FRAME CIVITA_DOC_POINT CIVITA_DOC_REFERENCE CIVITA_DOC_OUT
    R"(acceleration : ndarray, (6,) or (N, 6)
    [angular, rad/s²; of the point, m/s²], gravity not included.

Notes
-----
With "local_world_aligned" the rate of the numbers of `frame_velocity`.)";

constexpr const char* kFrameBiasAccelerationDoc =
    R"(J̇ v: acceleration of a frame and of a point fixed in it at v̇ = 0.)" CIVITA_DOC_QV
        CIVITA_DOC_FRAME CIVITA_DOC_POINT CIVITA_DOC_OUT R"(acceleration : ndarray, (6,) or (N, 6)
    [angular, rad/s²; of the point, m/s²], in world axes.)";

constexpr const char* kJacobianDoc =
    R"(Jacobian of a frame and of a point fixed in it.)" CIVITA_DOC_Q CIVITA_DOC_FRAME
        CIVITA_DOC_POINT CIVITA_DOC_REFERENCE CIVITA_DOC_OUT
    R"(J : ndarray, (6, nv) or (N, 6, nv)
    J v = [angular velocity; velocity of the point].)";

constexpr const char* kJacobianDerivativeDoc =
    R"(Rate J̇ along v of the numbers of the Jacobian.)" CIVITA_DOC_QV CIVITA_DOC_FRAME
        CIVITA_DOC_POINT CIVITA_DOC_REFERENCE CIVITA_DOC_OUT
    R"(Jdot : ndarray, (6, nv) or (N, 6, nv))";

constexpr const char* kRelativeJacobianDoc =
    R"(Jacobian of a frame and of a point fixed in it relative to another frame.)" CIVITA_DOC_Q
        CIVITA_DOC_BASE CIVITA_DOC_FRAME CIVITA_DOC_POINT CIVITA_DOC_REFERENCE CIVITA_DOC_OUT
    R"(J : ndarray, (6, nv) or (N, 6, nv)
    J v = [angular velocity; velocity of the point] in base.

Notes
-----
"world" and "world axes" are here base's: with "local_world_aligned" the linear part is the rate of the
point's place in base.)";

constexpr const char* kRelativeJacobianDerivativeDoc =
    R"(Rate J̇ along v of the numbers of `relative_jacobian`.)" CIVITA_DOC_QV CIVITA_DOC_BASE
        CIVITA_DOC_FRAME CIVITA_DOC_POINT CIVITA_DOC_REFERENCE CIVITA_DOC_OUT
    R"(Jdot : ndarray, (6, nv) or (N, 6, nv))";

constexpr const char* kRegressorDoc =
    R"(Slotine–Li regressor: H v̇_r + C v_r + g = Y π + y_0.)" CIVITA_DOC_QV
        CIVITA_DOC_REFERENCE_MOTION CIVITA_DOC_FRAMES CIVITA_DOC_OUTS
    R"(Y : ndarray, (nv, 10·n) or (N, nv, 10·n)
    Ten columns for each of n frames, for inertial parameters in its axes and about its origin. By
    default π are the model's `parameters`.
y_0 : ndarray, (nv,) or (N, nv)
    Forces of armature and injections.

Notes
-----
C is that of the factorization ([WES], section IV-A).)";

constexpr const char* kRegressorProductDoc =
    R"(Product Y π of `regressor` without Y, in the time of about one `passivity_rnea`.)" CIVITA_DOC_QV
        CIVITA_DOC_REFERENCE_MOTION
    R"(pi : array_like, (10·n,) or (N, 10·n)
    Inertial parameters of the n frames, or errors of estimates.
)" CIVITA_DOC_FRAMES CIVITA_DOC_OUT R"(tau : ndarray, (nv,) or (N, nv)
    N·m or N, without the forces y_0 of armature and injections.)";

constexpr const char* kRegressorTransposeProductDoc =
    R"(Product Yᵀs of `regressor` without Y: what an adaptive law's estimates follow.)" CIVITA_DOC_QV
        CIVITA_DOC_REFERENCE_MOTION R"(s : array_like, (nv,) or (N, nv)
    Velocity, such as the error v − v_r.
)" CIVITA_DOC_FRAMES CIVITA_DOC_OUT R"(YTs : ndarray, (10·n,) or (N, 10·n)
    Power of each parameter's forces along s, per unit of the parameter.)";

constexpr const char* kPassiveForcesDoc =
    R"(Forces of damping, dry friction and springs of joints and tendons.)" CIVITA_DOC_QV
        CIVITA_DOC_FRICTION CIVITA_DOC_OUT R"(tau : ndarray, (nv,) or (N, nv)
    N·m or N: −stiffness (q − reference) − damping v − frictionloss tanh(v / friction_speed), with
    clip(v / full_speed, −1, 1) in the place of tanh for what has a full speed.)";

// Docstrings of evaluate, and of the methods of Dynamics in bind_geometry.cc.

constexpr const char* kGeodesicDoc =
    R"(Geodesic H v̇ + C v = 0 from q with velocity v: the motion without gravity and forces.

Every admissible factorization has the same ones; what they carry along differs by torsion.

Parameters
----------
q : array_like, (nq,)
v : array_like, (nv,)
duration : float
    s.
steps : int
    Of Runge-Kutta, fourth order.
vectors : array_like, (nv,) or (M, nv), optional
    To be transported in parallel along it.

Returns
-------
q : ndarray, (steps + 1, nq)
v : ndarray, (steps + 1, nv)
vectors : ndarray, (steps + 1, M, nv))";

constexpr const char* kTransportDoc =
    R"(Parallel transport H ẇ + C(q,v) w = 0 along a curve, by the factorization's connection.

Parameters
----------
curve : callable
    curve(t) returns (q, v), v the velocity of the curve at t, s.
vectors : array_like, (nv,) or (M, nv)
duration : float
    From t = 0, s.
steps : int
    Of Runge-Kutta, fourth order.

Returns
-------
vectors : ndarray, (steps + 1, M, nv)
    Their products in the metric H stay the same.)";

constexpr const char* kCovariantDerivativeDoc =
    R"(Covariant derivative H⁻¹(H ẇ + C(q,v) w) of a field along a motion ([WES], remark 5).

Parameters
----------
q : array_like, (nq,) or (N, nq)
v, w, wdot : array_like, (nv,) or (N, nv)
    Velocity, the field and its rate.
out : ndarray, optional

Returns
-------
derivative : ndarray, (nv,) or (N, nv))";

constexpr const char* kEvaluateDoc =
    R"(Quantities of `civita eval` at one state, or at a row for each of N states.

`civita.quantities()` lists them; docs/eval.md says what they are. The methods of Dynamics compute the
most important ones faster.

Parameters
----------
model : Model
quantities : str or sequence of str
    Such as "H", "torsion", "J:hand", "Lambda:hand:pose", or "all".
q : array_like, (nq,) or (N, nq), optional
    Default: the model's own configuration.
v, a, v_r, vdot_r, tau : array_like, (nv,) or (N, nv), optional
    Default: zeros; with reduced or coordinates of their velocities, nw numbers.
wrenches : sequence of dict, optional
    Forces from outside at every state: body, point, force, moment, axes ("world" or "body").
factorization : str or Factorization
coordinates : str
    "body_twists", "com_decoupled", "mass_orthonormal", "task:FRAME[:pose]" or a file.
reduced : bool
    Closed loops count, and all is in their independent velocities.
independent : sequence of str
    Names of velocities that are to be independent with reduced.

Returns
-------
dict of str to ndarray
    NaN where a quantity does not exist.

Raises
------
KeyError
    For an unknown quantity or body, with the nearest name.
ValueError
    For anything else, such as loops that cannot be closed at a state.)";

}  // namespace civita::python
