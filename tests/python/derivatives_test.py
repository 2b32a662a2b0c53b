"""Derivatives and Jacobians against differences and Pinocchio."""

import numpy as np
import pinocchio
import pytest
from conftest import random_state
from peer_frames_test import REFERENCES, SWAP, Pair
from peers_test import robot, spherical_pair

import civita
import civita.pinocchio

NEAR = {"rtol": 1e-10, "atol": 1e-10}
DIFFERENCES = {"rtol": 1e-5, "atol": 1e-5}


def differences(function, nv, step=1e-6):
    """Columns (f(step e_k) − f(−step e_k)) / 2 step."""
    steps = step * np.eye(nv)
    return np.transpose([(function(e) - function(-e)) / (2 * step) for e in steps])


def test_jacobians_of_positions_are_differences(model):
    q, v = random_state(model)
    q_d, _ = random_state(model, seed=2)
    plus, minus, nv, dt = model.integrate_position, model.difference_position, model.nv, 0.3
    near = {"rtol": 1e-6, "atol": 1e-7}
    after = plus(q, v, dt)
    J_q, J_v = model.integrate_position_jacobians(v, dt)
    np.testing.assert_allclose(J_q, differences(lambda e: minus(plus(plus(q, e), v, dt), after), nv), **near)
    np.testing.assert_allclose(J_v, differences(lambda e: minus(plus(q, v + e, dt), after), nv), **near)
    J_q, J_q_d = model.difference_position_jacobians(q, q_d)
    np.testing.assert_allclose(J_q, differences(lambda e: minus(plus(q, e), q_d), nv), **near)
    np.testing.assert_allclose(J_q_d, differences(lambda e: minus(q, plus(q_d, e)), nv), **near)


def test_local_jacobian_is_the_derivative_of_the_pose(model):
    d = civita.Dynamics(model)
    q, _ = random_state(model)
    frame = model.frames[-1]
    R, p = d.frame_pose(q, frame)

    def move(e):
        R_e, p_e = d.frame_pose(model.integrate_position(q, e), frame)
        turn = (R.T @ R_e - R_e.T @ R) / 2
        return np.append([turn[2, 1], turn[0, 2], turn[1, 0]], R.T @ (p_e - p))

    J = d.jacobian(q, frame, reference="local")
    np.testing.assert_allclose(J, differences(move, model.nv), rtol=1e-6, atol=1e-7)


def test_jacobians_of_positions_in_rows(model):
    Q, V = random_state(model, 5)
    for batch, one in (
        (
            model.integrate_position_jacobians(V, 0.2),
            lambda s: model.integrate_position_jacobians(V[s], 0.2),
        ),
        (
            model.difference_position_jacobians(Q, Q[::-1]),
            lambda s: model.difference_position_jacobians(Q[s], Q[4 - s]),
        ),
    ):
        for s in range(5):
            for rows, row in zip(batch, one(s), strict=True):
                assert rows.shape == (5, model.nv, model.nv)
                np.testing.assert_array_equal(rows[s], row)
    out = np.empty((2, model.nv, model.nv))
    got = model.integrate_position_jacobians(V[0], out=(out[0], out[1]))
    np.testing.assert_array_equal(out, got)
    with pytest.raises(ValueError, match="dt: not finite"):
        model.integrate_position_jacobians(V, np.nan)
    with pytest.raises(ValueError, match="q_d: .* not"):
        model.difference_position_jacobians(Q[0], Q[0][:-1])


def test_jacobians_of_rotations_of_pinocchio():
    model, pin = spherical_pair()
    convert = civita.pinocchio.Conversion(model, pin)
    q, v = random_state(model)
    q_d, _ = random_state(model, seed=2)
    pin_q, pin_q_d, w = convert.q_to_pinocchio(q), convert.q_to_pinocchio(q_d), convert.v_to_pinocchio(q, v)
    compared = 0
    for joint in model.joints:
        # The rotations of a free joint too: its origin moves otherwise there.
        own = slice(joint["iv"] + joint["nv"] - 3, joint["iv"] + joint["nv"])
        there = pin.joints[pin.getJointId(joint["name"])].idx_v + joint["nv"] - 3
        other = slice(there, there + 3)
        for ours, theirs in (
            (model.integrate_position_jacobians(v), pinocchio.dIntegrate(pin, pin_q, w)),
            (
                model.difference_position_jacobians(q, q_d)[::-1],
                pinocchio.dDifference(pin, pin_q_d, pin_q),
            ),
        ):
            for J, pin_J in zip(ours, theirs, strict=True):
                np.testing.assert_allclose(J[own, own], pin_J[other, other], **NEAR)
                compared += 1
    assert compared == 8


@pytest.fixture
def pair(tmp_path):
    file = tmp_path / "robot.urdf"
    file.write_text(robot())
    return Pair(file, "fixed")


def along(model, q, function):
    """Columns of the rates of function(q) along q ⊕ δ e_j."""
    return differences(lambda e: function(model.integrate_position(q, e)), model.nv)


