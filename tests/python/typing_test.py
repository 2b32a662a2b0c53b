"""The package and its stubs under mypy."""

import os
import pathlib
import subprocess
import sys

import pytest

import civita

USE = """
import numpy
from numpy.typing import NDArray
import civita

model = civita.Model.from_file("arm7", base="fixed")
d = civita.Dynamics(model, factorization=civita.Factorization.torsion(0.3), threads=2)
H, C = d.coriolis_matrix(model.default_position, [0.0] * model.nv)
tau: NDArray[numpy.float64] = d.rnea([0.0] * 7, C @ H[0], model.damping)
numbers: dict[str, NDArray[numpy.float64]] = civita.evaluate(model, ["H", "J:hand"], q=tau)
name: str = model.joints[0]["name"]
"""
WRONG = """
import civita

civita.Model.from_file(3)
d = civita.Dynamics("arm7")
x: int = d.mass_matrix([0.0])
"""


def test_package_and_its_use_are_typed(tmp_path):
    pytest.importorskip("mypy")
    package = pathlib.Path(civita.__file__).parent
    use, wrong = tmp_path / "use.py", tmp_path / "wrong.py"
    use.write_text(USE)
    wrong.write_text(WRONG)
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary"]
    command += ["--ignore-missing-imports", "--cache-dir", package.parent / "mypy_cache"]
    command += [use, wrong, *sorted(package.glob("*.py*")), *sorted(package.glob("sweeps/*.py"))]
    done = subprocess.run(
        list(map(str, command)),
        capture_output=True,
        text=True,
        env={**os.environ, "MYPYPATH": str(package.parent)},
        cwd=tmp_path,
    )
    assert done.stderr == ""
    errors = done.stdout.splitlines()
    assert [line for line in errors if not line.startswith("wrong.py")] == []
    assert len([line for line in errors if "error:" in line]) == 3
