"""civita.identify: parameters of a robot from its motions."""

import pickle
import random
import subprocess
import sys

import numpy as np
import pytest

import civita
from civita import _civita


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
    np.testing.assert_array_equal(folder.values, found.values)
    again = civita.identify(civita.load_run(tmp_path / "run"), model=found.model)
    np.testing.assert_array_equal(again.values, found.values)
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
    with pytest.raises(ValueError, match="from a pickle"):
        civita.identify(pickle.loads(pickle.dumps(run)))
    with pytest.raises(ValueError, match="has no column /tau/0"):
        civita.identify(civita.run("arm7_excitation", 1, signals=["/q", "/v"]))
    with pytest.raises(ValueError, match="has no column /constrained"):
        civita.identify(civita.run("arm7_excitation", 1, signals=["/q", "/v", "/tau"]))


def of_file(file, model):
    """What the program computes of a file."""
    return civita._civita.identify(model, [_civita.read_motion(str(file), model)], [], 0.4, False)


def test_npz_files_of_the_program(run, tmp_path):
    model = civita.Model.from_file("arm7")
    given = arrays_of(run)
    columns = {
        f"/{name}/{i}": np.asfortranarray(given[name])[:, i] for name in ("q", "v", "tau") for i in range(7)
    }
    expected = civita.identify(given, model=model)
    run.save(tmp_path / "run")
    for name, arrays in {
        "matrices": {key: np.asarray(x) for key, x in given.items()},
        "by_columns": {key: np.asfortranarray(x) for key, x in given.items()},
        "columns": {
            "t": run.t,
            "held": True,
            **columns,
            "note": np.array(["text"]),
            "cube": np.ones((2, 2, 2)),
        },
    }.items():
        file = tmp_path / f"{name}.npz"
        np.savez(file, **arrays)
        assert of_file(file, model) == of_file(tmp_path / "matrices.npz", model), name
        command = [
            sys.executable,
            "-m",
            "civita",
            "identify",
            file,
            "--model",
            "arm7",
            "--out",
            tmp_path / name,
        ]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == "", done
    text = (tmp_path / "columns/identification.json").read_text()
    assert text == of_file(tmp_path / "matrices.npz", model)
    np.testing.assert_array_equal(civita.identify(file, model=model).values, expected.values)
    # The program's own: not only its motion.
    assert of_file(tmp_path / "run/signals.npz", model)
    single = {key: np.asarray(x, dtype="f4") for key, x in given.items()}
    np.savez(tmp_path / "single.npz", **{**single, "t": run.t})
    assert of_file(tmp_path / "single.npz", model)


def test_npz_files_that_are_none(run, tmp_path):
    model = civita.Model.from_file("arm7")
    file = tmp_path / "run.npz"

    def refuse(text):
        with pytest.raises(ValueError, match=text) as error:
            _civita.read_motion(str(file), model)
        assert "\n" not in str(error.value)

    given = {key: np.asarray(x)[:40] for key, x in arrays_of(run).items() if key != "held"}
    np.savez_compressed(file, **given)
    refuse(r"run.npz is compressed; numpy.savez ")
    np.savez(file, **{key: x for key, x in given.items() if key != "t"})
    refuse(r"run.npz has no t$")
    for t in (given["t"].astype("U9"), np.empty((40, 0)), np.empty(0), np.empty((40, 1, 1))):
        np.savez(file, **{**given, "t": t})
        refuse(r"run.npz has no t$")
    np.savez(file, **{**given, "tau": given["tau"][:, :6]})
    refuse(r"run.npz has no column /tau/6$")
    np.savez(file, **{**given, "v": given["v"][:-1]})
    refuse(r"run.npz has no column /v/0$")
    file.write_bytes(b"")
    refuse(r"run.npz is no NPZ archive$")
    np.save(tmp_path / "run.npy", given["q"])
    file.write_bytes((tmp_path / "run.npy").read_bytes())
    refuse(r"run.npz is no NPZ archive$")
    np.savez(file, **given)
    whole = file.read_bytes()
    _civita.read_motion(str(file), model)
    ends = whole.index(b"PK\x01\x02")
    for length in range(4, ends, 97):
        file.write_bytes(whole[:length])
        refuse("run.npz.* is cut off or damaged$")
    draw = random.Random(1)
    for _ in range(3000):
        damaged = bytearray(whole)
        for _ in range(draw.choice([1, 1, 2, 20])):
            damaged[draw.randrange(min(draw.choice([200, ends]), ends))] = draw.choice(
                [0, 1, 8, 0x7F, 0xFF, draw.randrange(256)]
            )
        file.write_bytes(damaged)
        try:
            _civita.read_motion(str(file), model)
        except ValueError as error:
            assert "\n" not in str(error)
