"""Laws that every state has to satisfy, and batches beside single calls."""

import threading

import numpy as np
import pytest

import civita

FACTORIZATIONS = ["christoffel", "plain", "t:0.3"]
# Rounding, relative to the numbers of H and C, which are of order 1 to 100.
NEAR = {"rtol": 1e-11, "atol": 1e-11}


@pytest.mark.parametrize("factorization", FACTORIZATIONS)
def test_coriolis_matrix_is_admissible(model, state, factorization):
    d = civita.Dynamics(model, factorization)
    q, v = state()
    H, C = d.coriolis_matrix(q, v)
    np.testing.assert_allclose(C + C.T, d.mass_matrix_derivative(q, v), **NEAR)
    np.testing.assert_allclose(H, d.mass_matrix(q), **NEAR)
    np.testing.assert_allclose(C @ v + d.gravity(q), d.bias_forces(q, v), **NEAR)


def test_alpha_is_not_admissible(state, model):
    d = civita.Dynamics(model, civita.Factorization.alpha(0.5))
    q, v = state()
    _, C = d.coriolis_matrix(q, v)
    np.testing.assert_allclose(C @ v + d.gravity(q), d.bias_forces(q, v), **NEAR)
    if model.source != "planar_2r":
        assert abs(C + C.T - d.mass_matrix_derivative(q, v)).max() > 1e-4


def test_symbols_contract_to_the_matrix(model, state):
    d = civita.Dynamics(model)
    q, v = state()
    _, C = d.coriolis_matrix(q, v)
    Gamma = d.christoffel_symbols(q)
    np.testing.assert_allclose(np.einsum("ijk,j->ik", Gamma, v), C, **NEAR)
    np.testing.assert_allclose(d.connection(q), Gamma, **NEAR)
    assert len(d.packed_christoffel_symbols(q)) <= Gamma.size


def test_connection_has_the_torsion(model, state):
    d = civita.Dynamics(model, "t:0.7")
    q, v = state()
    _, C = d.coriolis_matrix(q, v)
    np.testing.assert_allclose(np.einsum("ijk,j->ik", d.connection(q), v), C, **NEAR)


@pytest.mark.parametrize("factorization", FACTORIZATIONS)
def test_products_are_those_of_the_matrix(model, state, factorization):
    d = civita.Dynamics(model, factorization)
    q, v = state()
    w, a = np.random.default_rng(2).normal(size=(2, model.nv))
    H, C = d.coriolis_matrix(q, v)
    g = d.gravity(q)
    np.testing.assert_allclose(d.coriolis_product(q, v, w), C @ w, **NEAR)
    np.testing.assert_allclose(d.coriolis_transpose_product(q, v, w), C.T @ w, **NEAR)
    np.testing.assert_allclose(d.passivity_rnea(q, v, w, a), H @ a + C @ w + g, **NEAR)
    np.testing.assert_allclose(d.rnea(q, v, a), H @ a + C @ v + g, **NEAR)
    Y, y_0 = d.regressor(q, v, w, a)
    np.testing.assert_allclose(Y @ model.parameters + y_0, H @ a + C @ w + g, **NEAR)
    pi = np.random.default_rng(4).normal(size=Y.shape[1])
    np.testing.assert_allclose(d.regressor_product(q, v, w, a, pi), Y @ pi, **NEAR)
    np.testing.assert_allclose(d.regressor_transpose_product(q, v, w, a, w - v), Y.T @ (w - v), **NEAR)


def test_forward_dynamics_inverts_rnea(model, state):
    d = civita.Dynamics(model)
    q, v = state()
    a = np.random.default_rng(3).normal(size=model.nv)
    tau = d.rnea(q, v, a)
    np.testing.assert_allclose(d.forward_dynamics(q, v, tau), a, rtol=1e-8, atol=1e-8)


