"""civita.identify: parameters of a robot from its motions."""

import numpy as np
import pytest

import civita


@pytest.fixture(scope="module")
def run():
    return civita.run("arm7_excitation", 8)


def arrays_of(run):
    return {"t": run.t, "q": run["/q"], "v": run["/v"], "tau": run["/tau"], "held": True}


def test_runs_folders_and_arrays_give_the_same(run, tmp_path):
    found = civita.identify(run)
    assert len(found.names) == len(found.values) == len(found.half_widths) > 50
    run.save(tmp_path / "run")
    np.savez(tmp_path / "run.npz", **arrays_of(run))
    folder = civita.identify(tmp_path / "run")
    arrays = civita.identify(arrays_of(run), model=found.model)
    file = civita.identify(tmp_path / "run.npz", model=found.model)
    assert folder.names == arrays.names == file.names == found.names
    np.testing.assert_allclose(folder.values, found.values, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(file.values, arrays.values)
    # Arrays do not tell when the drives were at their limits.
    np.testing.assert_allclose(arrays.values, found.values, rtol=0.02, atol=0.04)
    frame = found.to_dataframe()
    assert list(frame.index) == found.names


def test_wrong_masses_are_found(run):
    """What the arm has, from motions of the arm and a model whose masses are 30 % too large."""
    believed = civita.identify(run).model
    wrong = believed.with_scaled_inertia(1.3)
    found = civita.identify(run, model=wrong, held_out=run)
    pi = np.zeros(len(found.parameter_names))
    pi[: len(believed.parameters)] = believed.parameters
    pi[len(believed.parameters) :] = found.physical[len(believed.parameters) :]  # of joints
    size = np.abs(found.B @ pi)
    error = np.abs(found.values - found.B @ pi)
    inertial = ["friction" not in name for name in found.names]
    assert np.median((error / np.maximum(size, 0.05))[inertial]) < 0.05
    assert np.all(found.held_out < 0.1)
    assert found.physical_model.nv == 7


def test_what_does_not_fit_is_refused(run):
    given = arrays_of(run)
    with pytest.raises(ValueError, match="need a model"):
        civita.identify(given)
    model = civita.Model.from_file("arm7")
    with pytest.raises(ValueError):
        civita.identify({**given, "tau": given["tau"][:-1]}, model=model)
    with pytest.raises(ValueError):
        civita.identify({key: x[:5] if key != "held" else x for key, x in given.items()}, model=model)
