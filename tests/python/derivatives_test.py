"""Derivatives and Jacobians against differences and Pinocchio."""

import numpy as np
import pinocchio
import pytest
from conftest import random_state
from peers_test import spherical_pair

import civita
import civita.pinocchio

NEAR = {"rtol": 1e-10, "atol": 1e-10}


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
