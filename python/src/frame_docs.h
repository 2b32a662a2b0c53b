#pragma once

#include "python/src/doc_parts.h"

// Docstrings of the methods of Dynamics in bind_frames.cc.

namespace civita::python {

constexpr const char* kFramePoseDoc =
    R"(Orientation and position of a frame in the world.)" CIVITA_DOC_Q CIVITA_DOC_FRAME
        CIVITA_DOC_OUTS R"(R : ndarray, (3, 3) or (N, 3, 3)
    Rotates the frame's axes into the world's.
p : ndarray, (3,) or (N, 3)
    Position of its origin, m.)";

constexpr const char* kFrameVelocityDoc =
    R"(Velocity of a frame and of a point fixed in it.)" CIVITA_DOC_QV CIVITA_DOC_FRAME
        CIVITA_DOC_POINT CIVITA_DOC_OUT R"(velocity : ndarray, (6,) or (N, 6)
    [angular velocity, rad/s; velocity of the point, m/s], in world axes.)";

constexpr const char* kFrameBiasAccelerationDoc =
    R"(J̇ v: acceleration of a frame and of a point fixed in it at v̇ = 0.)" CIVITA_DOC_QV
        CIVITA_DOC_FRAME CIVITA_DOC_POINT CIVITA_DOC_OUT R"(acceleration : ndarray, (6,) or (N, 6)
    [angular, rad/s²; of the point, m/s²], in world axes.)";

constexpr const char* kJacobianDoc =
    R"(Jacobian of a frame and of a point fixed in it.)" CIVITA_DOC_Q CIVITA_DOC_FRAME
        CIVITA_DOC_POINT CIVITA_DOC_OUT R"(J : ndarray, (6, nv) or (N, 6, nv)
    J v = [angular velocity; velocity of the point], in world axes.)";

constexpr const char* kJacobianDerivativeDoc =
    R"(Rate J̇ along v of the Jacobian.)" CIVITA_DOC_QV CIVITA_DOC_FRAME CIVITA_DOC_POINT
        CIVITA_DOC_OUT R"(Jdot : ndarray, (6, nv) or (N, 6, nv))";

constexpr const char* kCenterOfMassDoc =
    R"(Centre of mass of all that moves.)" CIVITA_DOC_Q CIVITA_DOC_OUT
    R"(com : ndarray, (3,) or (N, 3)
    m, in world axes.)";

constexpr const char* kCenterOfMassJacobianDoc =
    R"(Jacobian of the centre of mass.)" CIVITA_DOC_Q CIVITA_DOC_OUT
    R"(J : ndarray, (3, nv) or (N, 3, nv)
    J v is its velocity, m/s.)";

constexpr const char* kCentroidalMomentumDoc =
    R"(Momentum about the centre of mass.)" CIVITA_DOC_QV CIVITA_DOC_OUT
    R"(h : ndarray, (6,) or (N, 6)
    [angular, kg·m²/s; linear, kg·m/s], in world axes.)";

constexpr const char* kCentroidalMomentumMatrixDoc =
    R"(Matrix A_G of the momentum about the centre of mass.)" CIVITA_DOC_Q CIVITA_DOC_OUT
    R"(A : ndarray, (6, nv) or (N, 6, nv)
    A v = centroidal momentum (Orin, Goswami and Lee 2013).)";

constexpr const char* kKineticEnergyDoc = R"(Kinetic energy ½ vᵀH v.)" CIVITA_DOC_QV R"(
Returns
-------
energy : float or ndarray, (N,)
    J.)";

constexpr const char* kPotentialEnergyDoc =
    R"(Potential energy of gravity, zero at the world's origin.)" CIVITA_DOC_Q R"(
Returns
-------
energy : float or ndarray, (N,)
    J.)";

constexpr const char* kRneaDerivativesDoc =
    R"(Derivatives of inverse dynamics.)" CIVITA_DOC_QV CIVITA_DOC_VDOT CIVITA_DOC_OUTS
    R"(dtau_dq, dtau_dv, H : ndarray, (nv, nv) or (N, nv, nv) each
    Column j of dtau_dq is the rate along q ⊕ δ e_j.

Notes
-----
O(N·d), for all joints; where rates commute dtau_dv is twice the Christoffel-consistent C.)";

constexpr const char* kForwardDynamicsDerivativesDoc =
    R"(Derivatives of forward dynamics.)" CIVITA_DOC_QV CIVITA_DOC_VDOT CIVITA_DOC_OUTS
    R"(dvdot_dq, dvdot_dv, dvdot_dtau : ndarray, (nv, nv) or (N, nv, nv) each
    Column j of dvdot_dq is the rate along q ⊕ δ e_j; dvdot_dtau is H⁻¹.

Notes
-----
vdot is what `forward_dynamics` gives. ValueError where H is singular.)";

constexpr const char* kRegressorDoc =
    R"(Slotine–Li regressor: H v̇_r + C v_r + g = Y π + y_0.)" CIVITA_DOC_QV
    R"(v_r : array_like, (nv,) or (N, nv)
    Reference velocity.
vdot_r : array_like, (nv,) or (N, nv)
    Reference acceleration.
)" CIVITA_DOC_OUTS R"(Y : ndarray, (nv, 10·nb) or (N, nv, 10·nb)
    π are the model's `parameters`, ten a frame of the model.
y_0 : ndarray, (nv,) or (N, nv)
    Forces of armature and injections.

Notes
-----
C is that of the factorization ([WES], section IV-A).)";

constexpr const char* kPassiveForcesDoc =
    R"(Forces of damping, dry friction and springs of joints and tendons.)" CIVITA_DOC_QV
    R"(friction_speed : float
    Speed that smooths dry friction, rad/s or m/s.

Returns
-------
tau : ndarray, (nv,)
    N·m or N: −stiffness (q − reference) − damping v − frictionloss tanh(v / friction_speed).)";

}  // namespace civita::python
