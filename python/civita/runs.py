"""Runs of scenes: civita.run, civita.load_run and what they return."""

from __future__ import annotations

import collections.abc
import contextlib
import json
import numbers
import os
import pathlib
import shutil
import tempfile
from typing import TYPE_CHECKING, Any

import numpy
from numpy.typing import NDArray

from civita import _civita
from civita._extras import need
from civita._progress import Progress
from civita.laws import law_type, load_law

if TYPE_CHECKING:
    import matplotlib.figure
    import pandas

Array = NDArray[numpy.float64]
Scene = str | os.PathLike[str] | collections.abc.Mapping[str, Any]
Settings = collections.abc.Mapping[str, Any]

_FILES = ("config.yaml", "signals.csv", "timing.csv", "signals.npz", "run.json")


def run(
    scene: Scene,
    duration: float | None = None,
    *,
    set: Settings | None = None,
    seed: int | None = None,
    factorization: Any = None,
    controller: Any = None,
    plugins: collections.abc.Sequence[str | os.PathLike[str]] = (),
    signals: str | collections.abc.Sequence[str] | None = None,
    out: str | os.PathLike[str] = "",
    progress: Progress = True,
) -> Run:
    """Runs a scene without a window, as `civita run --headless` does, with the same bits.

    The GIL is released; several runs may be made at once from several threads.

    Parameters
    ----------
    scene : str, path or mapping
        A scene's name, a config (.yaml), an MJCF or URDF file; or the content of a config, whose
        relative paths start in the working directory: {"base": "arm7", "gains": {"K_D": 20}}.
    duration : float, optional
        Simulated time, s; by default the config's.
    set : mapping, optional
        Keys of the config that differ, as for --set: {"gains.Lambda": 8} or {"gains": {"Lambda": 8}}.
    seed : int, optional
        Of all random numbers.
    factorization : str or Factorization, optional
        The law's, short for set={"controller.factorization": …}.
    controller : str or class, optional
        The law, short for set={"controller.type": …}: a name, "laws.py:MyLaw", or a subclass of
        civita.Controller.
    plugins : sequence of paths
        Shared libraries that add control laws.
    signals : str or sequence of str, optional
        Names of the signals to keep; by default all. An empty one keeps the metrics alone.
    out : path, optional
        Writes the run folder during the run.
    progress : bool or callable
        Shows the progress on a terminal or in a notebook; or is called five times a second with the
        share that is done, NaN where that is not known, and a text. What it raises ends the work.

    Returns
    -------
    Run
        Also where the run failed: see Run.status.

    Raises
    ------
    ValueError
        With the program's text: an unknown scene, key or name, a value out of range.
    KeyboardInterrupt
        After Ctrl-C; its attribute `run` is the run so far, and files are kept.
    OSError
        `out` cannot be written, as on a full disk; its attribute `run` is the run until then.
    """
    overrides = settings_text(set, factorization=factorization, controller=controller, plugins=plugins)
    duration = seconds(duration)
    seed = None if seed is None else whole(seed, "seed")
    with scene_path(scene) as path:
        result, raised, unwritten = _civita.run(
            path, overrides, duration, seed, os.fspath(out), _names(signals), progress
        )
    done = Run(result)
    raise_with("run", done, raised, unwritten)
    return done


def raise_with(name: str, result: Any, raised: BaseException | None, unwritten: str = "") -> None:
    """Raises what ended the work, or was not written, if anything; its attribute `name` is the result."""
    error = OSError(unwritten) if raised is None and unwritten else raised
    if error is not None:
        setattr(error, name, result)
        raise error


def load_run(directory: str | os.PathLike[str]) -> Run:
    """The run in a run folder, of civita.run, the program or its window; also of one that was killed.

    Metrics are computed anew from the rows. Raises ValueError where the folder holds no run.
    """
    return Run(_civita.load_run(directory), pathlib.Path(directory))


