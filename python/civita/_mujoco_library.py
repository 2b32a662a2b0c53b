"""Loads MuJoCo's library, that of the package mujoco-core, before the extension module needs it."""

from __future__ import annotations

import ctypes
import importlib.util
import pathlib

_OURS = pathlib.Path(__file__).parent / "lib"


def load() -> None:
    """Raises ImportError, in one sentence, where there is no MuJoCo of a version that civita works with."""
    spec = importlib.util.find_spec("mujoco")
    folders = [pathlib.Path(each) for each in (spec and spec.submodule_search_locations) or ()]
    found = [file for folder in folders for file in folder.glob("libmujoco.so.*")]
    found = sorted(found or _OURS.glob("libmujoco.so.*"), reverse=True)
    versions = [file.name.removeprefix("libmujoco.so.") for file in found]
    for file, version in zip(found, versions, strict=True):
        named = _OURS / version / "libcivita_mujoco.so"
        if named.exists():
            ctypes.CDLL(str(file))
            ctypes.CDLL(str(named))
            return
    raise ImportError(
        f"civita works with MuJoCo 4.0.0 and 4.0.1; here is {', '.join(versions) or 'none'}: "
        "pip install 'mujoco-core>=4.0.0,<=4.0.1'"
    )