@pytest.mark.parametrize("factorization", ["christoffel", "t:0.7", "alpha:0.3", "formula", "three_form"])
def test_derivatives_of_coriolis_products(model, factorization):
    nv = model.nv
    rng = np.random.default_rng(4)
    w, a = rng.normal(size=(2, nv))
    omega = rng.integers(-4, 5, size=(nv, nv, nv)) / 8  # sums are exact
    if factorization == "formula":
        factorization = civita.Factorization.torsion(0.3) + civita.Factorization.inject(
            model.bodies[-1], beta="0.2*cos(q[0])", part="linear"
        )
    elif factorization == "three_form":
        odd = [omega.transpose(p) for p in ((0, 2, 1), (1, 0, 2), (2, 1, 0))]
        even = [omega.transpose(p) for p in ((0, 1, 2), (1, 2, 0), (2, 0, 1))]
        factorization = civita.Factorization.three_form(sum(even) - sum(odd))
    d = civita.Dynamics(model, factorization)
    q, v = random_state(model)
    by_q, by_v = d.coriolis_product_derivatives(q, v, w)
    np.testing.assert_allclose(by_q, along(model, q, lambda x: d.coriolis_matrix(x, v)[1] @ w), **DIFFERENCES)
    units = [d.coriolis_matrix(q, e)[1] @ w for e in np.eye(nv)]
    np.testing.assert_allclose(by_v, np.transpose(units), **NEAR)
    by_q, by_v = d.passivity_rnea_derivatives(q, v, w, a)
    np.testing.assert_allclose(by_q, along(model, q, lambda x: d.passivity_rnea(x, v, w, a)), **DIFFERENCES)
    np.testing.assert_allclose(by_v, np.transpose(units), **NEAR)


def test_derivatives_under_forces_are_differences(model):
    d = civita.Dynamics(model)
    q, v = random_state(model)
    tau = np.random.default_rng(3).normal(size=model.nv)
    forces = {model.frames[-1]: [1.0, -2, 3, 4, 5, -6], model.frames[0]: [0.5, 0, 1, -2, 3, 1]}
    vdot = d.forward_dynamics(q, v, tau, forces)
    by_q, by_v, _ = d.rnea_derivatives(q, v, vdot, forces)
    expected = along(model, q, lambda x: d.rnea(x, v, vdot, forces))
    np.testing.assert_allclose(by_q, expected, **DIFFERENCES)
    np.testing.assert_array_equal(by_v, d.rnea_derivatives(q, v, vdot)[1])
    by_q, _, by_tau = d.forward_dynamics_derivatives(q, v, vdot, forces)
    expected = along(model, q, lambda x: d.forward_dynamics(x, v, tau, forces))
    scale = np.abs(expected).max()
    np.testing.assert_allclose(by_q / scale, expected / scale, **DIFFERENCES)

    # Under springs and dampers too.
    def forward(x, y):
        return d.forward_dynamics(x, y, tau + d.passive_forces(x, y, 0.5), forces)

    vdot = forward(q, v)
    by_q, by_v, by_tau = d.forward_dynamics_derivatives(q, v, vdot, forces)
    springs, dampers = d.passive_force_derivatives(q, v, 0.5)
    expected = along(model, q, lambda x: forward(x, v))
    scale = np.abs(expected).max()
    np.testing.assert_allclose((by_q + by_tau @ springs) / scale, expected / scale, **DIFFERENCES)
    expected = differences(lambda e: forward(q, v + e), model.nv)
    scale = np.abs(expected).max()
    np.testing.assert_allclose((by_v + by_tau @ dampers) / scale, expected / scale, **DIFFERENCES)
    # One wrench for all states, and one for each.
    states = [np.tile(x, (3, 1)) for x in (q, v, vdot)]
    each = {model.frames[-1]: np.outer([1, 2, 3], forces[model.frames[-1]])}
    batch = d.rnea_derivatives(*states, each)
    for s in range(3):
        one = d.rnea_derivatives(q, v, vdot, {model.frames[-1]: each[model.frames[-1]][s]})
        for rows, row in zip(batch, one, strict=True):
            np.testing.assert_allclose(rows[s], row, **NEAR)


def test_friction_by_its_full_speeds():
    """Of the first joint and the tendon proportional, of the second full, of the third tanh."""
    b, body = civita.ModelBuilder(), -1
    for number, friction in enumerate((3.0, 2.0, 1.0)):
        body = b.add_body(f"link{number}", body, mass=1.0, com=[0, 0, 1])
        b.add_joint(body, "hinge", f"joint{number}", axis=[0, 1, 0], frictionloss=friction)
    b.add_tendon({0: 2.0, 2: -1.0}, "cord", frictionloss=4.0)
    model = b.build()
    d = civita.Dynamics(model)
    q, v, full = np.zeros(3), np.array([0.1, 0.5, -0.2]), np.array([0.4, 0.3, 0, 0.5])
    tau = d.passive_forces(q, v, 0.5, full)
    cord = 4 * 0.4 / 0.5
    expected = [-3 * 0.1 / 0.4 - 2 * cord, -2, np.tanh(0.4) + cord]
    np.testing.assert_allclose(tau, expected, rtol=1e-14)
    by_q, by_v = d.passive_force_derivatives(q, v, 0.5, full)
    np.testing.assert_allclose(
        by_v, differences(lambda e: d.passive_forces(q, v + e, 0.5, full), 3), **DIFFERENCES
    )
    assert by_v[1, 1] == 0 and by_v[0, 0] == -3 / 0.4 - 4 * 4 / 0.5 and not by_q.any()
    with pytest.raises(ValueError, match="full_speeds: one is negative"):
        d.passive_forces(q, v, 0.5, -full)
    with pytest.raises(ValueError, match=r"full_speeds: .*\(3,\).*\(4,\)"):
        d.passive_force_derivatives(q, v, 0.5, full[:3])


