"""Models, Dynamics and runs go to other processes, and are copied, with the same bits."""

import copy
import gc
import multiprocessing
import pickle
import weakref

import conftest
import numpy as np
import pytest

import civita


def through_pickle(x):
    return pickle.loads(pickle.dumps(x))


@pytest.mark.parametrize("again", [through_pickle, copy.copy, copy.deepcopy])
def test_model(model, again):
    other = again(model)
    assert repr(other) == repr(model)
    assert other.describe() == model.describe()
    for name in ("frames", "joints", "velocity_names", "notices", "source", "has_closed_loops"):
        assert getattr(other, name) == getattr(model, name), name
    for name in ("parameters", "damping", "armature", "default_position", "gravity"):
        np.testing.assert_array_equal(getattr(other, name), getattr(model, name))
    q, v = conftest.random_state(model)
    for one, two in zip(
        civita.Dynamics(model, "t:0.3").coriolis_matrix(q, v),
        civita.Dynamics(other, "t:0.3").coriolis_matrix(q, v),
        strict=True,
    ):
        np.testing.assert_array_equal(one, two)
    np.testing.assert_array_equal(
        civita.Dynamics(model).passive_forces(q, v), civita.Dynamics(other).passive_forces(q, v)
    )


def test_model_with_closed_loops():
    scenes = [scene["name"] for scene in civita.scenes() if scene["is_here"]]
    models = [civita.Model.from_file(scene) for scene in scenes]
    looped = [model for model in models if model.has_closed_loops]
    assert looped
    for model in looped:
        v = np.zeros(civita.evaluate(model, "H", reduced=True)["H"].shape[0])
        one = civita.evaluate(model, ["H", "C"], v=v, reduced=True)
        two = civita.evaluate(through_pickle(model), ["H", "C"], v=v, reduced=True)
        for name in one:
            np.testing.assert_array_equal(one[name], two[name])


def test_models_of_other_versions_are_refused():
    model = civita.Model.from_file("planar_2r")
    state = model.__getstate__()
    with pytest.raises(ValueError, match="a Model of civita 0.0, and this is"):
        civita.Model.__new__(civita.Model).__setstate__(("0.0", *state[1:]))
    with pytest.raises(ValueError, match="damaged bytes"):
        civita.Model.__new__(civita.Model).__setstate__((state[0], state[1][:100], *state[2:]))


@pytest.mark.parametrize("again", [through_pickle, copy.copy, copy.deepcopy])
@pytest.mark.parametrize(
    "factorization",
    [
        "christoffel",
        "t:0.123456789012345678",
        civita.Factorization.joint(0.1, np.eye(3, 7)) + civita.Factorization.torsion(1 / 3),
    ],
)
def test_dynamics(again, factorization):
    dynamics = civita.Dynamics(civita.Model.from_file("arm7"), factorization, threads=2)
    other = again(dynamics)
    assert (other.factorization, other.threads) == (dynamics.factorization, 2)
    assert other.instruction_set == dynamics.instruction_set
    q, v = conftest.random_state(dynamics.model)
    np.testing.assert_array_equal(other.coriolis_matrix(q, v)[1], dynamics.coriolis_matrix(q, v)[1])
    assert "t:" in repr(other) or "christoffel" in repr(other)


@pytest.mark.parametrize("again", [through_pickle, copy.copy, copy.deepcopy])
def test_run(again, tmp_path):
    run = civita.run("planar_2r", 0.1)
    other = again(run)
    assert repr(other) == repr(run)
    np.testing.assert_array_equal(other.t, run.t)
    np.testing.assert_array_equal(other["/tau/1"], run["/tau/1"])
    assert str(dict(other.metrics)) == str(dict(run.metrics))
    assert (other.config, other.verdict, other.notices) == (run.config, run.verdict, run.notices)
    with pytest.raises(ValueError, match="read-only"):
        other["/e"][:] = 0
    if again is through_pickle:
        with pytest.raises(ValueError, match="pickle"):
            other.save(tmp_path / "run")
    else:
        other.save(tmp_path / "run")
        np.testing.assert_array_equal(civita.load_run(tmp_path / "run")["/e"], run["/e"])


def mass_matrix_of(dynamics):
    return dynamics.mass_matrix(dynamics.model.default_position)


def test_other_processes_take_them():
    dynamics = civita.Dynamics(civita.Model.from_file("ball_arm"), threads=1)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        (H,) = pool.map(mass_matrix_of, [dynamics])
    np.testing.assert_array_equal(H, mass_matrix_of(dynamics))


def test_weak_references():
    model = civita.Model.from_file("planar_2r")
    dynamics, run = civita.Dynamics(model), civita.run("planar_2r", 0.05)
    references = [weakref.ref(x) for x in (model, dynamics, run)]
    assert [reference() for reference in references] == [model, dynamics, run]
    del model, dynamics, run
    gc.collect()
    assert [reference() for reference in references] == [None] * 3
