"""Scenes that are stepped from a loop of one's own: civita.Simulation and civita.SimulationBatch."""

from __future__ import annotations

import collections.abc
import concurrent.futures
import os
import pathlib
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy
from numpy.typing import ArrayLike, NDArray

from civita import _civita
from civita.runs import Array, Scene, Settings, columns_of, pixels, scene_path, settings_text, whole

if TYPE_CHECKING:
    import mujoco


class Contacts(NamedTuple):
    """Contacts of the last step of the physics, N of them: new arrays.

    `bodies`, (N, 2), are indices in Simulation.bodies, −1 for a flexible one; `R`, (N, 3, 3), has in its
    columns axes in the world, the first the normal from the first body to the second; `p`, (N, 3), is the
    place in the world, m, `distance`, (N,), m, is negative for a penetration, and `force`, (N, 3), N, acts
    on the second body, in the world's axes.
    """

    bodies: NDArray[numpy.int64]
    R: Array
    p: Array
    distance: Array
    force: Array


class Simulation:
    """A scene with its law, stepped from a loop of one's own, with the bits of civita.run.

    t, q, v and poses are the present ones. Signals are the row that civita.run records of the last control
    step: state, reference, errors and torque at its beginning, t − dt; before the first step, at t = 0.
    All arrays are new: none changes later or refers to the simulation's memory.

    Parameters
    ----------
    scene, set, seed, factorization, controller, plugins
        As for civita.run.

    Attributes
    ----------
    dt : float
        Of a control step, s.
    signals : dict
        Units of the signals by name; `docs` has their definitions.
    model : Model
        The robot as it is simulated, with the config's errors: for civita.Dynamics.
    bodies : list of str
        Names, the world first.
    notices : list of str
        What was adapted.

    Raises
    ------
    ValueError
        With the program's text: an unknown scene, key or name, a value out of range.
    RuntimeError
        The law cannot start. Of all methods: another thread steps this simulation.
    """

    def __init__(
        self,
        scene: Scene,
        *,
        set: Settings | None = None,
        seed: int | None = None,
        factorization: Any = None,
        controller: Any = None,
        plugins: collections.abc.Sequence[str | os.PathLike[str]] = (),
    ) -> None:
        overrides = settings_text(set, factorization=factorization, controller=controller, plugins=plugins)
        with scene_path(scene) as path:
            self._take(_civita.SteppedScene(path, overrides, None if seed is None else whole(seed, "seed")))

    def _take(self, scene: _civita.SteppedScene) -> Simulation:
        self._scene = scene
        rows = self._scene.signals
        self._places = {name: (column, width) for name, _, _, column, width in rows}
        self.signals: dict[str, str] = {name: unit for name, unit, *_ in rows}
        self.docs: dict[str, str] = {name: doc for name, _, doc, *_ in rows}
        self.bodies: list[str] = self._scene.bodies
        self.model: _civita.Model = self._scene.model
        self.notices: list[str] = self._scene.notices
        self.dt: float = self._scene.dt
        return self

    def reset(self, seed: int | None = None) -> None:
        """Back to the start.

        Another seed loads the scene anew, as its model, ground and reference may be random. Raises
        ValueError for one where mj_model is in use, RuntimeError where the law cannot start.
        """
        before = self.seed
        self._scene.reset(None if seed is None else whole(seed, "seed"))
        if self.seed != before:
            self.model, self.notices = self._scene.model, self._scene.notices

    def step(self, tau: ArrayLike | None = None, n: int = 1) -> None:
        """Takes n control steps. The GIL is released.

        Parameters
        ----------
        tau : array_like, (nv,), optional
            A torque, N·m or N, that is held over the n steps in place of the law's, before delay and limits
            of the drives. The law is computed in either case: signals and its state go on.
        n : int
            1 or more.

        Raises
        ------
        ValueError
            tau has another shape, numbers that are not finite, or is not zero where no drive moves the
            robot; Python has written to mj_data what is not its to write.
        RuntimeError
            The motion is no longer finite, or the law raised, with the reason; the state is the last finite
            one, and only reset and restore go on.
        KeyboardInterrupt
            After Ctrl-C, between two control steps.
        """
        self._scene.step(tau, whole(n, "n"))

    @property
    def t(self) -> float:
        """Simulated time, s."""
        return self._scene.t

    @property
    def q(self) -> Array:
        """Configuration, (nq,)."""
        return self._scene.q

    @property
    def v(self) -> Array:
        """Velocity, (nv,)."""
        return self._scene.v

    @property
    def seed(self) -> int:
        """Of all random numbers."""
        return self._scene.seed

    @property
    def config(self) -> str:
        """The resolved config, as YAML: civita.run of it gives the same bits."""
        return self._scene.config

    @property
    def failure(self) -> str | None:
        """Why it goes on no longer, and when."""
        return self._scene.failure

    def __getitem__(self, name: str) -> Any:
        """A signal of the last control step, by its name in a recording: a number or (width,), or one of
        its columns, as "/e/2". Raises KeyError with the nearest name."""
        return self._scene.row[columns_of(name, self._places)]

    def __contains__(self, name: object) -> bool:
        return name in self._places

    __iter__ = None

    def pose(self, body: str | None = None) -> tuple[Array, Array]:
        """Orientation R, (3, 3), and position p, (3,), m, of a body's origin in the world at t; by default
        those of all `bodies`, (N, 3, 3) and (N, 3). Raises KeyError for an unknown body."""
        if body is not None and body not in self.bodies:
            raise KeyError(_civita.unknown_name("body", str(body), self.bodies))
        return self._scene.pose(None if body is None else self.bodies.index(body))

    def render(self, width: int = 640, height: int = 480, *, light: bool = False) -> NDArray[numpy.uint8]:
        """A picture of the robot now, as the window shows it but with harder edges: (height, width, 3).

        Drawn without a display, by EGL. Raises ValueError where there is no OpenGL, with the packages that
        it takes.
        """
        rgb = self._scene.render(whole(width, "width"), whole(height, "height"), light)
        return pixels(rgb, width)

    @property
    def contacts(self) -> Contacts:
        """Those of the last step of the physics: see Contacts."""
        bodies, *numbers = self._scene.contacts
        return Contacts(bodies.astype(numpy.int64), *numbers)

    def save(self) -> _civita.SteppedState:
        """The present state: motion, the law's own state (of one in Python what its `State`s hold), sensors
        and noise, drives, warm start, signals. Raises RuntimeError after a failure."""
        return self._scene.save()

    def restore(self, state: _civita.SteppedState) -> None:
        """Goes on from a saved state, with the bits of the first time. Raises ValueError for one of another
        scene, config or seed; that of another Simulation of the same will do."""
        self._scene.restore(state)

    @property
    def mj_model(self) -> mujoco.MjModel:
        """The model that is simulated, an object of the package mujoco which shares memory: see mj_data."""
        model: mujoco.MjModel = self._scene.share(_same_mujoco)[0]
        return model

    @property
    def mj_data(self) -> mujoco.MjData:
        """The simulation's own state, an object of the package mujoco which shares memory.

        What is written to qpos, qvel, xfrc_applied, mocap_pos, mocap_quat and eq_active acts in the next
        step, all but qpos and qvel until it is written again or reset. step refuses, and undoes, what is
        written to time, ctrl, qfrc_applied and to the model's timestep, and with loops that are held
        exactly to mocap_pos, mocap_quat and eq_active; all else it computes anew. What is written to
        mj_model acts on the physics alone: law and figures keep the scene's model. Neither is to be used
        while another thread steps.

        Raises
        ------
        ModuleNotFoundError
            The package mujoco is missing.
        ValueError
            It has another version or library of MuJoCo than civita has loaded; the scene has a payload,
            thus two models.
        """
        data: mujoco.MjData = self._scene.share(_same_mujoco)[1]
        return data

    def __repr__(self) -> str:
        return f"<Simulation of {self._scene.scene} at {self.t:g} s>"


