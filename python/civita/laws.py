"""Control laws in Python, and laws stepped from a loop of one's own."""

from __future__ import annotations

import collections.abc
import importlib
import importlib.util
import os
import pathlib
import sys
from typing import Any, Literal

import numpy
from numpy.typing import ArrayLike, NDArray

from civita import _civita

Array = NDArray[numpy.float64]
Shape = Literal["scalar", "coordinates"] | int


class Parameter:
    """A gain of a law, described once: a class attribute of a Controller.

    It is a key `gains.<name>` of configs, checked there, and a slider of the window. In the law it
    reads as its present value: (nv,), or () with shape "scalar".

    Parameters
    ----------
    default : float
    unit, meaning : str
        For sliders, messages and docs.
    min, max : float, optional
        Ends of the slider, logarithmic where min > 0. They are no limits: a config may exceed them.
    range : "not negative", "positive" or "any"
        What a config may give; a gain with a sign needs "any".
    shape : "coordinates" or "scalar"
        One number for each velocity coordinate, or one for the law.
    symbol, title : str, optional
        For display: "Λ", with "_" before a subscript, by default the attribute's name; "Tracking".
    """

    def __init__(
        self,
        default: float,
        unit: str = "",
        meaning: str = "",
        *,
        min: float = 0.0,
        max: float | None = None,
        range: Literal["any", "positive", "not negative"] = "not negative",
        shape: Literal["coordinates", "scalar"] = "coordinates",
        symbol: str = "",
        title: str = "",
    ):
        top = max if max is not None else 10 * abs(default) or 1.0
        if shape not in ("coordinates", "scalar"):
            raise ValueError(f"shape: {shape!r}; valid: coordinates, scalar")
        if range not in _RANGES:
            raise ValueError(f"range: {range!r}; valid: {', '.join(_RANGES)}")
        if not -numpy.inf < min < top < numpy.inf or min < 0 and range != "any":
            least = "min" if range == "any" else "0 ≤ min"
            raise ValueError(f"min, max: {min}, {top}; valid: {least} < max")
        if not (numpy.isfinite(default) and _is_in(range, [default])):
            words = 'not negative; range="any" allows a sign' if range == "not negative" else range
            raise ValueError(f"default: {default}; a gain is a finite number, {words}")
        self.default, self.unit, self.meaning = float(default), unit, meaning
        self.min, self.max, self.is_scalar = float(min), float(top), shape == "scalar"
        self.range = range
        self.symbol, self.title = symbol, title

    def __get__(self, law: Any, owner: type) -> Any:
        return self  # an instance has its value in its place


class Option:
    """A choice that is made before the run: a class attribute of a Controller.

    It is a key `controller.<name>` of configs, checked there. In the law it reads as its value, of
    the type of the default, from __init__ on.

    Parameters
    ----------
    default : bool, float, str, or a list of floats or of texts
        An empty list is one of texts.
    unit, meaning : str
        For messages and docs.
    range : "any", "positive" or "not negative"
        Of a number, or of each in a list.
    choices : sequence of str, optional
        Of a text; by default it may be any.
    """

    def __init__(
        self,
        default: bool | float | str | collections.abc.Sequence[float] | collections.abc.Sequence[str],
        unit: str = "",
        meaning: str = "",
        *,
        range: Literal["any", "positive", "not negative"] = "any",
        choices: collections.abc.Sequence[str] = (),
    ):
        self.default, self.unit, self.meaning = _option_value(default), unit, meaning
        if range not in _RANGES:
            raise ValueError(f"range: {range!r}; valid: {', '.join(_RANGES)}")
        values = self.default if isinstance(self.default, list) else [self.default]
        numbers = [x for x in values if isinstance(x, float)]
        if range != "any" and not (numbers and _is_in(range, numbers)):
            raise ValueError(f"range: the default {default!r} is not a {range} number")
        if choices and self.default not in choices:
            raise ValueError(f"choices: the default {default!r} is none of {', '.join(choices)}")
        self.range, self.choices = range, list(choices)

    def __get__(self, law: Any, owner: type) -> Any:
        return self  # an instance has its value in its place


_RANGES = ("any", "positive", "not negative")


def _is_in(range: str, numbers: list[float]) -> bool:
    return range == "any" or min(numbers) >= 0 and not (range == "positive" and 0 in numbers)


