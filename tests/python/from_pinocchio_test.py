"""The programs of examples/from_pinocchio: theirs and ours give the same numbers."""

import pathlib
import re
import runpy

import numpy as np
import pytest

import civita

ROOT = pathlib.Path(__file__).parents[2]
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


def test_names_in_cpp_are_there():
    page = (ROOT / "docs/from_pinocchio.md").read_text(encoding="utf-8")
    section = page.partition("| Pinocchio | civita | in C++ |")[2].partition("\n## ")[0]
    rows = [line.strip("|").split(" | ")[1:] for line in section.splitlines()[2:] if line.startswith("| ")]
    assert sum(bool(cell.strip()) for _, cell in rows) > 40
    headers = "\n".join(
        header.read_text(encoding="utf-8")
        for folder in ("core", "study/model")
        for header in (ROOT / folder).rglob("*.h")
        if "internal" not in header.parts
    )
    for ours, in_cpp in rows:
        for name in re.findall(r"\b(?:model|d|civita)\.(\w+)\b(?!\.json)", ours):
            assert any(
                hasattr(where, name)
                for where in (civita, civita.Model, civita.Dynamics, civita.ConstrainedDynamics)
            ), name
        for name in re.findall(r"`(?:\w+::)?(\w+)[`(]", in_cpp):
            assert re.search(rf"\b(?:{name}\(|(?:class|struct|using) {name}\b)", headers), name
