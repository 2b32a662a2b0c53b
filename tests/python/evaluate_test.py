"""evaluate: every quantity of `civita eval`, beside the methods, the program and the reference data."""

import json
import pathlib
import subprocess
import sys

import numpy as np
import pytest
from conftest import random_state

import civita

DATA = pathlib.Path(__file__).parent.parent / "data"
NEAR = {"rtol": 1e-10, "atol": 1e-10}
# Reference files without floating joints, whose velocities are others there.
FILES = ["chain3", "chain10", "chain6_gravdir", "mixed6", "bintree7", "star13", "sph3"]
TYPES = {"revolute": "hinge", "prismatic": "slide", "spherical": "ball"}


def reference(name):
    file = json.loads((DATA / "reference" / f"{name}.json").read_text())
    b = civita.ModelBuilder()
    b.set_gravity(file["gravity"])
    bodies = []
    for body in file["bodies"]:
        parent = -1 if body["parent"] < 0 else bodies[body["parent"]]
        at = body["placement"]
        bodies.append(
            b.add_body(body["name"], parent, at["p"], at["R"], body["mass"], body["com"], body["inertia"])
        )
        joint = body["joint"]
        axis = {"axis": joint["axis"]} if "axis" in joint else {}
        b.add_joint(bodies[-1], TYPES[joint["type"]], body["name"], **axis)
    return b.build(), file["states"]


def assert_near(ours, reference):
    reference = np.array(reference)
    error = np.abs(ours - reference).max() / max(1, np.abs(reference).max())
    assert error <= 1e-12


@pytest.mark.parametrize("name", FILES)
def test_reference_data(name):
    model, states = reference(name)
    d = civita.Dynamics(model)
    for x in states:
        q, v = x["q"], x["qd"]
        H, C = d.coriolis_matrix(q, v)
        assert_near(H, x["M"])
        assert_near(C, x["C"])
        assert_near(civita.Dynamics(model, "plain").coriolis_matrix(q, v)[1], x["C_vxI"])
        assert_near(civita.Dynamics(model, "other").coriolis_matrix(q, v)[1], x["C_alt"])
        assert_near(d.mass_matrix_derivative(q, v), x["Mdot"])
        assert_near(d.gravity(q), x["gravity_torque"])
        assert_near(d.rnea(q, v, x["qdd"]), x["tau"])
        assert_near(d.passivity_rnea(q, v, x["qd_r"], x["qdd"]), x["tau_SL"])
        assert_near(d.coriolis_transpose_product(q, v, v), x["CTqd"])
        assert_near(d.kinetic_energy(q, v), x["kinetic_energy"])
        assert_near(d.potential_energy(q), x["potential_energy"])
        if x["Gamma"] is not None:
            assert_near(d.christoffel_symbols(q), x["Gamma"])


def test_methods_are_its_quantities(model, state):
    f = civita.Factorization.torsion(0.4)
    d = civita.Dynamics(model, f)
    q, v = state()
    a, v_r, vdot_r, tau = np.random.default_rng(8).normal(size=(4, model.nv))
    body = model.frames[-1]
    values = civita.evaluate(
        model,
        [
            "H",
            "C",
            "Gamma",
            "Christoffel",
            "Gamma_packed",
            "Hdot",
            "g",
            "bias",
            "passive",
            "tau",
            "CTv",
            "tau_r",
            "Cv_r",
            "vdot",
            "dtau_dq",
            "dtau_dv",
            f"J:{body}",
            f"Jdot:{body}",
            "com",
            "Jcom",
            "hG",
            "AG",
            "kinetic",
            "potential",
            "Y",
            "pi",
        ],
        q,
        v,
        a,
        v_r=v_r,
        vdot_r=vdot_r,
        tau=tau,
        factorization=f,
    )
    H, C = d.coriolis_matrix(q, v)
    dq, dv, _ = d.rnea_derivatives(q, v, a)
    expected = {
        "H": H,
        "C": C,
        "Gamma": d.connection(q),
        "Christoffel": d.christoffel_symbols(q),
        "Gamma_packed": d.packed_christoffel_symbols(q),
        "Hdot": d.mass_matrix_derivative(q, v),
        "g": d.gravity(q),
        "bias": d.bias_forces(q, v),
        "passive": d.passive_forces(q, v, 0.02),
        "tau": d.rnea(q, v, a),
        "CTv": d.coriolis_transpose_product(q, v, v),
        "tau_r": d.passivity_rnea(q, v, v_r, vdot_r),
        "Cv_r": d.coriolis_product(q, v, v_r),
        "vdot": d.forward_dynamics(q, v, tau),
        "dtau_dq": dq,
        "dtau_dv": dv,
        f"J:{body}": d.jacobian(q, body),
        f"Jdot:{body}": d.jacobian_derivative(q, v, body),
        "com": d.center_of_mass(q),
        "Jcom": d.center_of_mass_jacobian(q),
        "hG": d.centroidal_momentum(q, v),
        "AG": d.centroidal_momentum_matrix(q),
        "kinetic": d.kinetic_energy(q, v),
        "potential": d.potential_energy(q),
        "pi": model.parameters,
    }
    for name, value in expected.items():
        scale = np.abs(value).max() + 1
        np.testing.assert_allclose(values[name], value, rtol=1e-9, atol=1e-10 * scale, err_msg=name)
    assert values["Y"].shape == (model.nv, len(model.parameters))