def _option_value(default: Any) -> bool | float | str | list[float] | list[str]:
    if isinstance(default, bool | str):
        return default
    if isinstance(default, int | float) and numpy.isfinite(default):
        return float(default)
    values: list[Any] = list(default) if isinstance(default, list | tuple) else [None]
    if all(isinstance(x, str) for x in values):
        return values
    if all(isinstance(x, int | float) and not isinstance(x, bool) and numpy.isfinite(x) for x in values):
        return [float(x) for x in values]
    raise ValueError(
        f"default: {default!r}; an option is a bool, a finite number, a text, or a list of one kind"
    )


class Signal:
    """A signal that a law records as /law/<name>: a class attribute, to be set in control.

    shape: "scalar", "coordinates", (nv,), or a number of numbers.
    """

    def __init__(self, unit: str = "", meaning: str = "", shape: Shape = "scalar"):
        self.unit, self.meaning, self.width = unit, meaning, _width(shape)

    def __get__(self, law: Any, owner: type) -> Any:
        return self


class State:
    """A part of a law's state: a class attribute, which reads as its present value.

    The program integrates it by the law's `rate`, saves it and restores it with the robot's state.
    """

    def __init__(self, meaning: str = "", shape: Shape = "coordinates"):
        self.meaning, self.width = meaning, _width(shape)

    def __get__(self, law: Any, owner: type) -> Any:
        return self


class Measured:
    """What a law measures: t (s), q (nq), v (nv), foot_force (N, by foot); and against the
    reference e = q ⊖ q_d (nv) and its rate edot. The arrays are filled anew at each step."""

    __slots__ = ("t", "q", "v", "e", "edot", "foot_force")
    t: float
    q: Array
    v: Array
    e: Array
    edot: Array
    foot_force: Array


class Reference:
    """The desired motion: q (nq), v and its rate vdot (nv), carried to the robot's configuration
    (which is nothing to do for hinges and slides). task: None, or (p, R, V, Vdot) of a frame."""

    __slots__ = ("q", "v", "vdot", "task")
    q: Array
    v: Array
    vdot: Array
    task: tuple[Array, Array, Array, Array] | None

    def __init__(self) -> None:
        self.task = None


class LawDynamics:
    """The law's model at the measured state: H, C (nv, nv), of the law's factorization, and g (nv);
    on closed chains those of the spanning tree."""

    __slots__ = ("H", "C", "g", "model", "_q", "_v", "_law", "_dynamics")
    H: Array
    C: Array
    g: Array
    _q: Array
    _v: Array

    def __init__(self, model: _civita.Model, law: _civita.LawHandle):
        self.model = model
        self._law = law
        self._dynamics: dict[str, _civita.Dynamics] = {}

    def passivity_rnea(self, v_r: ArrayLike, vdot_r: ArrayLike) -> Array:
        """H v̇_r + C v_r + g, in O(N)."""
        return self._law.passivity_rnea(v_r, vdot_r)

    def passive_forces(self, v_r: ArrayLike) -> Array:
        """What cancels damping and dry friction at v_r, and springs."""
        return self._law.passive_forces(v_r)

    def damping_force(self, k: ArrayLike, s: ArrayLike) -> Array:
        """K_D s: K_D = D^½ H D^½ with D = diag(k), or diag(k) with controller.gain_form diagonal.
        With knows_loops on closed chains: of the independent coordinates and their mass matrix."""
        return self._law.damping_force(k, s)

    def error_force(self, p: ArrayLike) -> Array:
        """J_eᵀ p with ė = J_e (v − v_d): p itself for hinges and slides."""
        return self._law.error_force(p)

    def close_motion(self, v_r: ArrayLike, vdot_r: ArrayLike) -> tuple[Array, Array]:
        """(A S v_r, A S v̇_r + Ȧ S v_r): the motion that loops allow with the independent velocities
        S v_r, v = A w. Without loops, or knows_loops, v_r and vdot_r themselves."""
        return self._law.close_motion(v_r, vdot_r)

    @property
    def independent(self) -> Array:
        """(nv,): 1 for independent coordinates, 0 for those that loops determine from them. Without
        loops, or knows_loops, ones."""
        return self._law.independent

    def passive_dissipation(self, v_r: ArrayLike, s: ArrayLike) -> float:
        """What damping and friction dissipate under passive_forces(v_r), s = v − v_r."""
        return self._law.passive_dissipation(v_r, s)

    @property
    def all(self) -> _civita.Dynamics:
        """A civita.Dynamics of the law's model and factorization, for all else."""
        text = self._law.factorization
        if text not in self._dynamics:
            self._dynamics = {text: _civita.Dynamics(self.model, factorization=text, threads=1)}
        return self._dynamics[text]

    def jacobian(self, frame: str) -> Array:
        """The Jacobian of a body's or site's frame, (6, nv): see Dynamics.jacobian."""
        return self.all.jacobian(self._q, frame)


