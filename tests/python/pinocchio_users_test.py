"""What users of Pinocchio look for: the world as a frame, one q against many v, signatures, twists, links."""

import copy
import inspect
import pickle

import conftest
import numpy as np
import pytest

import civita
from civita import _civita


def test_the_world_is_a_frame(model):
    q, v = conftest.random_state(model)
    d = civita.Dynamics(model)
    R, p = d.frame_pose(q, "world")
    np.testing.assert_array_equal(R, np.eye(3))
    np.testing.assert_array_equal(p, np.zeros(3))
    np.testing.assert_array_equal(d.frame_velocity(q, v, "world"), np.zeros(6))
    np.testing.assert_array_equal(d.jacobian(q, "world"), np.zeros((6, model.nv)))
    np.testing.assert_array_equal(d.jacobian_derivative(q, v, "world"), np.zeros((6, model.nv)))
    assert model.find_frame("world")["body"] is None
    frame = model.body_frames[-1]
    np.testing.assert_allclose(d.relative_jacobian(q, "world", frame), d.jacobian(q, frame), atol=1e-13)
    pinned = civita.ConstrainedDynamics(model, [{"A": "world", "B": frame, "point_B": [0.1, 0, 0.2]}], q)
    alone = civita.ConstrainedDynamics(model, [{"B": frame, "point_B": [0.1, 0, 0.2]}], q)
    np.testing.assert_array_equal(pinned.jacobian(q), alone.jacobian(q))
    with pytest.raises(ValueError, match="does not move|moves"):
        model.with_payload("world", 1.0)
    with pytest.raises(KeyError, match="wrld"):
        d.frame_pose(q, "wrld")