def test_is_the_programs(tmp_path):
    model = civita.Model.from_file("ball_arm")
    Q, V = random_state(model, 3)
    states = [{"q": list(q), "v": list(v)} for q, v in zip(Q, V, strict=True)]
    (tmp_path / "states.json").write_text(json.dumps({"states": states}))
    command = [sys.executable, "-m", "civita", "eval", "ball_arm", "--quantities", "all"]
    command += ["--factorization", "t:0.3", "--states", str(tmp_path / "states.json")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    ours = civita.evaluate(model, "all", Q, V, factorization="t:0.3")
    for s, theirs in enumerate(json.loads(done.stdout)["states"]):
        for name, values in ours.items():
            expected = np.array(theirs[name], dtype=float)
            # The program normalizes quaternions first.
            np.testing.assert_allclose(values[s], expected, rtol=1e-12, atol=1e-13, err_msg=name)


def test_every_quantity_has_a_row():
    names = {row["name"] for row in civita.quantities()}
    assert {"H", "C", "torsion", "J:BODY", "Lambda:TASK"} <= names
    model = civita.Model.from_file("arm7")
    values = civita.evaluate(model, ["Lambda:hand:pose", "N:hand"], model.default_position)
    assert values["Lambda:hand:pose"].shape == (6, 6)
    assert values["N:hand"].shape == (7, 4)


def test_closed_chains():
    model = civita.Model.from_file(str(DATA / "closed" / "four_bar.xml"))
    assert model.has_closed_loops
    values = civita.evaluate(model, ["H", "C", "Hdot", "A"], reduced=True)
    assert values["A"].shape[0] == model.nv > values["A"].shape[1]
    w = np.full(values["H"].shape[0], 0.7)
    moving = civita.evaluate(model, ["C", "Hdot"], v=w, reduced=True)
    np.testing.assert_allclose(moving["C"] + moving["C"].T, moving["Hdot"], **NEAR)
    batch = civita.evaluate(model, "C", v=[w, 2 * w], reduced=True)["C"]
    np.testing.assert_allclose(2 * batch[0], batch[1], **NEAR)
    with pytest.raises(ValueError, match="no closed loops"):
        civita.evaluate(civita.Model.from_file("arm7"), "H", reduced=True)


def test_other_coordinates():
    model = civita.Model.from_file("arm7")
    q, w = random_state(model)
    values = civita.evaluate(model, ["H", "A"], q, w, coordinates="mass_orthonormal")
    np.testing.assert_allclose(values["H"], np.eye(7), atol=1e-10)
    H = civita.Dynamics(model).mass_matrix(q)
    np.testing.assert_allclose(values["A"].T @ H @ values["A"], np.eye(7), atol=1e-10)


def test_wrenches():
    model = civita.Model.from_file("arm7")
    q, v = random_state(model)
    force, point = [1.0, 2.0, 3.0], [0.1, 0.0, 0.2]
    wrench = {"body": "hand", "force": force, "point": point}
    tau_ext = civita.evaluate(model, "tau_ext", q, v, wrenches=[wrench])["tau_ext"]
    J = civita.Dynamics(model).jacobian(q, "hand", point)
    np.testing.assert_allclose(tau_ext, J[3:].T @ force, **NEAR)


def test_geodesics_have_the_same_path_and_carry_otherwise():
    model = civita.Model.from_file("arm7")
    q, v = random_state(model)
    w = np.eye(7)[:2]
    paths = {}
    for f in ("christoffel", "t:1"):
        d = civita.Dynamics(model, f)
        paths[f] = Q, V, W = d.geodesic(q, v, 0.3, 300, w)
        H0, H1 = d.mass_matrix(Q[0]), d.mass_matrix(Q[-1])
        np.testing.assert_allclose(W[-1] @ H1 @ W[-1].T, w @ H0 @ w.T, rtol=1e-7, atol=1e-8)
        assert d.kinetic_energy(Q[-1], V[-1]) == pytest.approx(d.kinetic_energy(q, v), rel=1e-8)
    np.testing.assert_allclose(paths["t:1"][0], paths["christoffel"][0], atol=1e-9)
    assert np.abs(paths["t:1"][2][-1] - paths["christoffel"][2][-1]).max() > 1e-3


def test_transport_along_a_curve():
    model = civita.Model.from_file("planar_2r")
    d = civita.Dynamics(model)

    def circle(t):
        return [np.cos(t), np.sin(t)], [-np.sin(t), np.cos(t)]

    W = d.transport(circle, [1.0, 0.5], 2 * np.pi, 400)
    H = d.mass_matrix([1.0, 0.0])
    assert W.shape == (401, 1, 2)
    assert W[-1, 0] @ H @ W[-1, 0] == pytest.approx(W[0, 0] @ H @ W[0, 0], rel=1e-8)
    q, v = circle(0.5)
    k = 200  # the covariant derivative of a parallel field is zero
    wdot = (W[k + 1, 0] - W[k - 1, 0]) / (2 * 2 * np.pi / 400)
    q, v = circle(k * 2 * np.pi / 400)
    np.testing.assert_allclose(d.covariant_derivative(q, v, W[k, 0], wdot), 0, atol=2e-3)
    with pytest.raises(ZeroDivisionError):
        d.transport(lambda t: 1 / 0, [1.0, 0.5], 1.0)