class Controller:
    """A control law in Python: a subclass with a method control.

    >>> class Damping(civita.Controller):
    ...     "τ = g − k v"
    ...     k = civita.Parameter(5.0, unit="N·m·s/rad", meaning="damping")
    ...     def control(self, measured, reference, dynamics):
    ...         return dynamics.g - self.k * measured.v

    Parameters, options, signals and states are class attributes. A law may also have

    - __init__(self, model), with its civita.Model of the robot;
    - reset(self, measured, reference), which sets its states (zero before) for a new run;
    - rate(self, tau), the rate of its states in a row, where tau is the torque that was applied;
    - dissipation(self), the P of V̇ = −P, where V = ½ sᵀH s with self.s;
    - storage(self, H, Hdot, vdot), (V, V̇, P) of another storage, with the robot's own H, Ḣ and v̇;
    - uses_factorization = False: it does not use C, so that no choice of a factorization makes sense;
    - knows_loops = True: it controls closed chains and gears in their independent velocities. It
      passes its v_r and vdot_r through dynamics.close_motion, and its feedback is that of
      damping_force or is multiplied by dynamics.independent. Its torque is then distributed over
      the motors. Otherwise it sees the spanning tree, and its torque is that of the tree.

    In each control step it may set self.s (nv), its velocity error, and self.sdot_ref, the rate of
    what s subtracts; before, they are v − v_d and v̇_d. An exception fails the run, with its
    traceback as the reason. Ctrl-C during control lets that step be computed again.
    """

    uses_factorization = True
    knows_loops = False

    s: Array
    sdot_ref: Array

    def __init__(self, model: _civita.Model) -> None: ...

    def control(self, measured: Measured, reference: Reference, dynamics: LawDynamics) -> ArrayLike:
        """The torque, (nv,), N·m or N."""
        raise NotImplementedError(f"{type(self).__name__} lacks control(measured, reference, dynamics)")


class Law:
    """A control law stepped from a loop of one's own: state in, torque out.

    Parameters
    ----------
    law : str or class
        A law's type, "slotine_li", or a subclass of Controller.
    model : Model
        The law's model of the robot.
    gains, options : mapping, optional
        By key; a gain is one number or nv, G a skew matrix.
    factorization : str or Factorization, optional
    gain_form : "mass" or "diagonal"
    q_start : array_like, (nq,), optional
        Laws with constant gains take the inertia from here; by default the model's default position.

    >>> law = civita.Law("slotine_li", model, gains={"Lambda": 8})
    >>> tau = law.step(t, q, v, (q_d, v_d, vdot_d))
    """

    def __init__(
        self,
        law: str | type[Controller],
        model: _civita.Model,
        *,
        gains: collections.abc.Mapping[str, ArrayLike] | None = None,
        options: collections.abc.Mapping[str, Any] | None = None,
        factorization: Any = "christoffel",
        gain_form: Literal["mass", "diagonal"] = "mass",
        q_start: ArrayLike | None = None,
    ):
        if gain_form not in ("mass", "diagonal"):
            raise ValueError(f"gain_form: {gain_form!r}; valid: mass, diagonal")
        start = model.default_position if q_start is None else q_start
        name = load_law(law) if isinstance(law, str) else law_type(law)
        from civita.runs import setting_text

        texts = {key: setting_text(value) for key, value in (options or {}).items()}
        self._law = _civita.make_stepper(
            model, name, factorization, gain_form == "diagonal", start, dict(gains or {}), texts
        )

    def step(self, t: float, q: ArrayLike, v: ArrayLike, reference: Any) -> Array:
        """The torque (nv,) at time t (s) and state (q, v).

        reference: (q, v, vdot), a mapping or an object with these. The law's state (an observer's or
        estimates') starts at the first call and is integrated over the time since the last one, as
        with the torque returned then. Raises ValueError for a t before the last one, and for no
        finite torque.
        """
        if isinstance(reference, collections.abc.Mapping):
            q_d, v_d, vdot_d = (reference[key] for key in ("q", "v", "vdot"))
        elif hasattr(reference, "vdot"):
            q_d, v_d, vdot_d = reference.q, reference.v, reference.vdot
        else:
            q_d, v_d, vdot_d = reference
        return self._law.step(t, q, v, q_d, v_d, vdot_d)

    def reset(self) -> None:
        """Starts the law's state anew at the next step."""
        self._law.reset()

    @property
    def e(self) -> Array:
        """q ⊖ q_d at the last step."""
        return self._law.e

    @property
    def s(self) -> Array:
        """The law's velocity error at the last step."""
        return self._law.s

    @property
    def H(self) -> Array:
        """The mass matrix at the last step, (nv, nv)."""
        return self._law.H

    @property
    def C(self) -> Array:
        """The law's Coriolis matrix at the last step, (nv, nv)."""
        return self._law.C

    @property
    def state(self) -> Array:
        """The law's state x; empty for a static law."""
        return self._law.state