@pytest.mark.parametrize("options", [{}, {"factorization": "t:0.5"}, {"coordinates": "mass_orthonormal"}])
def test_one_state_against_many(model, options):
    d = civita.Dynamics(model, **options)
    q, v = conftest.random_state(model)
    Q, V = conftest.random_state(model, 5)
    x = np.random.default_rng(3).normal(size=(5, d.nw))
    w, W = v[: d.nw], V[:, : d.nw]
    for k in range(5):
        for many, one in (
            (d.coriolis_matrix(q, W)[1], d.coriolis_matrix(q, W[k])[1]),
            (d.bias_forces(Q, w), d.bias_forces(Q[k], w)),
            (d.rnea(q, w, x), d.rnea(q, w, x[k])),
            (d.passivity_rnea(q, W, w, x), d.passivity_rnea(q, W[k], w, x[k])),
            (d.coriolis_product(q, w, x), d.coriolis_product(q, w, x[k])),
        ):
            np.testing.assert_allclose(many[k], one, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(model.integrate_position(q, V)[2], model.integrate_position(q, V[2]))
    evaluated = civita.evaluate(model, "H", q=q, v=V)["H"]
    assert evaluated.shape == (5, model.nv, model.nv)
    with pytest.raises(ValueError, match=r"v and vdot: either one is a vector.*\(5, .*\(3, "):
        d.rnea(q, W, x[:3])


def test_functions_have_signatures():
    number = 0
    for each in vars(_civita).values():
        for member in [each, *(vars(each).values() if isinstance(each, type) else [])]:
            if hasattr(member, "__nb_signature__"):
                assert inspect.signature(member).return_annotation is not inspect.Signature.empty
                number += 1
    assert number > 150
    assert inspect.signature(civita.Model.nq.fget).return_annotation == "int"
    d = civita.Dynamics(civita.Model.from_file("arm7"))
    assert list(inspect.signature(d.coriolis_matrix).parameters) == ["q", "v", "out"]
    assert inspect.signature(d.coriolis_matrix).parameters["out"].default is None
    assert list(inspect.signature(civita.Dynamics).parameters)[:3] == ["model", "factorization", "threads"]
    assert inspect.signature(_civita.trust_configs).parameters["trusts"].default is True
    assert {"poe", "pinocchio", "mujoco", "sweep", "run"} <= set(dir(civita))
    assert civita.poe.__name__ == "civita.poe"


@pytest.mark.parametrize("scale", [1e-9, 0.3, 3.0])
def test_twists_are_rigid_motions(scale):
    pinocchio = pytest.importorskip("pinocchio")
    rng = np.random.default_rng(2)
    for _ in range(20):
        w, u = scale * rng.normal(size=3) / np.sqrt(3), rng.normal(size=3)
        R, p = civita.exp6([*w, *u])
        theirs = pinocchio.exp6(np.array([*u, *w]))
        np.testing.assert_allclose(R, theirs.rotation, atol=1e-14)
        np.testing.assert_allclose(p, theirs.translation, atol=1e-14)
        if np.linalg.norm(w) < 3:
            np.testing.assert_allclose(civita.log6(R, p), [*w, *u], atol=1e-11)
    with pytest.raises(ValueError, match="twist"):
        civita.exp6(np.zeros(5))


def test_links_build_the_model_again(model):
    d = civita.Dynamics(model)
    built, index = civita.ModelBuilder(), {None: -1}
    joints = iter(model.joints)
    for link in model.links:
        place = [link[key] for key in ("position", "rotation", "mass", "com", "inertia")]
        index[link["name"]] = built.add_body(link["name"], index[link["parent"]], *place)
        for joint in link["joints"]:
            kind = next(joints)["type"]
            moves = {} if kind in ("ball", "free") else {"position_reference": joint["position_reference"]}
            axis = {} if kind in ("ball", "free") else {"axis": joint["axis"]}
            anchor = {} if kind == "free" else {"anchor": joint["anchor"]}
            built.add_joint(index[link["name"]], kind, joint["name"], **moves, **axis, **anchor)
    built.set_gravity(model.gravity)
    q, v = conftest.random_state(model)
    again = civita.Dynamics(built.build())
    np.testing.assert_allclose(again.bias_forces(q, v), d.bias_forces(q, v), rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("again", [lambda x: pickle.loads(pickle.dumps(x)), copy.deepcopy, copy.copy])
def test_builders_and_constraints_are_copied(again, model):
    builder = civita.ModelBuilder(model)
    other = again(builder)
    assert repr(other) == repr(builder) == f"<civita.ModelBuilder of {len(model.links)} bodies>"
    assert other.build().parameters.tolist() == builder.build().parameters.tolist()
    other.add_body("new", -1)
    assert len(builder.build().links) == len(model.links)
    q, v = conftest.random_state(model)
    constraints = iter([{"B": model.body_frames[-1], "stiffness": 10.0}])
    d = civita.ConstrainedDynamics(model, constraints, q, 1e7)
    tau = np.zeros(model.nv)
    for one, two in zip(again(d).forward_dynamics(q, v, tau), d.forward_dynamics(q, v, tau), strict=True):
        np.testing.assert_array_equal(one, two)
    assert repr(again(d)) == repr(d)


def test_signed_gains_and_a_missing_return():
    class Signed(civita.Controller):
        """τ = k v"""

        k = civita.Parameter(-2.0, "N·m·s/rad", "a gain with a sign", min=-5, max=5, range="any")

        def control(self, measured, reference, dynamics):
            return self.k * measured.v

    assert civita.run("planar_2r", 0.01, controller=Signed, set={"gains.k": -7}).status == "done"
    with pytest.raises(ValueError, match="allows a sign"):
        civita.Parameter(-2.0)
    with pytest.raises(ValueError, match="0 ≤ min < max"):
        civita.Parameter(2.0, min=-1)

    class Forgotten(Signed):
        def control(self, measured, reference, dynamics):
            self.k * measured.v

    assert "is a return missing?" in repr(civita.run("planar_2r", 0.01, controller=Forgotten))
