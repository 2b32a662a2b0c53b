#pragma once

#include "python/src/bind/docs.h"

#define CIVITA_DOC_REFERENCE_MOTION         \
  "v_r : array_like, (nv,) or (N, nv)\n"    \
  "    Reference velocity.\n"               \
  "vdot_r : array_like, (nv,) or (N, nv)\n" \
  "    Reference acceleration.\n"
#define CIVITA_DOC_OF_FRAME CIVITA_DOC_FRAME CIVITA_DOC_POINT CIVITA_DOC_REFERENCE

namespace civita::python {

// Docstrings of the methods of Dynamics in bind_derivatives.cc.

constexpr const char* kRneaDerivativesDoc =
    R"(Derivatives of inverse dynamics.)" CIVITA_DOC_QV CIVITA_DOC_VDOT CIVITA_DOC_FORCES
        CIVITA_DOC_OUTS R"(dtau_dq, dtau_dv, H : ndarray, (nv, nv) or (N, nv, nv) each
    Column j of dtau_dq is the rate along q ⊕ δ e_j.

Notes
-----
O(N·d), for all joints; where rates commute dtau_dv is twice the Christoffel-consistent C. Wrenches keep
their numbers in world axes while their frames move. `passive_force_derivatives` has those of springs.)";

constexpr const char* kForwardDynamicsDerivativesDoc =
    R"(Derivatives of forward dynamics.)" CIVITA_DOC_QV CIVITA_DOC_VDOT CIVITA_DOC_FORCES
        CIVITA_DOC_OUTS R"(dvdot_dq, dvdot_dv, dvdot_dtau : ndarray, (nv, nv) or (N, nv, nv) each
    Column j of dvdot_dq is the rate along q ⊕ δ e_j; dvdot_dtau is H⁻¹.

Notes
-----
vdot is what `forward_dynamics` gives under the same forces. ValueError where H is singular.)";

constexpr const char* kForwardDynamicsParameterDerivativesDoc =
    R"(Derivatives of forward dynamics by the inertial parameters.)" CIVITA_DOC_QV CIVITA_DOC_VDOT
        CIVITA_DOC_FRAMES CIVITA_DOC_OUT R"(dvdot_dpi : ndarray, (nv, 10·n) or (N, nv, 10·n)
    −H⁻¹Y by the parameters π of n frames, ten each, by default the model's `parameters`.

Notes
-----
vdot is what `forward_dynamics` gives. Y, dτ/dπ of inverse dynamics, is `regressor(q, v, v, vdot)`
of the same frames.
ValueError where H is singular.)";

constexpr const char* kPassiveForceDerivativesDoc =
    R"(Derivatives of the forces of damping, dry friction and springs of joints and tendons.)" CIVITA_DOC_QV
        CIVITA_DOC_FRICTION CIVITA_DOC_OUTS
    R"(dtau_dq, dtau_dv : ndarray, (nv, nv) or (N, nv, nv) each
    Of `passive_forces`; column j of dtau_dq is the rate along q ⊕ δ e_j. Friction at its full
    speed has the derivative that it has below.

Notes
-----
Under τ + passive_forces forward dynamics has the derivatives dvdot_dq + dvdot_dtau @ dtau_dq and
dvdot_dv + dvdot_dtau @ dtau_dv.)";

constexpr const char* kCoriolisProductDerivativesDoc =
    R"(Derivatives of C(q,v) w with w constant.)" CIVITA_DOC_QV R"(w : array_like, (nv,) or (N, nv)
    Any vector.
)" CIVITA_DOC_OUTS R"(dCw_dq, dCw_dv : ndarray, (nv, nv) or (N, nv, nv) each
    Column j of dCw_dq is the rate along q ⊕ δ e_j, dCw_dv is Σ_k Γ_ijk w_k of the connection.

Notes
-----
O(N·d), with C of the factorization, analytic but for β(q) that are formulas: their rates come from
central differences, with relative errors about 1e-10.)";

constexpr const char* kPassivityRneaDerivativesDoc =
    R"(Derivatives of H v̇_r + C(q,v) v_r + g with v_r and v̇_r constant.)" CIVITA_DOC_QV
        CIVITA_DOC_REFERENCE_MOTION CIVITA_DOC_OUTS
    R"(dtau_dq, dtau_dv : ndarray, (nv, nv) or (N, nv, nv) each
    Column j of dtau_dq is the rate along q ⊕ δ e_j.

Notes
-----
As `coriolis_product_derivatives`. By v_r and v̇_r the derivatives are C and H (`coriolis_matrix`): what
the gradient of a passivity-based law is made of.)";

constexpr const char* kFrameVelocityDerivativesDoc =
    R"(Derivatives of `frame_velocity`.)" CIVITA_DOC_QV CIVITA_DOC_OF_FRAME CIVITA_DOC_OUTS
    R"(dV_dq, dV_dv : ndarray, (6, nv) or (N, 6, nv) each
    Column j of dV_dq is the rate along q ⊕ δ e_j with v constant; dV_dv is the Jacobian.)";

constexpr const char* kFrameAccelerationDerivativesDoc =
    R"(Derivatives of `frame_acceleration`.)" CIVITA_DOC_QV CIVITA_DOC_VDOT CIVITA_DOC_OF_FRAME
        CIVITA_DOC_OUTS R"(dA_dq, dA_dv, dA_dvdot : ndarray, (6, nv) or (N, 6, nv) each
    Column j of dA_dq is the rate along q ⊕ δ e_j with v and v̇ constant; dA_dvdot is the Jacobian.)";

constexpr const char* kFrameClassicalAccelerationDerivativesDoc =
    R"(Derivatives of `frame_classical_acceleration`.)" CIVITA_DOC_QV CIVITA_DOC_VDOT
        CIVITA_DOC_OF_FRAME CIVITA_DOC_OUTS
    R"(dA_dq, dA_dv, dA_dvdot : ndarray, (6, nv) or (N, 6, nv) each
    Column j of dA_dq is the rate along q ⊕ δ e_j with v and v̇ constant; dA_dvdot is the Jacobian.)";

constexpr const char* kCentroidalMomentumDerivativesDoc =
    R"(Derivatives of the momentum about the centre of mass.)" CIVITA_DOC_QV CIVITA_DOC_OUTS
    R"(dh_dq, dh_dv : ndarray, (6, nv) or (N, 6, nv) each
    Column j of dh_dq is the rate along q ⊕ δ e_j with v constant; dh_dv is A_G.)";

constexpr const char* kCentroidalMomentumRateDerivativesDoc =
    R"(Derivatives of the rate ḣ = A_G v̇ + Ȧ_G v of the momentum about the centre of mass.)" CIVITA_DOC_QV
        CIVITA_DOC_VDOT CIVITA_DOC_OUTS
    R"(dhdot_dq, dhdot_dv, dhdot_dvdot : ndarray, (6, nv) or (N, 6, nv) each
    Column j of dhdot_dq is the rate along q ⊕ δ e_j with v and v̇ constant; dhdot_dvdot is A_G.)";

}  // namespace civita::python
