"""The programs of examples/from_pinocchio: theirs and ours give the same numbers."""

import pathlib
import runpy

import numpy as np
import pytest

FOLDER = pathlib.Path(__file__).parents[2] / "examples/from_pinocchio"
NAMES = sorted(path.stem.removesuffix("_civita") for path in FOLDER.glob("*_civita.py"))


def test_all_are_listed():
    assert len(NAMES) == 15
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert all(f"({name}_{whose}.py)" in page for name in NAMES for whose in ("civita", "pinocchio"))


@pytest.mark.parametrize("name", NAMES)
def test_results_agree(name, monkeypatch):
    monkeypatch.chdir(FOLDER)
    theirs, ours = (runpy.run_path(f"{name}_{whose}.py")["result"] for whose in ("pinocchio", "civita"))
    assert len(theirs) == len(ours)
    for a, b in zip(theirs, ours, strict=True):
        assert np.abs(a).max() > 1e-3
        np.testing.assert_allclose(b, a, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_ours_is_no_longer(name):
    theirs, ours = (
        len(
            [
                line
                for line in (FOLDER / f"{name}_{whose}.py").read_text(encoding="utf-8").splitlines()
                if line
            ]
        )
        for whose in ("pinocchio", "civita")
    )
    assert ours <= theirs
