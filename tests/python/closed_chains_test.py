"""Closed chains in their independent velocities: laws, differences along the loops, batches."""

import copy
import pathlib
import pickle

import numpy as np
import pytest

import civita

DATA = pathlib.Path(__file__).parent.parent / "data" / "closed"
# Planar loops, one with a polynomial coupling, a spatial one and gears.
CHAINS = ["four_bar", "palletizer", "leg_linkage", "differential", "geared_arm"]
NEAR = {"rtol": 1e-10, "atol": 1e-10}
DIFFERENCES = {"rtol": 1e-5, "atol": 1e-5}
STEP = 1e-6


@pytest.fixture(scope="module", params=CHAINS)
def model(request):
    return civita.Model.from_file(str(DATA / f"{request.param}.xml"))


def moved(d, q, w, dt=1.0):
    """A closed configuration beside q."""
    return d.close(d.model.integrate_position(q, d.tree_velocity(q, w), dt))


def state_of(d, seed=1):
    rng = np.random.default_rng(seed)
    q = moved(d, d.closed_start, 0.1 * rng.normal(size=d.nw))
    return q, *rng.normal(size=(3, d.nw))


def slope(d, q, w, function):
    """The rate of a function of q along w."""
    return (function(moved(d, q, w, STEP)) - function(moved(d, q, w, -STEP))) / (2 * STEP)


