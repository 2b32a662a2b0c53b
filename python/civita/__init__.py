"""civita: robot dynamics with the Coriolis matrix of your choice, and passivity-based control.

The equations of motion are H(q) v̇ + C(q,v) v + g(q) = τ. The matrix C is not unique: a Dynamics
computes that of the factorization it is given, by default the Christoffel-consistent, torsion-free one.
"""

import importlib as _importlib
import pathlib as _pathlib
import sys as _sys
import typing as _typing

try:
    from civita import _mujoco_library

    _mujoco_library.load()
    from civita import _civita, _signatures
except ImportError as error:
    if "libEGL" in str(error) or "libOpenGL" in str(error) or "libX11" in str(error):
        error.msg += "; civita's window needs it, on Debian: apt install libegl1 libopengl0 libx11-6"
    raise
from civita._civita import (
    Advice,
    ConstrainedDynamics,
    Dynamics,
    Model,
    ModelBuilder,
    __version__,
    evaluate,
    exp6,
    formulas,
    git_describe,
    log6,
    mujoco_version,
    quantities,
    scenes,
    trust_configs,
)
from civita.comparisons import advise, compare, survive
from civita.factorization import Factorization
from civita.identification import Identification, identify
from civita.laws import Controller, Law, Option, Parameter, Signal, State
from civita.link import Link, attach
from civita.runs import Metrics, Run, load_run, run
from civita.simulation import Simulation, SimulationBatch
from civita.window import view

_civita.set_data_directory((_pathlib.Path(__file__).parent / "data").resolve())
_civita.set_program_command([_sys.executable, "-m", "civita"])

__all__ = [
    "Advice",
    "ConstrainedDynamics",
    "Controller",
    "Dynamics",
    "Factorization",
    "Identification",
    "Law",
    "Link",
    "Metrics",
    "Model",
    "ModelBuilder",
    "Option",
    "Parameter",
    "Run",
    "Signal",
    "Simulation",
    "SimulationBatch",
    "State",
    "__version__",
    "advise",
    "attach",
    "compare",
    "evaluate",
    "exp6",
    "formulas",
    "git_describe",
    "identify",
    "load_run",
    "log6",
    "mujoco_version",
    "quantities",
    "run",
    "scenes",
    "survive",
    "sweep",
    "trust_configs",
    "view",
]

if _typing.TYPE_CHECKING:
    from civita.sweeps import sweep as sweep

_signatures.add()
# Loaded when they are used first, as some need packages of their own.
_MODULES = ("bench", "mujoco", "pinocchio", "poe")


def __dir__() -> list[str]:
    return sorted({*__all__, *_MODULES, "laws"})


def __getattr__(name: str) -> _typing.Any:
    """Sweeps load Dask when they are used first."""
    if name in _MODULES:
        return _importlib.import_module(f"civita.{name}")
    if name != "sweep":
        raise AttributeError(f"module 'civita' has no attribute {name!r}")
    try:
        from civita.sweeps import sweep
    except ModuleNotFoundError as error:
        if (error.name or "civita").partition(".")[0] == "civita":
            raise
        from civita._extras import missing

        raise missing(error, "civita.sweep", "sweeps") from None
    return sweep
