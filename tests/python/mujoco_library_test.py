"""The library of MuJoCo that is loaded, by what lies in the package mujoco."""

import subprocess
import sys

import pytest

import civita

CODE = """
import sys
sys.path.insert(0, {path!r})
import civita
print(civita.mujoco_version)
"""


def imported(path):
    code = CODE.format(path=str(path))
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)


@pytest.mark.parametrize("versions", [["3.17.0"], ["4.1.0", "3.17.0"]])
def test_another_version_is_one_sentence(tmp_path, versions):
    (tmp_path / "mujoco").mkdir()
    (tmp_path / "mujoco/__init__.py").touch()
    for version in versions:
        (tmp_path / f"mujoco/libmujoco.so.{version}").touch()
    done = imported(tmp_path)
    assert done.stderr.splitlines()[-1] == (
        f"ImportError: civita works with MuJoCo 4.0.0 and 4.0.1; here is {', '.join(versions)}: "
        "pip install 'mujoco-core>=4.0.0,<=4.0.1'"
    )


def test_a_fitting_version_is_taken_beside_another(tmp_path):
    import mujoco

    (tmp_path / "mujoco").mkdir()
    (tmp_path / "mujoco/__init__.py").touch()
    (tmp_path / "mujoco/libmujoco.so.9.9.9").touch()
    from importlib.util import find_spec

    (folder,) = find_spec("mujoco").submodule_search_locations
    name = f"libmujoco.so.{mujoco.__version__}"
    (tmp_path / "mujoco" / name).symlink_to(f"{folder}/{name}")
    done = imported(tmp_path)
    assert done.stdout.strip() == mujoco.__version__ == civita.mujoco_version, done.stderr