class SimulationBatch:
    """Many simulations of a scene on threads, with the bits of single ones whatever their number.

    Attributes
    ----------
    simulations : tuple of Simulation
        Each of them, for all that is of one alone: pose, contacts, config, reset, mj_data.
    threads : int
        That step them. A law written in Python goes on one, whatever was asked for.
    dt, signals, docs
        As of a Simulation.

    Parameters
    ----------
    scene, set, factorization, controller, plugins
        As for civita.run.
    n : int
        How many.
    seeds : int or sequence of int, optional
        Of each; one number, by default the config's, is that of the first, and the others follow.
    threads : int, optional
        By default the machine's cores; loading and reset with new seeds use them, too.

    Raises
    ------
    ValueError, RuntimeError
        As Simulation.
    """

    def __init__(
        self,
        scene: Scene,
        n: int,
        *,
        set: Settings | None = None,
        seeds: int | collections.abc.Sequence[int] | None = None,
        factorization: Any = None,
        controller: Any = None,
        plugins: collections.abc.Sequence[str | os.PathLike[str]] = (),
        threads: int | None = None,
    ) -> None:
        threads = len(os.sched_getaffinity(0)) if threads is None else whole(threads, "threads")
        if whole(n, "n") < 1:
            raise ValueError("n: not a number of simulations from 1 up")
        numbers = None if seeds is None else _seeds(seeds, n)
        first = Simulation(
            scene, set=set, seed=numbers[0] if numbers else None,
            factorization=factorization, controller=controller, plugins=plugins,
        )  # fmt: skip
        with concurrent.futures.ThreadPoolExecutor(max(threads, 1)) as pool:
            others = pool.map(first._scene.another, (numbers or _seeds(first.seed, n))[1:])
            loaded = [Simulation.__new__(Simulation)._take(each) for each in others]
        self.simulations = (first, *loaded)
        self._batch = _civita.SteppedBatch([each._scene for each in self.simulations], threads)
        self.threads: int = self._batch.threads
        self.dt, self.signals, self.docs = first.dt, first.signals, first.docs

    def reset(self, seeds: int | collections.abc.Sequence[int] | None = None) -> None:
        """All back to the start, with their own seeds or others: see Simulation.reset."""
        own = [each.seed for each in self.simulations]
        numbers = own if seeds is None else _seeds(seeds, len(self))
        with concurrent.futures.ThreadPoolExecutor(self.threads) as pool:
            list(pool.map(Simulation.reset, self.simulations, numbers))

    def step(self, tau: ArrayLike | None = None, n: int = 1) -> None:
        """Takes n control steps of each. The GIL is released.

        One whose motion is no longer finite, or whose law raises, keeps its last finite state: see
        `failures`. The others go on.

        Parameters
        ----------
        tau : array_like, (size, nv), optional
            Torques, N·m or N: see Simulation.step.
        n : int
            1 or more.

        Raises
        ------
        ValueError
            As Simulation.step, before any has moved.
        KeyboardInterrupt
            After Ctrl-C, when all have taken the same steps.
        """
        self._batch.step(tau, whole(n, "n"))

    @property
    def t(self) -> Array:
        """Simulated times, (size,), s."""
        return self._batch.t

    @property
    def q(self) -> Array:
        """Configurations, (size, nq)."""
        return self._batch.q

    @property
    def v(self) -> Array:
        """Velocities, (size, nv)."""
        return self._batch.v

    @property
    def seeds(self) -> list[int]:
        """Of the random numbers of each."""
        return [each.seed for each in self.simulations]

    @property
    def failures(self) -> list[str | None]:
        """Why each goes on no longer, and when; None while it does."""
        return [each.failure for each in self.simulations]

    def __getitem__(self, name: str) -> Array:
        """A signal of the last control steps, (size,) or (size, width): see Simulation."""
        columns = columns_of(name, self.simulations[0]._places)
        if isinstance(columns, int):
            return self._batch.row(columns, 0)
        return self._batch.row(columns.start, columns.stop - columns.start)

    def __contains__(self, name: object) -> bool:
        return name in self.signals

    __iter__ = None

    def __len__(self) -> int:
        """How many they are."""
        return len(self.simulations)

    def save(self) -> list[_civita.SteppedState]:
        """The present state of each: see Simulation.save."""
        return [each.save() for each in self.simulations]

    def restore(self, states: collections.abc.Sequence[_civita.SteppedState]) -> None:
        """All go on from saved states: see Simulation.restore."""
        if len(states) != len(self):
            raise ValueError(f"states: {len(states)}, not {len(self)}")
        for each, state in zip(self.simulations, states, strict=True):
            each.restore(state)

    def __repr__(self) -> str:
        return f"<{len(self)} Simulations of {self.simulations[0]._scene.scene}>"