@pytest.mark.parametrize("reference", REFERENCES)
def test_derivatives_of_frames_of_pinocchio(pair, reference):
    pin, data, q, v, vdot, A = pair.pin, pair.data, pair.q, pair.v, pair.vdot, pair.A
    theirs = REFERENCES[reference]
    pinocchio.computeForwardKinematicsDerivatives(pin, data, pair.pin_q, pair.w, pair.wdot)

    def about_a_fixed_point(by_q, J, rate):
        """In LOCAL_WORLD_ALIGNED Pinocchio leaves out that the point moves along q."""
        if reference == "local_world_aligned":
            by_q[3:] -= np.cross(rate, J[3:].T).T

    for name in ("tool", "wheel", "fore"):
        frame = pin.getFrameId(name)
        ours = pair.d.frame_velocity_derivatives(q, v, name, reference=reference)
        expected = pinocchio.getFrameVelocityDerivatives(pin, data, frame, theirs)
        about_a_fixed_point(ours[0], ours[1], pair.d.frame_velocity(q, v, name)[:3])
        for X, pin_X in zip(ours, expected, strict=True):
            np.testing.assert_allclose(X @ A, pin_X[SWAP], **NEAR)
        ours = pair.d.frame_acceleration_derivatives(q, v, vdot, name, reference=reference)
        expected = pinocchio.getFrameAccelerationDerivatives(pin, data, frame, theirs)
        about_a_fixed_point(ours[0], ours[2], pair.d.frame_acceleration(q, v, vdot, name)[:3])
        for X, pin_X in zip(ours, expected[1:], strict=True):
            np.testing.assert_allclose(X @ A, pin_X[SWAP], **NEAR)


def test_derivatives_of_accelerations_are_differences(model):
    d = civita.Dynamics(model)
    q, v = random_state(model)
    vdot = np.random.default_rng(3).normal(size=model.nv)
    frame, point = model.frames[-1], [0.1, -0.2, 0.3]
    by_q, by_v, by_vdot = d.frame_classical_acceleration_derivatives(q, v, vdot, frame, point)
    acceleration = d.frame_classical_acceleration
    expected = along(model, q, lambda x: acceleration(x, v, vdot, frame, point))
    np.testing.assert_allclose(by_q, expected, **DIFFERENCES)
    expected = differences(lambda e: acceleration(q, v + e, vdot, frame, point), model.nv)
    np.testing.assert_allclose(by_v, expected, **DIFFERENCES)
    np.testing.assert_allclose(by_vdot, d.jacobian(q, frame, point), **NEAR)


def test_centroidal_derivatives_of_pinocchio(pair):
    A = pair.A
    expected = pinocchio.computeCentroidalDynamicsDerivatives(
        pair.pin, pair.data, pair.pin_q, pair.w, pair.wdot
    )
    momentum = pair.d.centroidal_momentum_derivatives(pair.q, pair.v)
    rate = pair.d.centroidal_momentum_rate_derivatives(pair.q, pair.v, pair.vdot)
    for X, pin_X in zip((momentum[0], *rate), expected, strict=True):
        np.testing.assert_allclose(X @ A, pin_X[SWAP], **NEAR)
    A_G = pair.d.centroidal_momentum_matrix(pair.q)  # of another kernel: the same to rounding
    np.testing.assert_allclose(momentum[1], A_G, rtol=1e-14, atol=1e-14)


def test_forward_dynamics_derivatives_of_pinocchio(pair):
    d, A = pair.d, pair.A
    tau = d.rnea(pair.q, pair.v, pair.vdot)
    pinocchio.computeABADerivatives(pair.pin, pair.data, pair.pin_q, pair.w, A.T @ tau)
    ours = d.forward_dynamics_derivatives(pair.q, pair.v, pair.vdot)
    theirs = (pair.data.ddq_dq, pair.data.ddq_dv, pair.data.Minv)
    for X, pin_X in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(A.T @ X @ A, pin_X, rtol=1e-8, atol=1e-8)
    # By the parameters: −H⁻¹Y, and v̇ does not change where all masses grow alike, and τ with them.
    Y, _ = d.regressor(pair.q, pair.v, pair.v, pair.vdot)
    by_pi = d.forward_dynamics_parameter_derivatives(pair.q, pair.v, pair.vdot)
    np.testing.assert_allclose(by_pi, -ours[2] @ Y, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(by_pi @ pair.model.parameters, -ours[2] @ tau, rtol=1e-8, atol=1e-8)