def test_derivatives_are_differences(model, state):
    d = civita.Dynamics(model)
    q, v = state()
    a = np.random.default_rng(3).normal(size=model.nv)
    dq, dv, H = d.rnea_derivatives(q, v, a)
    step = 1e-6
    for j in range(model.nv):
        e = np.zeros(model.nv)
        e[j] = step
        of_q = d.rnea(model.integrate_position(q, e), v, a)
        of_q -= d.rnea(model.integrate_position(q, -e), v, a)
        np.testing.assert_allclose(of_q / (2 * step), dq[:, j], rtol=1e-5, atol=1e-5)
        of_v = d.rnea(q, v + e, a) - d.rnea(q, v - e, a)
        np.testing.assert_allclose(of_v / (2 * step), dv[:, j], rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(H, d.mass_matrix(q), **NEAR)
    by_tau = d.forward_dynamics_derivatives(q, v, a)[2]
    np.testing.assert_allclose(by_tau @ H, np.eye(model.nv), atol=1e-8)


def test_frames_move_by_their_jacobians(model, state):
    d = civita.Dynamics(model)
    q, v = state()
    frame, point, step = model.frames[-1], [0.1, -0.2, 0.3], 1e-6
    J = d.jacobian(q, frame, point)
    np.testing.assert_allclose(J @ v, d.frame_velocity(q, v, frame, point), **NEAR)
    Jdot = d.jacobian_derivative(q, v, frame, point)
    np.testing.assert_allclose(Jdot @ v, d.frame_bias_acceleration(q, v, frame, point), **NEAR)
    place = []
    for sign in (1, -1):
        R, p = d.frame_pose(model.integrate_position(q, v, sign * step), frame)
        place.append(p + R @ point)
    np.testing.assert_allclose((place[0] - place[1]) / (2 * step), J[3:] @ v, rtol=1e-5, atol=1e-6)


def test_momentum_and_energy(model, state):
    d = civita.Dynamics(model)
    q, v = state()
    h = d.centroidal_momentum(q, v)
    np.testing.assert_allclose(d.centroidal_momentum_matrix(q) @ v, h, **NEAR)
    np.testing.assert_allclose(model.total_mass * d.center_of_mass_jacobian(q) @ v, h[3:], **NEAR)
    assert d.kinetic_energy(q, v) == pytest.approx(v @ d.mass_matrix(q) @ v / 2)
    height = -model.gravity @ d.center_of_mass(q)
    if model.frames and model.source != "ur5":  # whose base has mass but does not move
        assert d.potential_energy(q) == pytest.approx(model.total_mass * height, rel=1e-6)


CALLS = {
    "mass_matrix": "q",
    "mass_matrix_inverse": "q",
    "mass_matrix_derivative": "q v",
    "coriolis_matrix": "q v",
    "coriolis_product": "q v w",
    "coriolis_transpose_product": "q v w",
    "gravity": "q",
    "bias_forces": "q v",
    "rnea": "q v w",
    "passivity_rnea": "q v w a",
    "forward_dynamics": "q v w",
    "christoffel_symbols": "q",
    "packed_christoffel_symbols": "q",
    "connection": "q",
    "center_of_mass": "q",
    "center_of_mass_jacobian": "q",
    "center_of_mass_jacobian_derivative": "q v",
    "centroidal_momentum_matrix_derivative": "q v",
    "centroidal_momentum": "q v",
    "centroidal_momentum_matrix": "q",
    "kinetic_energy": "q v",
    "potential_energy": "q",
    "rnea_derivatives": "q v w",
    "forward_dynamics_derivatives": "q v w",
    "forward_dynamics_parameter_derivatives": "q v w",
    "passive_forces": "q v",
    "passive_force_derivatives": "q v",
    "coriolis_product_derivatives": "q v w",
    "passivity_rnea_derivatives": "q v w a",
    "frame_velocity_derivatives": "q v frame",
    "frame_acceleration_derivatives": "q v w frame",
    "frame_classical_acceleration_derivatives": "q v w frame",
    "centroidal_momentum_derivatives": "q v",
    "centroidal_momentum_rate_derivatives": "q v w",
    "regressor": "q v w a",
    "regressor_product": "q v w a pi",
    "regressor_transpose_product": "q v w a w",
    "frame_pose": "q frame",
    "frame_velocity": "q v frame",
    "frame_bias_acceleration": "q v frame",
    "jacobian": "q frame",
    "jacobian_derivative": "q v frame",
    "frame_acceleration": "q v w frame",
    "frame_classical_acceleration": "q v w frame",
    "relative_jacobian": "q base frame",
    "relative_jacobian_derivative": "q v base frame",
    "generalized_forces": "q forces",
}


def arguments(names, model, count, seed=5):
    from conftest import random_state

    q, v = random_state(model, count)
    w, a = np.random.default_rng(seed).normal(size=(2, *v.shape))
    values = {"q": q, "v": v, "w": w, "a": a, "frame": model.frames[-1]}
    values["pi"] = np.random.default_rng(seed + 1).normal(size=(*v.shape[:-1], model.parameters.size))
    values |= {"base": model.frames[0], "forces": {model.frames[-1]: np.ones(6)}}
    return [values[name] for name in names.split()]


def rows(results):
    return results if isinstance(results, tuple) else (results,)


@pytest.mark.parametrize("factorization", ["christoffel", "t:0.3", "alpha:0.1"])
@pytest.mark.parametrize("name", CALLS)
def test_batch_is_state_by_state(model, name, factorization):
    d = civita.Dynamics(model, factorization, threads=2)
    method = getattr(d, name)
    # More than one part a thread, and a last one that is not full.
    batch = arguments(CALLS[name], model, 69)
    together = rows(method(*batch))
    for s in (0, 31, 68):
        one = [x if isinstance(x, str | dict) else x[s] for x in batch]
        for all_states, state in zip(together, rows(method(*one)), strict=True):
            assert all_states.flags.c_contiguous and all_states.shape[0] == 69
            scale = np.abs(state).max() + 1
            np.testing.assert_allclose(all_states[s], state, rtol=1e-9, atol=1e-10 * scale)


def test_batch_does_not_depend_on_threads_or_neighbours(model):
    Q, V = arguments("q v", model, 100)
    one = civita.Dynamics(model, threads=1).coriolis_matrix(Q, V)
    two = civita.Dynamics(model, threads=2).coriolis_matrix(Q[7:], V[7:])
    for a, b in zip(one, two, strict=True):
        np.testing.assert_array_equal(a[7:], b)


@pytest.mark.parametrize("name", [name for name in CALLS if "energy" not in name])
@pytest.mark.parametrize("count", [None, 5])
def test_out_is_written(model, name, count):
    method = getattr(civita.Dynamics(model), name)
    given = arguments(CALLS[name], model, count)
    results = method(*given)
    several = isinstance(results, tuple)
    out = tuple(np.full_like(x, np.nan) for x in rows(results))
    again = method(*given, out=out if several else out[0])
    for x, y, z in zip(rows(results), out, rows(again), strict=True):
        np.testing.assert_array_equal(x, y)
        assert z is y


def test_threads_share_an_object(model):
    d = civita.Dynamics(model, threads=2)
    Q, V = arguments("q v", model, 64)
    expected = d.coriolis_matrix(Q, V)[1]
    wrong = []

    def work(own):
        for s in range(64):
            s = (s * own) % 64
            _, C = d.coriolis_matrix(Q[s], V[s])
            if not np.allclose(C, expected[s], rtol=1e-9, atol=1e-9):
                wrong.append(s)
            d.mass_matrix(Q)

    threads = [threading.Thread(target=work, args=(own,)) for own in (1, 3, 5, 7)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_formula_in_a_batch():
    model = civita.Model.from_file("arm7")
    f = civita.Factorization.inject("hand", beta="0.2*cos(q[1])")
    Q, V = arguments("q v", model, 200)
    _, C = civita.Dynamics(model, f, threads=2).coriolis_matrix(Q, V)
    for s in range(0, 200, 17):
        beta = 0.2 * np.cos(Q[s, 1])
        at = civita.Dynamics(model, civita.Factorization.inject("hand", beta=beta))
        np.testing.assert_allclose(at.coriolis_matrix(Q[s], V[s])[1], C[s], **NEAR)


def test_factorizations_of_arrays():
    model = civita.Model.from_file("ball_arm")
    q, v = arguments("q v", model, None)
    rng = np.random.default_rng(4)
    S = rng.normal(size=(3, model.nv))
    joint = civita.Dynamics(model, civita.Factorization.joint(0.3, S))
    omega = np.einsum("ai,bj,ck,abc->ijk", S, S, S, EPSILON) * 0.3
    omega = antisymmetric(omega)
    form = civita.Dynamics(model, civita.Factorization.three_form(omega))
    C = joint.coriolis_matrix(q, v)[1]
    np.testing.assert_allclose(form.coriolis_matrix(q, v)[1], C, **NEAR)
    np.testing.assert_allclose(C + C.T, joint.mass_matrix_derivative(q, v), **NEAR)


EPSILON = np.zeros((3, 3, 3))
for a, b, c in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
    EPSILON[a, b, c], EPSILON[a, c, b] = 1, -1


def antisymmetric(omega):
    """Bit by bit, from the components with i < j < k."""
    exact = np.zeros_like(omega)
    n = len(omega)
    for i in range(n):
        for j in range(i + 1, n):
            for k in range(j + 1, n):
                x = omega[i, j, k]
                for p in ((i, j, k), (j, k, i), (k, i, j)):
                    exact[p] = x
                for p in ((i, k, j), (k, j, i), (j, i, k)):
                    exact[p] = -x
    return exact