@pytest.mark.parametrize("factorization", ["christoffel", "plain", "t:0.3"])
def test_the_equations_are_those_of_evaluate(model, factorization):
    d = civita.Dynamics(model, factorization, loops=True)
    q, w, x, a = state_of(d)
    H, C = d.coriolis_matrix(q, w)
    g = d.gravity(q)
    values = civita.evaluate(model, ["H", "C", "g", "Hdot"], q, w, factorization=factorization, reduced=True)
    for name, ours in (("H", H), ("C", C), ("g", g), ("Hdot", d.mass_matrix_derivative(q, w))):
        np.testing.assert_allclose(ours, values[name], rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(H, d.mass_matrix(q), **NEAR)
    np.testing.assert_allclose(C + C.T, d.mass_matrix_derivative(q, w), **NEAR)
    np.testing.assert_allclose(slope(d, q, w, d.mass_matrix), C + C.T, **DIFFERENCES)
    np.testing.assert_allclose(d.bias_forces(q, w), C @ w + g, **NEAR)
    np.testing.assert_allclose(d.rnea(q, w, a), H @ a + C @ w + g, **NEAR)
    np.testing.assert_allclose(d.passivity_rnea(q, w, x, a), H @ a + C @ x + g, **NEAR)
    np.testing.assert_allclose(d.coriolis_product(q, w, x), C @ x, **NEAR)
    np.testing.assert_allclose(d.coriolis_transpose_product(q, w, x), C.T @ x, **NEAR)
    Y, y_0 = d.regressor(q, w, x, a)
    pi = np.random.default_rng(7).normal(size=Y.shape[1])
    np.testing.assert_allclose(d.regressor_product(q, w, x, a, pi), Y @ pi, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(d.regressor_transpose_product(q, w, x, a, x), Y.T @ x, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(Y @ model.parameters + y_0, H @ a + C @ x + g, **NEAR)
    Gamma = d.connection(q)
    np.testing.assert_allclose(np.einsum("abc,b->ac", Gamma, w), C, **NEAR)
    of_tree = civita.evaluate(model, ["Gamma"], q, w, factorization=factorization, reduced=True)
    np.testing.assert_allclose(Gamma, of_tree["Gamma"], rtol=1e-8, atol=1e-8)
    if factorization == "christoffel":
        Gamma = d.christoffel_symbols(q)
        np.testing.assert_allclose(np.einsum("abc,b->ac", Gamma, w), C, **NEAR)
    np.testing.assert_allclose(d.kinetic_energy(q, w), 0.5 * w @ H @ w, **NEAR)


def test_what_the_tree_does(model):
    d, tree = civita.Dynamics(model, loops=True), civita.Dynamics(model)
    q, w, a, _ = state_of(d)
    frame, point = model.frames[-1], [0.1, -0.2, 0.3]
    tau = np.random.default_rng(2).normal(size=model.nv)
    v, vdot = d.tree_velocity(q, w), d.tree_acceleration(q, w, a)
    A, Adot = d.velocity_map(q), d.velocity_map_derivative(q, w)
    np.testing.assert_allclose(v, A @ w, **NEAR)
    np.testing.assert_allclose(v[d.independent], w, **NEAR)
    np.testing.assert_allclose(vdot, A @ a + Adot @ w, **NEAR)
    np.testing.assert_allclose(slope(d, q, w, d.velocity_map), Adot, **DIFFERENCES)
    np.testing.assert_allclose(d.reduced_forces(q, tau), A.T @ tau, **NEAR)
    forces = {frame: [1, 2, 3, 4, 5, 6]}
    np.testing.assert_allclose(
        d.rnea(q, w, a, forces), A.T @ tree.rnea(q, v, vdot, forces), rtol=1e-9, atol=1e-9
    )
    np.testing.assert_allclose(
        d.generalized_forces(q, forces), A.T @ tree.generalized_forces(q, forces), **NEAR
    )
    for reference in ("local_world_aligned", "local", "world"):
        J = d.jacobian(q, frame, point, reference)
        np.testing.assert_allclose(J, tree.jacobian(q, frame, point, reference) @ A, **NEAR)
        Jdot = d.jacobian_derivative(q, w, frame, point, reference)
        rate = slope(d, q, w, lambda at, r=reference: d.jacobian(at, frame, point, r))
        np.testing.assert_allclose(rate, Jdot, **DIFFERENCES)
        np.testing.assert_allclose(d.frame_velocity(q, w, frame, point, reference), J @ w, **NEAR)
        relative = d.relative_jacobian(q, model.frames[1], frame, point, reference)
        rate = slope(
            d,
            q,
            w,
            lambda at, r=reference: d.relative_jacobian(at, model.frames[1], frame, point, r),
        )
        np.testing.assert_allclose(
            d.relative_jacobian_derivative(q, w, model.frames[1], frame, point, reference),
            rate,
            **DIFFERENCES,
        )
        assert relative.shape == (6, d.nw)
    np.testing.assert_allclose(
        d.frame_classical_acceleration(q, w, a, frame, point),
        tree.frame_classical_acceleration(q, v, vdot, frame, point),
        **NEAR,
    )
    np.testing.assert_allclose(
        d.frame_acceleration(q, w, a, frame), tree.frame_acceleration(q, v, vdot, frame), **NEAR
    )
    h = d.centroidal_momentum(q, w)
    np.testing.assert_allclose(d.centroidal_momentum_matrix(q) @ w, h, **NEAR)
    np.testing.assert_allclose(h, tree.centroidal_momentum(q, v), **NEAR)
    speed = slope(d, q, w, tree.center_of_mass)
    np.testing.assert_allclose(d.center_of_mass_jacobian(q) @ w, speed, **DIFFERENCES)


def test_forward_dynamics_is_that_of_the_tree_under_constraint_forces(model):
    """Those do no work on the motions that the loops allow, and the tree stays on the loops."""
    d, tree = civita.Dynamics(model, loops=True), civita.Dynamics(model)
    q, w, _, _ = state_of(d)
    v, tau = d.tree_velocity(q, w), np.random.default_rng(2).normal(size=model.nv)
    forces = {model.frames[-1]: [0.1, 0.2, 0.3, 1, 2, 3]}
    wdot = d.forward_dynamics(q, w, d.reduced_forces(q, tau), forces)
    vdot = d.tree_acceleration(q, w, wdot)
    rest = tau - tree.rnea(q, v, vdot, forces)
    np.testing.assert_allclose(d.velocity_map(q).T @ rest, 0, atol=1e-8)
    np.testing.assert_allclose(
        slope(d, q, w, d.velocity_map) @ w + d.velocity_map(q) @ wdot, vdot, **DIFFERENCES
    )
    np.testing.assert_allclose(d.rnea(q, w, wdot, forces), d.reduced_forces(q, tau), rtol=1e-8, atol=1e-8)


def test_constrained_dynamics_of_the_tree_moves_alike(model):
    d = civita.Dynamics(model, loops=True)
    q, w, _, _ = state_of(d)
    v, tau = d.tree_velocity(q, w), np.random.default_rng(2).normal(size=model.nv)
    forces = {model.frames[-1]: [0.1, 0.2, 0.3, 1, 2, 3]}
    constrained = civita.ConstrainedDynamics(model, q=q, loops=True)
    assert constrained.expected_rank == d.nv - d.nw
    np.testing.assert_allclose(constrained.error(q), 0, atol=1e-9)
    vdot, lambda_ = constrained.forward_dynamics(q, v, tau, forces)
    wdot = d.forward_dynamics(q, w, d.reduced_forces(q, tau), forces)
    np.testing.assert_allclose(vdot, d.tree_acceleration(q, w, wdot), rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(constrained.jacobian(q) @ d.velocity_map(q), 0, atol=1e-9)
    held = civita.ConstrainedDynamics(model, q=q, loops={"stiffness": 100.0, "damping": 20.0})
    np.testing.assert_allclose(held.forward_dynamics(q, v, tau, forces)[0], vdot, rtol=1e-6, atol=1e-6)


def test_a_coupling_by_rows_of_joints():
    model = civita.Model.from_file("planar_2r")
    one, two = (joint["name"] for joint in model.joints)
    gear = {"joint": two, "leader": one, "polynomial": [0.2, -1.5]}
    constrained = civita.ConstrainedDynamics(model, [gear])
    chain = civita.Dynamics(model.with_coupled_joint(two, one, -1.5, 0.2), loops=True)
    q = chain.closed_start
    np.testing.assert_allclose(constrained.jacobian(q), [[1.5, 1.0]])
    np.testing.assert_allclose(constrained.error(q), [q[1] + 1.5 * q[0] - 0.2], atol=1e-12)
    v = chain.tree_velocity(q, [0.7])
    wdot = chain.forward_dynamics(q, [0.7], chain.reduced_forces(q, [1.0, 2.0]))
    vdot, _ = constrained.forward_dynamics(q, v, [1.0, 2.0])
    np.testing.assert_allclose(vdot, chain.tree_acceleration(q, [0.7], wdot), **NEAR)
    for wrong, error, text in (
        ({"joint": "nothing"}, KeyError, "unknown joint"),
        ({"joint": one, "leader": one}, ValueError, "cannot follow itself"),
        ({"joint": one, "leadre": two}, KeyError, "did you mean 'leader'"),
        ({"joint": one, "polynomial": [1] * 6}, ValueError, "polynomial has 6 coefficients, 1 to 5"),
        ({"joint": one, "stiffness": -1.0, "name": "gear"}, ValueError, "constraint 'gear': stiffness"),
    ):
        with pytest.raises(error, match=text):
            civita.ConstrainedDynamics(model, [wrong])
    with pytest.raises(ValueError, match="loops: planar_2r has no closed loops and no coupled joints"):
        civita.ConstrainedDynamics(model, loops=True)
    with pytest.raises(KeyError, match="did you mean 'stiffness'"):
        civita.ConstrainedDynamics(chain.model, loops={"stifness": 1.0})


def columns(d, q, function):
    """The derivative of a function of q along each motion of the loops."""
    return np.stack([slope(d, q, e, function) for e in np.eye(d.nw)], axis=-1)


def along_w(w, function):
    rates = [(function(w + STEP * e) - function(w - STEP * e)) / (2 * STEP) for e in np.eye(w.size)]
    return np.stack(rates, axis=-1)


def test_derivatives_are_differences(model):
    d = civita.Dynamics(model, "t:0.3", loops=True)
    q, w, x, a = state_of(d)
    frame, point = model.frames[-1], [0.1, -0.2, 0.3]
    forces = {frame: [0.1, 0.2, 0.3, 1, 2, 3]}
    tree_tau = np.random.default_rng(2).normal(size=model.nv)
    near = {"rtol": 1e-4, "atol": 1e-4}

    def check(by_q, by_w, function):
        scale = max(1, abs(by_q).max(), abs(by_w).max())
        np.testing.assert_allclose(columns(d, q, lambda at: function(at, w)) / scale, by_q / scale, **near)
        np.testing.assert_allclose(along_w(w, lambda at: function(q, at)) / scale, by_w / scale, **near)

    by_q, by_w, H = d.rnea_derivatives(q, w, a, forces)
    check(by_q, by_w, lambda at, v: d.rnea(at, v, a, forces))
    np.testing.assert_allclose(H, d.mass_matrix(q), **NEAR)
    wdot = d.forward_dynamics(q, w, x, forces)
    by_q, by_w, by_tau = d.forward_dynamics_derivatives(q, w, wdot, forces)
    check(by_q, by_w, lambda at, v: d.forward_dynamics(at, v, x, forces))
    np.testing.assert_allclose(by_tau @ H, np.eye(d.nw), atol=1e-7)
    check(*d.passivity_rnea_derivatives(q, w, x, a), lambda at, v: d.passivity_rnea(at, v, x, a))
    check(*d.coriolis_product_derivatives(q, w, x), lambda at, v: d.coriolis_product(at, v, x))
    dv_dq, dvdot_dq, dvdot_dw = d.tree_motion_derivatives(q, w, a)
    check(dvdot_dq, dvdot_dw, lambda at, v: d.tree_acceleration(at, v, a))
    check(dv_dq, d.velocity_map(q), d.tree_velocity)
    np.testing.assert_allclose(
        d.reduced_forces_derivative(q, tree_tau),
        columns(d, q, lambda at: d.reduced_forces(at, tree_tau)),
        rtol=1e-4,
        atol=1e-4,
    )
    check(
        *d.frame_velocity_derivatives(q, w, frame, point),
        lambda at, v: d.frame_velocity(at, v, frame, point),
    )
    by_q, by_w, J = d.frame_acceleration_derivatives(q, w, a, frame, point)
    check(by_q, by_w, lambda at, v: d.frame_acceleration(at, v, a, frame, point))
    np.testing.assert_allclose(J, d.jacobian(q, frame, point), **NEAR)
    by_q, by_w, _ = d.frame_classical_acceleration_derivatives(q, w, a, frame, point)
    check(by_q, by_w, lambda at, v: d.frame_classical_acceleration(at, v, a, frame, point))
    check(*d.centroidal_momentum_derivatives(q, w), d.centroidal_momentum)
    by_q, by_w, A_G = d.centroidal_momentum_rate_derivatives(q, w, a)
    np.testing.assert_allclose(A_G, d.centroidal_momentum_matrix(q), **NEAR)
    assert by_q.shape == by_w.shape == (6, d.nw)
    Y, _ = d.regressor(q, w, w, a)
    np.testing.assert_allclose(
        H @ d.forward_dynamics_parameter_derivatives(q, w, a), -Y, rtol=1e-8, atol=1e-8
    )


# By name: the arguments after q and w, where they have a number for each velocity.
CALLS = {
    "mass_matrix": None,
    "mass_matrix_inverse": None,
    "gravity": None,
    "velocity_map": None,
    "christoffel_symbols": None,
    "connection": None,
    "coriolis_matrix": 0,
    "mass_matrix_derivative": 0,
    "bias_forces": 0,
    "tree_velocity": 0,
    "centroidal_momentum": 0,
    "centroidal_momentum_matrix_derivative": 0,
    "center_of_mass_jacobian_derivative": 0,
    "centroidal_momentum_derivatives": 0,
    "rnea": 1,
    "forward_dynamics": 1,
    "rnea_derivatives": 1,
    "forward_dynamics_derivatives": 1,
    "tree_acceleration": 1,
    "coriolis_product_derivatives": 1,
    "passivity_rnea": 2,
    "regressor": 2,
    "passivity_rnea_derivatives": 2,
}


def batch_of_single_calls(method, arguments, states):
    """What method returns for a batch, and that as a tuple, after a comparison with calls of one state."""
    of_batch = method(*arguments)
    batch = of_batch if isinstance(of_batch, tuple) else (of_batch,)
    for state in states:
        single = method(*(x[state] for x in arguments))
        for one, many in zip(single if isinstance(single, tuple) else (single,), batch, strict=True):
            np.testing.assert_array_equal(one, many[state])
    return of_batch, batch


@pytest.mark.parametrize("name", CALLS)
def test_batches_are_single_calls(name):
    model = civita.Model.from_file(str(DATA / "leg_linkage.xml"))
    d = civita.Dynamics(model, "t:0.3", threads=2, loops=True)
    rng = np.random.default_rng(3)
    Q = np.array([moved(d, d.closed_start, 0.1 * rng.normal(size=d.nw)) for _ in range(40)])
    extra = CALLS[name]
    arguments = [Q, *rng.normal(size=(0 if extra is None else 1 + extra, 40, d.nw))]
    method = getattr(d, name)
    of_batch, batch = batch_of_single_calls(method, arguments, (0, 17, 39))
    again = method(*arguments, out=of_batch)
    assert again is of_batch or all(x is y for x, y in zip(again, batch, strict=True))


# By name: the arguments after q, vectors of v and of the constraints' forces.
CONSTRAINED_CALLS = {
    "jacobian": "",
    "error": "",
    "operational_space_inertia": "",
    "impulse": "v",
    "forward_dynamics": "vv",
    "inverse_dynamics": "vvf",
    "residual": "vv",
}


@pytest.mark.parametrize("name", CONSTRAINED_CALLS)
def test_batches_of_constrained_dynamics_are_single_calls(name):
    model = civita.Model.from_file("arm7")
    constraints = [{"B": "hand", "stiffness": 100.0}, {"joint": "joint2", "leader": "joint4"}]
    c = civita.ConstrainedDynamics(model, constraints, np.full(model.nq, 0.7), threads=2)
    assert c.threads == 2
    rng = np.random.default_rng(3)
    sizes = {"v": model.nv, "f": c.num_rows}
    Q = 0.7 + 0.1 * rng.normal(size=(70, model.nq))
    arguments = [Q, *(rng.normal(size=(70, sizes[kind])) for kind in CONSTRAINED_CALLS[name])]
    method = getattr(c, name)
    of_batch, batch = batch_of_single_calls(method, arguments, (0, 33, 69))
    out = tuple(np.full_like(x, np.nan) for x in batch)
    again = method(*arguments, out=out if isinstance(of_batch, tuple) else out[0])
    for x, y, z in zip(batch, out, again if isinstance(again, tuple) else (again,), strict=True):
        assert z is y
        np.testing.assert_array_equal(x, y)
    with pytest.raises(ValueError, match="out.*shape|out.*memory"):
        method(*arguments, out=out[:-1] + (Q,) if isinstance(of_batch, tuple) else Q)


def test_constraints_that_contradict_each_other():
    """Least squares of all rows, whatever the axes, and what remains of each."""
    b = civita.ModelBuilder()
    skid = b.add_body("skid", mass=4.0, com=[0.1, 0, 0.3], inertia=np.diag([0.1, 0.2, 0.15]))
    b.add_joint(skid, "free", "root")
    c, s = np.cos(0.9), np.sin(0.9)
    R = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    b.add_frame("turned", -1, [0, 0, 0], R)
    model = b.build()
    points = np.array([[0.3, 0.2, 0], [0.3, -0.2, 0], [-0.1, 0.2, 0.1], [-0.1, -0.2, 0]])
    q, v = model.default_position, np.array([0.1, 0, 0, 2.0, -0.5, 1.5])
    plain = civita.ConstrainedDynamics(model, [{"B": "skid", "point_B": p, "point_A": p} for p in points], q)
    turned = civita.ConstrainedDynamics(
        model, [{"B": "skid", "point_B": p, "A": "turned", "point_A": R.T @ p} for p in points], q
    )
    vdot, _ = plain.forward_dynamics(q, v, np.ones(6))
    rest = plain.residual(q, v, vdot)
    J = plain.jacobian(q)
    bias = plain.residual(q, v, np.zeros(6))
    np.testing.assert_allclose(vdot, np.linalg.lstsq(J, -bias, rcond=None)[0], rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(rest, J @ vdot + bias, rtol=1e-12, atol=1e-12)
    assert np.linalg.norm(rest) > 0.1
    np.testing.assert_allclose(turned.forward_dynamics(q, v, np.ones(6))[0], vdot, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(
        plain.forward_dynamics(q, v, np.ones(6), damping=1e-9)[0], vdot, rtol=1e-6, atol=1e-6
    )


def test_a_state_of_a_batch_that_loses_rank_is_named():
    model = civita.Model.from_file("planar_2r")
    c = civita.ConstrainedDynamics(model, [{"B": "ee"}], [0.3, 0.7])
    Q = np.tile([0.3, 0.7], (50, 1))
    Q[37, 1] = 0
    with pytest.raises(ValueError, match=r"state 37: the constraints have rank 1 of 3 rows, expected 2"):
        c.impulse(Q, np.ones((50, 2)))
    c.impulse(Q, np.ones((50, 2)), damping=1e-3)
    with pytest.raises(ValueError, match="restitution: negative or not finite"):
        c.impulse([0.3, 0.7], [1, 2], restitution=np.nan)
    with pytest.raises(ValueError, match="max_condition must be a number > 1"):
        civita.ConstrainedDynamics(model, [{"B": "ee"}], [0.3, 0.7], max_condition=np.nan)
    with pytest.raises(ValueError, match="damping: negative"):
        c.impulse(Q, np.ones((50, 2)), damping=-1)
    with pytest.raises(ValueError, match="threads: 0; at least 1"):
        civita.ConstrainedDynamics(model, threads=0)


def test_condition_close_and_copies():
    model = civita.Model.from_file(str(DATA / "four_bar.xml"))
    d = civita.Dynamics(model, "t:0.3", independent=[model.velocity_names[0]], loops=True)
    assert d.velocity_names == [model.velocity_names[0]] and d.nw == 1 and d.nv == model.nv
    assert 1 <= d.condition(d.closed_start) < 1e6
    assert d.condition([d.closed_start] * 3).shape == (3,)
    for other in (pickle.loads(pickle.dumps(d)), copy.deepcopy(d)):
        assert repr(other) == repr(d)
        np.testing.assert_array_equal(
            other.coriolis_matrix(d.closed_start, [1.0]), d.coriolis_matrix(d.closed_start, [1.0])
        )
    assert d.close(np.tile(d.closed_start, (2, 1))).shape == (2, model.nq)


COORDINATES = ["body_twists", "mass_orthonormal", "com_decoupled"]


@pytest.mark.parametrize("coordinates", COORDINATES)
def test_coordinates_have_the_equations_of_evaluate(coordinates):
    model = civita.Model.from_file("space_arm")
    d, tree = civita.Dynamics(model, "t:0.3", coordinates=coordinates), civita.Dynamics(model, "t:0.3")
    rng = np.random.default_rng(1)
    q = model.integrate_position(model.default_position, 0.3 * rng.normal(size=model.nv))
    w, a, x = rng.normal(size=(3, d.nw))
    v, A = d.tree_velocity(q, w), d.velocity_map(q)
    H, C = d.coriolis_matrix(q, w)
    names = ["H", "C", "Hdot", "g", "tau", "Gamma"]
    values = civita.evaluate(model, names, q, w, a, factorization="t:0.3", coordinates=coordinates)
    ours = (H, C, d.mass_matrix_derivative(q, w), d.gravity(q), d.rnea(q, w, a), d.connection(q))
    for name, number in zip(names, ours, strict=True):
        np.testing.assert_allclose(number, values[name], rtol=1e-8, atol=1e-8, err_msg=name)
    np.testing.assert_allclose(d.rnea(q, w, d.forward_dynamics(q, w, x)), x, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(C @ x, d.coriolis_product(q, w, x), **NEAR)
    np.testing.assert_allclose(d.kinetic_energy(q, w), tree.kinetic_energy(q, v), **NEAR)
    frame = model.frames[-1]
    np.testing.assert_allclose(d.jacobian(q, frame), tree.jacobian(q, frame) @ A, **NEAR)
    if coordinates != "com_decoupled":  # its C must be without torsion
        plain = civita.Dynamics(model, coordinates=coordinates)
        of_Gamma = np.einsum("abc,b->ac", plain.christoffel_symbols(q), w)
        np.testing.assert_allclose(of_Gamma, plain.coriolis_matrix(q, w)[1], **NEAR)
    by_q, by_w, same_H = d.rnea_derivatives(q, w, a)
    np.testing.assert_allclose(same_H, H, **NEAR)
    values = civita.evaluate(model, ["dtau_dq", "dtau_dv"], q, w, a, coordinates=coordinates)
    np.testing.assert_allclose(by_q, values["dtau_dq"], **NEAR)
    np.testing.assert_allclose(by_w, values["dtau_dv"], **NEAR)
    for j, along in enumerate(A.T):
        h = 1e-4
        moved = [d.rnea(model.integrate_position(q, s * h * along), w, a) for s in (1, -1)]
        np.testing.assert_allclose(by_q[:, j], (moved[0] - moved[1]) / (2 * h), rtol=1e-5, atol=1e-5)
    with pytest.raises(ValueError, match="geodesic: of the velocities of a tree alone"):
        d.geodesic(q, w, 1.0)
    assert repr(pickle.loads(pickle.dumps(d))) == repr(d)
    with pytest.raises(ValueError, match="coordinates: not with loops"):
        civita.Dynamics(model, loops=True, coordinates=coordinates)


def test_energy_is_kept_along_the_motion():
    """Runge-Kutta of fourth order in the independent position of a four-bar."""
    model = civita.Model.from_file(str(DATA / "four_bar.xml"))
    d, tree = civita.Dynamics(model, loops=True), civita.Dynamics(model)
    q, w, dt = d.closed_start, np.array([1.0]), 1e-3

    def energy():
        return d.kinetic_energy(q, w) + tree.potential_energy(q)

    def rates(q, w):
        return w, d.forward_dynamics(q, w, [0.0])

    before = energy()
    for _ in range(200):
        w_1, a_1 = rates(q, w)
        w_2, a_2 = rates(moved(d, q, w_1, dt / 2), w + dt / 2 * a_1)
        w_3, a_3 = rates(moved(d, q, w_2, dt / 2), w + dt / 2 * a_2)
        w_4, a_4 = rates(moved(d, q, w_3, dt), w + dt * a_3)
        q = moved(d, q, (w_1 + 2 * w_2 + 2 * w_3 + w_4) / 6, dt)
        w = w + dt / 6 * (a_1 + 2 * a_2 + 2 * a_3 + a_4)
    assert abs(w - 1).max() > 1e-2
    assert abs(energy() - before) < 1e-8 * abs(before)


def test_bad_input():
    model = civita.Model.from_file(str(DATA / "four_bar.xml"))
    d = civita.Dynamics(model, loops=True)
    q = d.closed_start
    with pytest.raises(ValueError, match=r"arm7 has no closed loops and no coupled joints"):
        civita.Dynamics(civita.Model.from_file("arm7"), loops=True)
    with pytest.raises(ValueError, match=r"crnak.*did you mean"):
        civita.Dynamics(model, independent=["crnak"], loops=True)
    with pytest.raises(ValueError, match=r"v: .*\(3,\).*\(1,\)"):
        d.coriolis_matrix(q, [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="max_gap: not positive"):
        civita.Dynamics(model, max_gap=0, loops=True)
    with pytest.raises(ValueError, match="max_condition: not positive"):
        civita.Dynamics(model, max_condition=-1, loops=True)
    with pytest.raises(KeyError, match="crank"):
        d.jacobian(q, "crnk")
    with pytest.raises(ValueError, match=r"state 1: the loops are open by .*close\(q\) closes them"):
        d.mass_matrix([q, q + 0.3])
    strict = civita.Dynamics(model, max_condition=1.01 * d.condition(q), loops=True)
    singular = next(
        at
        for at in (moved(d, q, [0.02 * k]) for k in range(-20, 20))
        if d.condition(at) > 1.02 * d.condition(q)
    )
    H = np.full((1, 1), 7.0)
    with pytest.raises(
        ValueError, match="state 0: cluster .* is singular here: its condition is .*, the limit"
    ):
        strict.mass_matrix(singular, out=H)
    assert H[0, 0] == 7
