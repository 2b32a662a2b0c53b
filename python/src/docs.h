#pragma once

#include "python/src/doc_parts.h"

// Docstrings of the classes, and of the methods of Dynamics in bind_dynamics.cc.

namespace civita::python {

constexpr const char* kMassMatrixDoc =
    R"(Mass matrix H(q), armature included.)" CIVITA_DOC_Q CIVITA_DOC_OUT
    R"(H : ndarray, (nv, nv) or (N, nv, nv)
    Symmetric, kg·m² between rotations, kg between translations.

Notes
-----
Composite rigid bodies, O(N·d).)";

constexpr const char* kMassMatrixDerivativeDoc =
    R"(Rate Ḣ of the mass matrix along v.)" CIVITA_DOC_QV CIVITA_DOC_OUT
    R"(Hdot : ndarray, (nv, nv) or (N, nv, nv)

Notes
-----
Computed without a Coriolis matrix, so that Ḣ = C + Cᵀ is an independent check of one.)";

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
    R"(C(q,v) w for any w, without the matrix.)" CIVITA_DOC_QV R"(w : array_like, (nv,) or (N, nv)
    Any vector.
)" CIVITA_DOC_OUT R"(product : ndarray, (nv,) or (N, nv)

Notes
-----
O(N). C is that of the factorization: Σ Γ_ijk v_j w_k of its connection.)";

constexpr const char* kCoriolisTransposeProductDoc =
    R"(Cᵀ(q,v) w for any w, without the matrix.)" CIVITA_DOC_QV R"(w : array_like, (nv,) or (N, nv)
    Any vector.
)" CIVITA_DOC_OUT R"(product : ndarray, (nv,) or (N, nv)

Notes
-----
O(N). A momentum observer needs it: p = H v has ṗ = τ + Cᵀv − g if Ḣ = C + Cᵀ.)";

constexpr const char* kGravityDoc =
    R"(Gravity forces g(q).)" CIVITA_DOC_Q CIVITA_DOC_OUT R"(g : ndarray, (nv,) or (N, nv)
    N·m or N; springs are not included.)";

constexpr const char* kBiasForcesDoc =
    R"(Bias forces C v + g, the same for every factorization.)" CIVITA_DOC_QV CIVITA_DOC_OUT
    R"(bias : ndarray, (nv,) or (N, nv)
    N·m or N.)";

constexpr const char* kRneaDoc =
    R"(Inverse dynamics τ = H v̇ + C v + g.)" CIVITA_DOC_QV CIVITA_DOC_VDOT CIVITA_DOC_OUT
    R"(tau : ndarray, (nv,) or (N, nv)
    N·m or N.

Notes
-----
Recursive Newton–Euler ([F], section 5.3), O(N). Damping, friction and springs are not included, see
`passive_forces`.)";

constexpr const char* kPassivityRneaDoc =
    R"(H v̇_r + C(q,v) v_r + g with any reference velocity and acceleration.)" CIVITA_DOC_QV
    R"(v_r : array_like, (nv,) or (N, nv)
    Reference velocity.
vdot_r : array_like, (nv,) or (N, nv)
    Reference acceleration.
)" CIVITA_DOC_OUT R"(tau : ndarray, (nv,) or (N, nv)
    N·m or N.

Notes
-----
O(N), without C: the feedforward of a passivity-based law (Slotine and Li; [EW], remark 2). C is that of
the factorization; with v_r = v all give `rnea`.)";

constexpr const char* kForwardDynamicsDoc =
    R"(Acceleration v̇ = H⁻¹(τ − C v − g).)" CIVITA_DOC_QV R"(tau : array_like, (nv,) or (N, nv)
    Joint forces, N·m or N.
)" CIVITA_DOC_OUT R"(vdot : ndarray, (nv,) or (N, nv)

Notes
-----
Articulated bodies ([F], section 7.3), O(N). Not finite or meaningless where H is singular.)";

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
    "avx512", "avx2" or "plain"; default the fastest of the machine.)";

constexpr const char* kModelDoc =
    R"(A tree of rigid bodies. Immutable; any number of Dynamics may use it.

Made by `from_file`, `from_mujoco` or `ModelBuilder.build`. q has nq and v nv numbers in the order of the
joints.)";

}  // namespace civita::python
