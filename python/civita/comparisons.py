"""Many runs, civita.compare and civita.survive; and none, civita.advise."""

from __future__ import annotations

import collections.abc
import os
from typing import TYPE_CHECKING, Any

from civita import _civita
from civita._extras import need
from civita._progress import Progress
from civita.runs import Scene, Settings, raise_with, scene_path, seconds, setting_text, settings_text, whole

if TYPE_CHECKING:
    import pandas


def compare(
    scene: Scene,
    vary: collections.abc.Mapping[str, collections.abc.Sequence[Any]],
    *,
    set: Settings | None = None,
    duration: float | None = None,
    seed: int | None = None,
    seeds: int = 1,
    initial_states: int = 1,
    states: str | os.PathLike[str] = "",
    controller: Any = None,
    factorization: Any = None,
    out: str | os.PathLike[str] = "",
    progress: Progress = True,
) -> pandas.DataFrame:
    """Runs a scene once for each variant, as `civita compare` does, with the same numbers.

    Parameters
    ----------
    scene, set, duration, seed, controller, factorization, progress
        As for civita.run.
    vary : mapping of sequences
        What differs: a key of the config, or its last word, and its values; several make all
        combinations. {"controller": [MyLaw, "slotine_li"]} compares laws.
    seeds : int
        Runs with this many seeds, from `seed` on.
    initial_states : int
        Runs from this many starts: the scene's, and random ones around it.
    states : path, optional
        A file of initial states instead, as for `civita eval`.
    out : path, optional
        Writes compare.json, report.html and the other files there.

    Returns
    -------
    DataFrame
        A row for each variant; columns (metric, "mean"), (metric, "low"), (metric, "high"): the mean
        over its runs and the ends of its 95 % confidence interval (NaN for a single run). `attrs`:
        sentence (what matters, in words), text, table (as the program prints it), units by metric,
        runs (a list of dicts, one a run), verdicts by variant, notices, command.

    Raises
    ------
    ValueError
        As civita.run.
    KeyboardInterrupt
        After Ctrl-C; its attribute `table` is the comparison of what was done.
    OSError
        `out` cannot be written, as on a full disk; its attribute `table` is the comparison.
    """
    need("pandas", "civita.compare")
    variations = _variations(vary)
    overrides = settings_text(set, factorization=factorization, controller=controller)
    with scene_path(scene) as path:
        result, notices, raised = _civita.compare(
            path, variations, overrides, seconds(duration), None if seed is None else whole(seed, "seed"),
            whole(seeds, "seeds"), whole(initial_states, "initial_states"),
            os.fspath(states), os.fspath(out), progress,
        )  # fmt: skip
    unwritten = result.pop("write_error")
    frame = _frame(result.pop("variants"), result["units"])
    frame.attrs.update(result, notices=notices)
    raise_with("table", frame, raised, unwritten)
    return frame


def advise(
    scene: Scene,
    *,
    factorization: Any = None,
    set: Settings | None = None,
    remedies: bool = True,
    measure_limit: bool = False,
    progress: Progress = True,
) -> _civita.Advice:
    """Tells without a run whether the choice of C matters for a scene, as `civita advise` does.

    Parameters
    ----------
    scene, set
        As for civita.run; a robot's file has the defaults of a run of it.
    factorization : str or Factorization, optional
        The C that is judged against the torsion-free one; by default the scene's, t:1 where that is
        torsion-free.
    remedies
        Whether other settings are judged, too.
    measure_limit
        Whether runs find which multiple of the torsion is stable, as with `--measure-limit`: some
        30 to 60 runs as long as the scene.
    progress
        Of these runs, as for civita.run.

    Returns
    -------
    Advice
        Its numbers have the names of civita/study/advise/advice.h: `own`, `mean_decay`, `starts`,
        `masses` and `closed_forms` of the errors by `parts`, `rates`, `largest_factor`,
        `measured_limit`, `settings` of what may be done instead; `verdict`, `assumptions`, `errors`,
        `costs` and `instead` are the program's sentences, each with its formula. Errors are in rad and
        m, rates in 1/s.

    Raises
    ------
    ValueError
        As civita.run; also for laws without s = v − v_d + Λe, legs, gains of zero and a C with
        `alpha`; with `measure_limit` for a law that acts at every instant.

    Notes
    -----
    By the linear error equations along the reference and their Gramians: docs/advise.md. At most a
    second of processor time for 26 velocities.
    """
    text = "" if factorization is None else setting_text(factorization)
    with scene_path(scene) as path:
        return _civita.advise(path, text, settings_text(set), remedies, measure_limit, progress)