class Metrics(collections.abc.Mapping[str, float]):
    """A run's metrics by key, NaN where there is none; `units`, `labels` and `docs` are by key, too.

    Metrics at a time have it behind their key: "V_at_2".
    """

    def __init__(self, rows: list[tuple[str, float | None, str, str, str, float]]):
        keys = [key if mark is None else f"{key}_{mark:g}" for key, mark, *_ in rows]
        self._values = {key: row[5] for key, row in zip(keys, rows, strict=True)}
        self.labels = {key: row[2] for key, row in zip(keys, rows, strict=True)}
        self.units = {key: row[3] for key, row in zip(keys, rows, strict=True)}
        self.docs = {key: row[4] for key, row in zip(keys, rows, strict=True)}

    def __getitem__(self, key: str) -> float:
        if key not in self._values:
            raise KeyError(_civita.unknown_name("metric", key, list(self._values)))
        return self._values[key]

    def __iter__(self) -> collections.abc.Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        known = [key for key in self if not numpy.isnan(self[key])]
        width = max(map(len, known), default=0)
        return "\n".join(f"{key:{width}}  {self[key]:.4g} {self.units[key]}".rstrip() for key in known)


class Run:
    """A run: signals over time, metrics, and how it ended.

    Attributes
    ----------
    t : ndarray, (steps,)
        Time of each control step, s.
    status : str
        "done", "failed" (by divergence, a fall, an exception of the law) or "interrupted".
    verdict : str
        "done", or what happened and when.
    metrics : Metrics
        The numbers that summarize the run, by key.
    signals : dict
        Units of the recorded signals by name; `docs` has their definitions.
    config : str
        The resolved config, as YAML: civita.run of it gives the same bits.
    """

    def __init__(self, result: _civita.RunResult, directory: pathlib.Path | None = None):
        self._result: _civita.RunResult | None = result
        self._directory = directory
        self._data: Array = result.data
        self._places = {name: (column, width) for name, _, _, column, width in result.signals}
        self.t: Array = self._data[:, 0]
        self.signals: dict[str, str] = {name: unit for name, unit, *_ in result.signals}
        self.docs: dict[str, str] = {name: doc for name, _, doc, *_ in result.signals}
        self.metrics = Metrics(result.metrics)
        self.status: str = result.status
        self.verdict: str = result.verdict
        self.scene: str = result.scene
        self.config: str = result.config
        self.notices: list[str] = result.notices
        self.dt: float = result.dt
        self.wall_time: float = result.wall_time

    def __getitem__(self, name: str) -> Array:
        """A recorded signal, (steps,) or (steps, width), or one of its columns, as "/e/2": a view."""
        return self._data[:, columns_of(name, self._places)]

    def __contains__(self, name: object) -> bool:
        return name in self._places

    __iter__ = None  # neither its steps nor its signals

    def __len__(self) -> int:
        """The number of control steps."""
        return len(self.t)

    def __repr__(self) -> str:
        end = self.t[-1] if len(self) else 0.0
        return f"<Run of {self.scene}: {len(self)} steps to {end:g} s, {self.verdict}>"

    def __getstate__(self) -> dict[str, Any]:
        """Its numbers and texts; not the simulation, which save needs."""
        return {**self.__dict__, "_result": None, "_directory": None, "t": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._data.flags.writeable = False
        self.t = self._data[:, 0]

    def __copy__(self) -> Run:
        return self  # its numbers are read-only

    def __deepcopy__(self, memo: dict[int, Any]) -> Run:
        return self

    def save(self, directory: str | os.PathLike[str]) -> None:
        """Writes the run folder of `civita run --out`: new, empty, or an earlier run, which is replaced.

        Raises ValueError where the folder cannot be used, or not all signals were kept, and for a run
        that comes from a pickle: `civita.run` of its config makes it again.
        """
        if self._directory is None:
            if self._result is None:
                raise ValueError("a run from a pickle has no folder; save it where it was made")
            self._result.save(directory)
            return
        to = pathlib.Path(directory)
        to.mkdir(parents=True, exist_ok=True)
        for name in _FILES:
            if (self._directory / name).exists() and to.resolve() != self._directory.resolve():
                shutil.copyfile(self._directory / name, to / name)

    def frame(
        self, t: float | None = None, width: int = 640, height: int = 480, *, light: bool = False
    ) -> NDArray[numpy.uint8]:
        """A picture of the robot at a time, by default the last, as the window shows it: (height, width, 3).

        Drawn without a display, by EGL. Raises ValueError where there is no OpenGL, with the packages that
        it takes, for a run that has not kept /q, and for one from a pickle.
        """
        at = float(self.t[-1]) if t is None else float(seconds(t) or 0)
        return pixels(
            self._made("frame").frame(at, whole(width, "width"), whole(height, "height"), light), width
        )

    def video(
        self,
        file: str | os.PathLike[str],
        width: int = 1280,
        height: int = 720,
        *,
        light: bool = False,
        progress: Progress = True,
    ) -> pathlib.Path:
        """Writes a video of the run, 30 pictures a second, by ffmpeg: an .mp4; without ffmpeg a folder of
        pictures.

        Parameters
        ----------
        file : path
            Ends in .mp4.
        width, height : int
            Pixels.
        light : bool
            Light colours.
        progress : bool or callable
            As for civita.run.

        Returns
        -------
        path
            What was written: the file, or the folder, which has its name without .mp4.

        Raises
        ------
        ValueError
            As frame.
        OSError
            The video cannot be written.
        KeyboardInterrupt
            After Ctrl-C; the video ends there.
        """
        path = os.fspath(file)
        if pathlib.Path(path).suffix != ".mp4":
            raise ValueError(f"file: not a name that ends in .mp4: {path!r}")
        made = self._made("video")
        return pathlib.Path(made.video(path, whole(width, "width"), whole(height, "height"), light, progress))

    def _made(self, method: str) -> _civita.RunResult:
        if self._result is None:
            raise ValueError(
                f"{method}: a run from a pickle has no scene; civita.run of its config makes it anew"
            )
        if not len(self):
            raise ValueError(f"{method}: a run without a step")
        return self._result

    def to_dataframe(self) -> pandas.DataFrame:
        """All columns over t, as a pandas DataFrame whose `attrs` are the units by signal."""
        need("pandas", "to_dataframe")
        import pandas

        columns = {}
        for name, (column, width) in self._places.items():
            for i in range(max(width, 1)):
                columns[f"{name}/{i}" if width else name] = self._data[:, column + i]
        frame = pandas.DataFrame(columns, index=pandas.Index(self.t, name="t"))
        frame.attrs.update(scene=self.scene, verdict=self.verdict, units=self.signals)
        return frame

    def plot(self, *names: str, figure: Any = None) -> matplotlib.figure.Figure:
        """Draws signals over time with matplotlib, one axis each.

        Parameters
        ----------
        names : str
            By default the errors /e and /s and the storage /V.
        figure : matplotlib Figure, optional
            To draw into.
        """
        need("matplotlib", "plot")
        import matplotlib.pyplot

        names = names or tuple(n for n in ("/e", "/s", "/V") if n in self)
        if figure is None:
            figure = matplotlib.pyplot.figure(figsize=(7, 1 + 1.5 * len(names)), layout="constrained")
        axes = figure.subplots(len(names), 1, sharex=True, squeeze=False)[:, 0]
        for axis, name in zip(axes, names, strict=True):
            axis.plot(self.t, self[name], linewidth=1)
            unit = self.signals.get(name, self.signals.get(name.rpartition("/")[0], ""))
            axis.set_ylabel(f"{name[1:]} ({unit})" if unit else name[1:])
            axis.grid(alpha=0.3)
        axes[-1].set_xlabel("t (s)")
        axes[0].set_title(self.scene if self.verdict == "done" else f"{self.scene}: {self.verdict}")
        return figure  # type: ignore[no-any-return]


def pixels(rgb: bytes, width: int) -> NDArray[numpy.uint8]:
    """A picture of its bytes: (height, width, 3)."""
    return numpy.frombuffer(rgb, numpy.uint8).reshape(-1, width, 3).copy()


def columns_of(name: Any, places: collections.abc.Mapping[str, tuple[int, int]]) -> int | slice:
    """Where a signal or one of its columns is, of the first columns and widths by name."""
    if not isinstance(name, str):
        raise TypeError(f"the name of a signal, not {name!r}; the times are t")
    place = places.get(name)
    if place is None:
        base, _, index = name.rpartition("/")
        column, width = places.get(base, (0, 0))
        if not (index.isdecimal() and int(index) < width):
            raise KeyError(_civita.unknown_name("signal", name, list(places)))
        return column + int(index)
    column, width = place
    return slice(column, column + width) if width else column


def seconds(duration: Any) -> float | None:
    """A duration as the program takes it. Raises TypeError."""
    if duration is None or (isinstance(duration, numbers.Real) and not isinstance(duration, bool)):
        return None if duration is None else float(duration)
    raise TypeError(f"duration: a number of seconds, not {duration!r}")


def whole(number: Any, name: str) -> int:
    """A whole number that the program has. Raises TypeError and ValueError."""
    if not isinstance(number, numbers.Integral) or isinstance(number, bool):
        raise TypeError(f"{name}: a whole number, not {number!r}")
    value = int(number)
    if not 0 <= value < 2**31:
        raise ValueError(f"{name}: not a whole number from 0 to 2147483647: {value}")
    return value


def settings_text(
    settings: Settings | None,
    *,
    factorization: Any = None,
    controller: Any = None,
    plugins: collections.abc.Sequence[str | os.PathLike[str]] = (),
) -> list[str]:
    """The words of --set: "key=value"."""
    if not isinstance(settings, collections.abc.Mapping | None):
        raise TypeError(f"set: a mapping of keys to values, not {settings!r}")
    words = [f"{key}={setting_text(value)}" for key, value in flat(settings or {})]
    if controller is not None:
        words.append(f"controller.type={setting_text(controller)}")
    if factorization is not None:
        words.append(f"controller.factorization={setting_text(factorization)}")
    if plugins:
        words.append("plugins=" + setting_text([os.path.abspath(os.fspath(p)) for p in plugins]))
    return words


@contextlib.contextmanager
def scene_path(scene: Scene) -> collections.abc.Iterator[str]:
    """The scene as the program takes it; a mapping becomes a file that exists meanwhile."""
    if not isinstance(scene, collections.abc.Mapping):
        if b"\0" in os.fsencode(scene):
            raise ValueError("embedded null byte in the name of the scene")
        yield os.fspath(scene)
        return
    with tempfile.TemporaryDirectory(prefix="civita-") as folder:
        content = dict(scene)
        for key in ("base", "model"):  # relative ones start at the config
            if key not in content:
                continue
            ours = _civita.data_directory() / "config" / f"{content[key]}.yaml"
            content[key] = str(ours) if key == "base" and ours.exists() else os.path.abspath(content[key])
        _load_code(content)
        path = pathlib.Path(folder) / "config.yaml"
        path.write_text(json.dumps(content, default=_plain), encoding="utf-8")
        yield str(path)


def _load_code(content: dict[str, Any]) -> None:
    """Loads what a mapping names: it is the caller's own word, while a file needs trust_configs."""
    if isinstance(plugins := content.get("plugins"), list | tuple):
        content["plugins"] = [os.path.abspath(os.fspath(each)) for each in plugins]
        for each in content["plugins"]:
            _civita.load_plugin(each)
    section = content.get("controller")
    if isinstance(section, collections.abc.Mapping) and isinstance(section.get("type"), str):
        content["controller"] = {**section, "type": load_law(section["type"])}


def flat(settings: Settings, prefix: str = "") -> collections.abc.Iterator[tuple[str, Any]]:
    """The keys of nested settings, as "gains.Lambda", and their values."""
    for key, value in settings.items():
        if not isinstance(key, str):
            raise TypeError(f"set: the key {key!r} is not a text")
        if isinstance(value, collections.abc.Mapping):
            yield from flat(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value


def _plain(value: Any) -> Any:
    """For JSON, which is YAML as well."""
    if isinstance(value, numpy.ndarray | numpy.generic):
        return value.tolist()
    return setting_text(value)


def setting_text(value: Any) -> str:
    """A value of a config as the command line takes it."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool | int | float | list | tuple | numpy.ndarray | numpy.generic):
        return json.dumps(value, default=_plain)
    if isinstance(value, type):
        return law_type(value)
    if hasattr(value, "arrays") and value.arrays:
        raise ValueError(
            "factorization: one with arrays has no text for a config; write the array to a CSV file: "
            "joint:β:S.csv, form:omega.csv"
        )
    return str(value)


def _names(signals: str | collections.abc.Sequence[str] | None) -> list[str] | None:
    if signals is None:
        return None
    names = [signals] if isinstance(signals, str) else list(signals)
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"signals: names, not {name!r}")
    return names
