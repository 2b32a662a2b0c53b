"""Chapter 8 of Modern Robotics: the numbers that the book's documentation prints, and the laws."""

import numpy as np
import pytest

import civita
import civita.poe as poe


@pytest.fixture(scope="module")
def ur5():
    from civita import _civita

    return poe.PoeRobot.from_file(f"{_civita.data_directory()}/config/poe/ur5_three_links.yaml")


THETA, DTHETA, DDTHETA = [0.1, 0.1, 0.1], [0.1, 0.2, 0.3], [2, 1.5, 1]


def test_numbers_of_the_book(ur5):
    tau = poe.inverse_dynamics_rnea(ur5, THETA, DTHETA, DDTHETA, [1] * 6)
    np.testing.assert_allclose(tau, [74.69616155, -33.06766016, -3.23057314], atol=1e-8)


def test_equations_hold(ur5):
    M = poe.mass_matrix_crba(ur5, THETA)
    np.testing.assert_allclose(poe.mass_matrix_rnea(ur5, THETA), M)
    F = np.arange(6.0)
    tau = M @ DDTHETA + poe.velocity_quadratic_forces(ur5, THETA, DTHETA)
    tau += poe.gravity_forces(ur5, THETA) + poe.end_effector_forces(ur5, THETA, F)
    np.testing.assert_allclose(poe.inverse_dynamics_rnea(ur5, THETA, DTHETA, DDTHETA, F), tau)
    for name in ("aba", "crba", "rnea"):
        forward = getattr(poe, f"forward_dynamics_{name}")
        np.testing.assert_allclose(forward(ur5, THETA, DTHETA, tau, F), DDTHETA)
    np.testing.assert_allclose(civita.Dynamics(ur5.model).mass_matrix(THETA), M)


def test_trajectories(ur5):
    tau = np.tile([3.6, -6.6, -5.6], (4, 1))
    theta, dtheta = poe.forward_dynamics_trajectory(ur5, THETA, DTHETA, tau, dt=0.1, resolution=8)
    assert theta.shape == dtheta.shape == (4, 3)
    np.testing.assert_array_equal(theta[0], THETA)
    rows = poe.inverse_dynamics_trajectory(ur5, theta, dtheta, dtheta)
    one = poe.inverse_dynamics_rnea(ur5, theta[2], dtheta[2], dtheta[2])
    np.testing.assert_allclose(rows[2], one)
    step = poe.euler_step(ur5, THETA, DTHETA, DDTHETA, 0.5)
    np.testing.assert_allclose(step, [[0.15, 0.2, 0.25], [1.1, 0.95, 0.8]])


def test_lists_and_what_is_wrong_with_them():
    M = [np.eye(4)] * 3
    robot = poe.PoeRobot.from_lists(M, [np.eye(6)] * 2, [[0, 0, 1, 0, 0, 0], [0, 1, 0, 0, 0, 0]])
    assert robot.model.nv == 2
    assert poe.ad([1, 2, 3, 4, 5, 6]).shape == (6, 6)
    for lists in (
        (M[:2], [np.eye(6)] * 2, np.eye(6)[:2]),
        (M, [np.zeros((6, 5))] * 2, np.eye(6)[:2]),
        (M, [np.eye(6)] * 2, np.zeros((2, 6))),
    ):
        with pytest.raises(ValueError):
            poe.PoeRobot.from_lists(*lists)
    with pytest.raises(ValueError, match="theta: its shape"):
        poe.gravity_forces(robot, [1, 2, 3])