def survive(
    scenes: str | os.PathLike[str] | collections.abc.Sequence[str | os.PathLike[str]],
    push: float | collections.abc.Sequence[float] = (),
    *,
    impulse: float | collections.abc.Sequence[float] = (),
    trials: int = 200,
    seed: int | None = None,
    vary: collections.abc.Mapping[str, collections.abc.Sequence[Any]] | None = None,
    set: Settings | None = None,
    without_steps: bool = False,
    all_errors: bool = False,
    progress: Progress = True,
) -> pandas.DataFrame:
    """Pushes legged robots many times, as `civita survive` does, with the same trials.

    Parameters
    ----------
    scenes : path or sequence of paths
        Scenes of legged robots, or configs.
    push, impulse : float or sequence
        How hard: shares of the impulse that the robot's stand can take at all; or N·s.
    trials : int
        For each row.
    seed, vary, set, progress
        As for civita.compare.
    without_steps, all_errors : bool
        The feet stay in place; sensor noise, delay and unknown masses.

    Returns
    -------
    DataFrame
        A row for each scene, variant and push: n, survived, share, and low and high, the ends of its
        95 % confidence interval (Wilson). `attrs`: trials (a list of dicts), text, notices.

    Raises
    ------
    ValueError
        As civita.run.
    KeyboardInterrupt
        After Ctrl-C; its attribute `table` is the table of what was done.
    """
    need("pandas", "civita.survive")
    import pandas

    (table, text), notices, raised = _civita.survive(
        [os.fspath(each) for each in ([scenes] if isinstance(scenes, str | os.PathLike) else scenes)],
        _numbers(push), _numbers(impulse), whole(trials, "trials"),
        None if seed is None else whole(seed, "seed"), without_steps, all_errors,
        _variations(vary or {}), settings_text(set), progress,
    )  # fmt: skip
    about = ("scene", "variant", "share_of_ceiling", "impulse_Ns")
    done = [
        {**{key: row[key] for key in about if key in row}, **trial}
        for row, row_trials in table
        for trial in row_trials
    ]
    frame = pandas.DataFrame([row for row, _ in table])
    frame.attrs.update(trials=done, text=text, notices=notices)
    raise_with("table", frame, raised)
    return frame


def _numbers(given: float | collections.abc.Sequence[float]) -> list[float]:
    return [float(given)] if isinstance(given, int | float) else [float(x) for x in given]


def _variations(vary: collections.abc.Mapping[str, collections.abc.Sequence[Any]]) -> list[str]:
    return [f"{_key(key)}={','.join(map(_value, values))}" for key, values in vary.items()]


def _key(key: str) -> str:
    return "controller.type" if key == "controller" else key


def _value(value: Any) -> str:
    text = setting_text(value)
    if isinstance(value, str) and "," in value and not value.startswith(("[", "{", '"', "'")):
        raise ValueError(f"vary: {value!r}: put values with a comma in brackets or quotes")
    return text


def _frame(variants: list[tuple[str, list[float]]], metrics: dict[str, str]) -> pandas.DataFrame:
    """Of each variant by its name mean, low and high of all metrics in turn."""
    import pandas

    return pandas.DataFrame(
        [estimates for _, estimates in variants],
        index=pandas.Index([name for name, _ in variants], name="variant"),
        columns=pandas.MultiIndex.from_product(
            [metrics, ["mean", "low", "high"]], names=["metric", "statistic"]
        ),
        dtype=float,
    )
