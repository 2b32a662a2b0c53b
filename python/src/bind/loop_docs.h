#pragma once

#include "python/src/bind/docs.h"

// Docstrings of bind_loops.cc.

namespace civita::python {

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
    R"(Rate Ȧ of A along w.)" CIVITA_DOC_QV CIVITA_DOC_OUT
    R"(Adot : ndarray, (nv, nw) or (N, nv, nw))";

constexpr const char* kTreeVelocityDoc =
    R"(Velocity v = A w of the tree.)" CIVITA_DOC_QV CIVITA_DOC_OUT R"(v : ndarray, (nv,) or (N, nv)

Notes
-----
`model.integrate_position(q, v, dt)` leaves the loops by an error of order dt², which `close` mends.)";

constexpr const char* kTreeAccelerationDoc =
    R"(Acceleration v̇ = A ẇ + Ȧ w of the tree.)" CIVITA_DOC_QV CIVITA_DOC_VDOT CIVITA_DOC_OUT
    R"(vdot : ndarray, (nv,) or (N, nv))";

constexpr const char* kReducedForcesDoc =
    R"(Generalized forces Aᵀτ on w of forces τ on the joints of the tree.)" CIVITA_DOC_Q
    R"(tau : array_like, (nv,) or (N, nv)
    N·m or N.
)" CIVITA_DOC_OUT R"(tau_w : ndarray, (nw,) or (N, nw))";

constexpr const char* kTreeMotionDerivativesDoc =
    R"(Derivatives of v = A w by q and of v̇ = A ẇ + Ȧ w by q and w.)" CIVITA_DOC_QV CIVITA_DOC_VDOT
        CIVITA_DOC_OUTS R"(dv_dq, dvdot_dq, dvdot_dw : ndarray, (nv, nw) or (N, nv, nw) each)"
    R"(
    Column j of the first two is the rate along the motion A e_j, with the numbers of the others constant.

Notes
-----
With the tree's own derivatives they give that of any function f(q, v, v̇) of it by q, df/dq @ A + df/dv @
dv_dq + df/dvdot @ dvdot_dq. Analytic, from K A = 0 and K v̇ + K̇ v = 0.)";

constexpr const char* kReducedForcesDerivativeDoc =
    R"(Derivative by q of `reduced_forces` with the tree's τ constant.)" CIVITA_DOC_Q
    R"(tau : array_like, (nv,) or (N, nv)
    N·m or N.
)" CIVITA_DOC_OUT R"(dtau_dq : ndarray, (nw, nw) or (N, nw, nw)
    What motors of dependent joints add to that of `rnea`.)";

}  // namespace civita::python
