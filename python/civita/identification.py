"""Inertial parameters and friction from motions, civita.identify."""

from __future__ import annotations

import collections.abc
import json
import os
from typing import TYPE_CHECKING, Any

import numpy
from numpy.typing import NDArray

from civita import _civita
from civita.runs import Run

if TYPE_CHECKING:
    import pandas

Array = NDArray[numpy.float64]
Motion = Run | str | os.PathLike[str] | collections.abc.Mapping[str, Any]


class Identification:
    """What civita.identify finds: b base parameters, combinations of all n, from windows of time."""

    model: _civita.Model  #: the one that was given
    names: list[str]  #: b: the parameter that leads each combination, "link2.h_x"
    combinations: list[str]  #: b: "link1.Izz + link2.Iyy"
    units: list[str]
    values: Array  #: b: unconstrained least squares
    half_widths: Array  #: b: of their 95 % intervals
    bias: Array  #: b: what noise of q and v adds to the values
    model_values: Array  #: b: what the given model has
    physical_values: Array  #: b: of the physically consistent fit
    undetermined: list[str]  #: what these motions do not determine
    without_effect: list[str]  #: what no motion depends on
    condition: float  #: number, of the regressor with columns of equal norms
    largest_bias: float  #: in shares of half_widths
    windows: int
    lags: int  #: by how many windows residuals are apart that count as correlated
    residual: Array  #: nv, N·m or N: as white noise of a sample of the torque
    held_out: Array  #: nv: the same of motions that were not fitted; NaN without
    torque_noise: Array  #: nv: what differences of successive torques show
    parameter_names: list[str]  #: n: ten of each of model.body_frames, then of joints
    physical: Array  #: n: those of the physically consistent fit
    B: Array  #: (b, n): base parameters of all parameters
    covariance: Array  #: (b, b)

    def __init__(self, model: _civita.Model, found: dict[str, Any]) -> None:
        self.model = model
        for name, value in found.items():
            is_array = Identification.__annotations__[name] == "Array"
            setattr(self, name, numpy.array(value, dtype=float) if is_array else value)

    @property
    def physical_model(self) -> _civita.Model:
        """The model with the parameters of the physically consistent fit."""
        return self.model.with_parameters(self.physical[: len(self.model.parameters)])

    def to_dataframe(self) -> pandas.DataFrame:
        """A row for each base parameter, in the order of `names`."""
        import pandas

        columns = (
            "combinations",
            "values",
            "half_widths",
            "bias",
            "physical_values",
            "model_values",
            "units",
        )
        return pandas.DataFrame({name: getattr(self, name) for name in columns}, index=self.names)

    def __repr__(self) -> str:
        return f"<Identification: {len(self.names)} base parameters from {self.windows} windows>"


def identify(
    motions: Motion | collections.abc.Sequence[Motion],
    *,
    model: _civita.Model | None = None,
    held_out: Motion | collections.abc.Sequence[Motion] = (),
    window: float = 0.4,
    armature: bool = False,
) -> Identification:
    """Finds inertial parameters and friction from q, v and torques, as `civita identify` does.

    Parameters
    ----------
    motions : Run, path, mapping or sequence of them
        A run, or its folder; a CSV file, or an NPZ file of numpy.savez, with t, /q/0, …, /v/0, …,
        /tau/0, … as a run's signals.csv has them; or arrays by name: "t" (N,), "q" (N, nq), "v" and
        "tau" (N, nv), in a mapping or an NPZ file. "held": True says that each torque lasts until
        the next.
    model : Model, optional
        The robot as it is believed to be; by default the law's, of the first run.
    held_out
        Motions that are predicted and not fitted.
    window : float
        Length of a window, s. Longer ones average more noise, and fast motion, too.
    armature : bool
        Whether the armatures of joints are identified; else they are the model's.

    Returns
    -------
    Identification

    Raises
    ------
    ValueError
        For data that do not fit the model or are too short, and robots with closed loops.
    """
    fitted, others = _listed(motions), _listed(held_out)
    if model is None:
        if not fitted or not isinstance(fitted[0], _civita.RunResult | str):
            raise ValueError("arrays need a model: civita.identify(motions, model=…)")
        model = _civita.run_model(fitted[0]) if isinstance(fitted[0], str) else fitted[0].model
    first, second = ([_samples(motion, model) for motion in group] for group in (fitted, others))
    found = _civita.identify(model, first, second, float(window), bool(armature))
    return Identification(model, json.loads(found))


def _listed(motions: Any) -> list[Any]:
    """Of each motion its path, what made it, or arrays by name."""
    single = isinstance(motions, Run | str | os.PathLike | collections.abc.Mapping)
    return [_opened(motion) for motion in ([motions] if single else motions)]


def _opened(motion: Motion) -> Any:
    if isinstance(motion, Run):
        return motion._made("identify") if motion._directory is None else str(motion._directory)
    return motion if isinstance(motion, collections.abc.Mapping) else os.fspath(motion)


def _samples(motion: Any, model: _civita.Model) -> _civita.MotionSamples:
    if isinstance(motion, _civita.RunResult):
        return motion.motion(model)
    if isinstance(motion, str):
        return _civita.read_motion(motion, model)
    name = str(motion.get("name", "motion"))
    missing = next((each for each in ("t", "q", "v", "tau") if each not in motion), None)
    if missing is not None:
        raise ValueError(f"{name} has no {missing}")
    t, q, v, tau = (motion[each] for each in ("t", "q", "v", "tau"))
    return _civita.motion_of_arrays(model, name, t, q, v, tau, bool(motion.get("held", False)))
