"""What a worker does: a chunk of runs."""

from __future__ import annotations

import contextlib
import dataclasses
import time
from collections.abc import Iterator
from typing import Any

import numpy
from numpy.typing import NDArray

from civita import _civita

PUSHES = ("push", "impulse")
TRIAL_METRICS = (
    "survived",
    "fell",
    "friction",
    "direction_rad",
    "start_s",
    "impulse_Ns",
    "ceiling_Ns",
    "end_s",
    "steps",
    "feet_moved_m",
    "farthest_foot_m",
    "foot_off_m",
    "peak_tilt_rad",
    "unmet_force_N",
    "unmet_moment_Nm",
    "qp_fallbacks",
)


@dataclasses.dataclass(frozen=True)
class Job:
    """What all runs of a study have in common."""

    scene: str
    duration: float | None  # s
    survive: bool
    metrics: list[str] | None  # None: all but times of the machine
    signals: list[str]
    versions: tuple[str, str]  # of civita and MuJoCo
    trusts_configs: bool = False  # which may then name plug-ins and laws in Python
    trusts_settings: bool = True  # they are no file's


@dataclasses.dataclass(frozen=True)
class PlannedRun:
    """A run that is named by the hash of what determines it."""

    index: int  # in the study
    name: str
    varied: dict[str, Any]
    settings: list[str]  # "key=value"
    seed: int


@dataclasses.dataclass
class Result:
    """A run that ended: done, failed (it blew up, or fell), or error (it could not be made)."""

    status: str
    reason: str
    t_end_s: float
    metrics: dict[str, float]
    config: str
    signals: dict[str, NDArray[numpy.float64]]
    wall_s: float = 0


def versions() -> tuple[str, str]:
    """Of civita, with the source it was built from, and of MuJoCo."""
    return f"{_civita.__version__} ({_civita.git_describe})", _civita.mujoco_version


def run_chunk(job: Job, runs: list[PlannedRun]) -> list[Result]:
    """Makes the runs in order. Raises RuntimeError where this worker has another version."""
    mine = versions()
    if mine != tuple(job.versions):
        have, want = (f"civita {v[0]} with MuJoCo {v[1]}" for v in (mine, job.versions))
        raise RuntimeError(f"a worker has {have}, this is {want}; install the same on both")
    if job.trusts_configs:
        _civita.trust_configs()
    results = []
    with settings_trusted(job.trusts_settings):
        for each in runs:
            start = time.perf_counter()
            try:
                result = _run_trial(job, each) if job.survive else _run(job, each)
            except Exception as error:  # a row, not the end of the sweep
                kind = "" if isinstance(error, ValueError) else f"{type(error).__name__}: "
                result = failed_to_run(f"{kind}{error}")
            result.wall_s = time.perf_counter() - start
            results.append(result)
    return results


@contextlib.contextmanager
def settings_trusted(trusts: bool) -> Iterator[None]:
    """Whether settings may name code here: those of a study file are nobody's own words."""
    _civita.trust_overrides(trusts)
    try:
        yield
    finally:
        _civita.trust_overrides(True)


def failed_to_run(reason: str) -> Result:
    """The result of a run that could not be made."""
    return Result("error", reason, 0.0, {}, "", {})


def _run(job: Job, planned: PlannedRun) -> Result:
    from civita.runs import run

    done = run(
        job.scene,
        job.duration,
        set=dict(each.split("=", 1) for each in planned.settings),
        seed=planned.seed,
        signals=job.signals,
        progress=False,
    )
    names = job.metrics
    if names is None:
        names = [name for name in done.metrics if done.metrics.units[name] != "µs"]
    reason = "" if done.verdict == "done" else done.verdict
    signals = {name: numpy.array(done[name]) for name in job.signals}
    if signals:
        signals["t"] = numpy.array(done.t)
    metrics = {name: done.metrics[name] for name in names}
    t_end = float(done.t[-1]) if len(done) else 0.0
    return Result(done.status, reason, t_end, metrics, done.config, signals)


def _run_trial(job: Job, planned: PlannedRun) -> Result:
    amounts = dict(each.split("=", 1) for each in planned.settings)
    push = {key: float(amounts.pop(key)) for key in PUSHES if key in amounts} or {"push": 1.0}
    settings = [f"{key}={value}" for key, value in amounts.items()]
    (kind, amount), *_ = push.items()
    trial = _civita.survival_trial(job.scene, settings, kind == "impulse", amount, planned.seed)
    survived = trial["survived"]
    reason = "" if survived else trial["verdict"]
    metrics = {name: float(trial[name]) for name in job.metrics or TRIAL_METRICS}
    config = _civita.resolve_config(job.scene, [*settings, f"seed={planned.seed}"])
    return Result("done" if survived else "failed", reason, trial["end_s"], metrics, config, {})
