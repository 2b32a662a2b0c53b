#pragma once

#include "python/src/closed_chain_docs.h"

#define CIVITA_DOC_ALONG_LOOPS                                                                     \
  "\n    Column j of the first is the rate along the motion A e_j that the loops allow, with the " \
  "numbers of the\n    others constant."

namespace civita::python {

// Docstrings of bind_closed_chain_derivatives.cc.

constexpr const char* kTreeMotionDerivativesDoc =
    R"(Derivatives of v = A w by q and of v̇ = A ẇ + Ȧ w by q and w.)" CIVITA_DOC_QW CIVITA_DOC_WDOT
        CIVITA_DOC_OUTS
    R"(dv_dq, dvdot_dq, dvdot_dw : ndarray, (nv, nw) or (N, nv, nw) each)" CIVITA_DOC_ALONG_LOOPS
    R"(

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

constexpr const char* kClosedRneaDerivativesDoc =
    R"(Derivatives of inverse dynamics.)" CIVITA_DOC_QW CIVITA_DOC_WDOT CIVITA_DOC_FORCES
        CIVITA_DOC_OUTS
    R"(dtau_dq, dtau_dw, H : ndarray, (nw, nw) or (N, nw, nw) each)" CIVITA_DOC_ALONG_LOOPS R"(

Notes
-----
Analytic. Wrenches keep their numbers in world axes while their frames move.)";

constexpr const char* kClosedForwardDynamicsDerivativesDoc =
    R"(Derivatives of forward dynamics with τ on w constant.)" CIVITA_DOC_QW CIVITA_DOC_WDOT
        CIVITA_DOC_FORCES CIVITA_DOC_OUTS
    R"(dwdot_dq, dwdot_dw, dwdot_dtau : ndarray, (nw, nw) or (N, nw, nw) each)" CIVITA_DOC_ALONG_LOOPS
    R"(

Notes
-----
wdot is what `forward_dynamics` gives under the same forces. With forces of the tree's joints constant
instead, dwdot_dq + dwdot_dtau @ reduced_forces_derivative(q, tau). ValueError where H is singular.)";

constexpr const char* kClosedForwardDynamicsParameterDerivativesDoc =
    R"(Derivatives of forward dynamics by the inertial parameters.)" CIVITA_DOC_QW CIVITA_DOC_WDOT
        CIVITA_DOC_FRAMES CIVITA_DOC_OUT R"(dwdot_dpi : ndarray, (nw, 10·n) or (N, nw, 10·n)
    −H⁻¹Y by the parameters π of n frames; wdot is what `forward_dynamics` gives.)";

constexpr const char* kClosedCoriolisProductDerivativesDoc =
    R"(Derivatives of C(q,w) x with x constant.)" CIVITA_DOC_QW CIVITA_DOC_X CIVITA_DOC_OUTS
    R"(dCx_dq, dCx_dw : ndarray, (nw, nw) or (N, nw, nw) each)" CIVITA_DOC_ALONG_LOOPS;

constexpr const char* kClosedPassivityRneaDerivativesDoc =
    R"(Derivatives of H ẇ_r + C(q,w) w_r + g with w_r and ẇ_r constant.)" CIVITA_DOC_QW
        CIVITA_DOC_REFERENCE_W CIVITA_DOC_OUTS
    R"(dtau_dq, dtau_dw : ndarray, (nw, nw) or (N, nw, nw) each)" CIVITA_DOC_ALONG_LOOPS;

constexpr const char* kClosedFrameVelocityDerivativesDoc =
    R"(Derivatives of `frame_velocity`.)" CIVITA_DOC_QW CIVITA_DOC_POINT_OF CIVITA_DOC_OUTS
    R"(dV_dq, dV_dw : ndarray, (6, nw) or (N, 6, nw) each)" CIVITA_DOC_ALONG_LOOPS;

constexpr const char* kClosedFrameAccelerationDerivativesDoc =
    R"(Derivatives of `frame_acceleration`.)" CIVITA_DOC_QW CIVITA_DOC_WDOT CIVITA_DOC_POINT_OF
        CIVITA_DOC_OUTS
    R"(dA_dq, dA_dw, dA_dwdot : ndarray, (6, nw) or (N, 6, nw) each)" CIVITA_DOC_ALONG_LOOPS;

constexpr const char* kClosedFrameClassicalAccelerationDerivativesDoc =
    R"(Derivatives of `frame_classical_acceleration`.)" CIVITA_DOC_QW CIVITA_DOC_WDOT
        CIVITA_DOC_POINT_OF CIVITA_DOC_OUTS
    R"(dA_dq, dA_dw, dA_dwdot : ndarray, (6, nw) or (N, 6, nw) each)" CIVITA_DOC_ALONG_LOOPS;

constexpr const char* kClosedCentroidalMomentumDerivativesDoc =
    R"(Derivatives of the momentum about the centre of mass.)" CIVITA_DOC_QW CIVITA_DOC_OUTS
    R"(dh_dq, dh_dw : ndarray, (6, nw) or (N, 6, nw) each)" CIVITA_DOC_ALONG_LOOPS;

constexpr const char* kClosedCentroidalMomentumRateDerivativesDoc =
    R"(Derivatives of the rate of the momentum about the centre of mass.)" CIVITA_DOC_QW
        CIVITA_DOC_WDOT CIVITA_DOC_OUTS
    R"(dhdot_dq, dhdot_dw, dhdot_dwdot : ndarray, (6, nw) or (N, 6, nw) each)" CIVITA_DOC_ALONG_LOOPS;

}  // namespace civita::python