def _seeds(seeds: int | collections.abc.Sequence[int], n: int) -> list[int]:
    """Of n simulations. Raises TypeError and ValueError."""
    if isinstance(seeds, collections.abc.Sequence | numpy.ndarray):
        if len(seeds) != n:
            raise ValueError(f"seeds: {len(seeds)}, not {n}")
        return [whole(seed, "seeds") for seed in seeds]
    first = whole(seeds, "seeds")
    return [whole(seed, "seeds") for seed in range(first, first + n)]


def _same_mujoco() -> Any:
    """The package mujoco. Raises ValueError where it is not of the library that civita has loaded."""
    version = _civita.mujoco_version
    try:
        import mujoco
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"mj_model and mj_data need the package mujoco: pip install mujoco=={version}", name=error.name
        ) from None
    if mujoco.__version__ != version:
        raise ValueError(
            f"mj_model and mj_data: the package mujoco is of version {mujoco.__version__}, and civita has "
            f"MuJoCo {version}"
        )
    maps = pathlib.Path("/proc/self/maps").read_text(errors="replace").splitlines()
    paths = (line.split(maxsplit=5)[-1] for line in maps)
    files = sorted({path for path in paths if pathlib.Path(path).name.startswith("libmujoco.so")})
    if len(files) > 1:
        raise ValueError(f"mj_model and mj_data: two libraries of MuJoCo are loaded, {' and '.join(files)}")
    if not hasattr(mujoco.MjModel, "_from_model_ptr"):
        raise ValueError(f"mj_model and mj_data: the package mujoco {version} takes no model of another")
    return mujoco