def law_type(law: type) -> str:
    """The type of a law's class in configs, `controller.type`; registers it if needed.

    "module:Class" for a class that can be imported, the class's own name otherwise (a notebook's).
    """
    if not issubclass(law, Controller):
        raise TypeError(f"{law.__name__}: not a subclass of civita.Controller")
    known: str | None = law.__dict__.get("_civita_type")
    if known is None:
        importable = law.__module__ != "__main__" and "<locals>" not in law.__qualname__
        known = f"{law.__module__}:{law.__qualname__}" if importable else law.__name__
        _register(known, law)
    return known


def load_law(name: str, directory: str = "") -> str:
    """Registers the law that is named "file.py:Class", relative to the directory, or "module:Class";
    returns its type. Other names are returned as they are."""
    place, colon, class_name = name.rpartition(":")
    if not colon or name in _types:
        return name
    if place.endswith(".py"):
        path = (pathlib.Path(directory or os.getcwd()) / place).resolve()
        name = f"{path}:{class_name}"
        if name in _types:
            return name
        module = _load_file(path)
    else:
        if os.getcwd() not in sys.path and "" not in sys.path:
            sys.path.append(os.getcwd())
        try:
            module = importlib.import_module(place)
        except ModuleNotFoundError as error:
            raise ValueError(f"{place}: {error}") from None
    law = getattr(module, class_name, None)
    if not (isinstance(law, type) and issubclass(law, Controller)):
        laws = [
            key
            for key, each in vars(module).items()
            if isinstance(each, type) and issubclass(each, Controller) and each is not Controller
        ]
        raise ValueError(f"{place}: {_civita.unknown_name('law', class_name, laws)}")
    _register(name, law)
    return name


_types: dict[str, type] = {}


def _register(name: str, law: type) -> None:
    def of(kind: type) -> list[tuple[str, Any]]:
        found: dict[str, Any] = {}
        for base in reversed(law.__mro__):
            found.update((k, x) for k, x in vars(base).items() if isinstance(x, kind))
        return list(found.items())

    lines = (law.__doc__ or law.__name__).strip().splitlines()
    _civita.register_law(
        name,
        law,
        {
            "name": law.__name__,
            "title": law.__name__,
            "law": lines[0],
            "uses_factorization": law.uses_factorization,  # type: ignore[attr-defined]
            "knows_loops": law.knows_loops,  # type: ignore[attr-defined]
            "parameters": [
                (
                    *(key, p.symbol or key, p.title, p.unit, p.meaning, p.min, p.max, p.default),
                    *(p.is_scalar, _RANGES.index(p.range)),
                )
                for key, p in of(Parameter)
            ],
            "options": [
                (key, o.unit, o.meaning, o.default, _RANGES.index(o.range), o.choices)
                for key, o in of(Option)
            ],
            "signals": [(key, x.unit, x.meaning, x.width) for key, x in of(Signal)],
            "states": [(key, "", x.meaning, x.width) for key, x in of(State)],
        },
    )
    _types[name] = law
    law._civita_type = name  # type: ignore[attr-defined]


def _load_file(path: pathlib.Path) -> Any:
    if not path.is_file():
        raise ValueError(f"no such file: {path}")
    for module in list(sys.modules.values()):
        if getattr(module, "__file__", None) == str(path):
            return module
    name = "civita_law_" + path.stem
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise ValueError(f"{path}: {type(error).__name__}: {error}") from error
    return module


def _width(shape: Shape) -> int:
    widths = {"scalar": 0, "coordinates": -1}
    if isinstance(shape, str) and shape in widths:
        return widths[shape]
    if isinstance(shape, int) and shape > 0:
        return shape
    raise ValueError(f"shape: {shape!r}; valid: scalar, coordinates, a number of numbers")


_civita.set_law_loader(load_law)
