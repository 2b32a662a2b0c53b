"""What varies in a study: axes of a grid, and distributions that are sampled."""

from __future__ import annotations

import contextlib
import dataclasses
import math
from collections.abc import Iterator
from typing import Any

import numpy
import scipy.stats
from numpy.typing import NDArray

from civita import _civita
from civita.sweeps.study_file import Path, Places

METHODS = ("random", "sobol", "latin_hypercube")
MAX_RUNS = 10_000_000
_BATCH = 1024


@dataclasses.dataclass
class Axis:
    """A key and its values; all combinations of the axes are run."""

    key: str
    values: list[Any]


@dataclasses.dataclass
class Distributed:
    """A key whose value, a number or a list of `size`, follows a distribution."""

    key: str
    distribution: Any  # frozen, of scipy.stats
    size: int | None
    is_discrete: bool

    def at(self, u: NDArray[numpy.float64]) -> NDArray[Any]:
        """The values at points of the unit cube, a row each, by the inverse of the distribution function."""
        values: NDArray[Any] = self.distribution.ppf(u)
        values = values.astype(numpy.int64) if self.is_discrete else values
        return values[:, 0] if self.size is None else values


@dataclasses.dataclass
class Sample:
    """How the distributions are sampled, together."""

    method: str = "random"
    count: int = 0
    seed: int = 0

    def points(self, dimension: int) -> NDArray[numpy.float64]:
        """Points of the unit cube, (count, dimension), without its faces."""
        rng = numpy.random.default_rng(self.seed)
        points: NDArray[numpy.float64]
        if self.method == "sobol":
            engine = scipy.stats.qmc.Sobol(dimension, rng=rng)
            points = engine.random_base2(math.ceil(math.log2(self.count)))[: self.count]
        elif self.method == "latin_hypercube":
            points = scipy.stats.qmc.LatinHypercube(dimension, rng=rng).random(self.count)
        else:
            points = rng.random((self.count, dimension))
        return points


class Variants:
    """The settings of all variants: each combination of the axes at each point of the sample. They are
    made as they are asked for; kept are the axes and the columns of the sample."""

    def __init__(self, axes: list[Axis], distributed: list[Distributed], sample: Sample):
        self._axes, self._num_points = axes, sample.count if distributed else 1
        self._sampled: dict[str, NDArray[Any]] = {}
        if distributed:
            ends = numpy.cumsum([each.size or 1 for each in distributed])
            points = numpy.split(sample.points(int(ends[-1])), ends[:-1], axis=1)
            self._sampled = {d.key: d.at(u) for d, u in zip(distributed, points, strict=True)}

    def __len__(self) -> int:
        return math.prod(len(axis.values) for axis in self._axes) * self._num_points

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for first in range(0, len(self), _BATCH):
            columns = self.columns(numpy.arange(first, min(first + _BATCH, len(self))))
            rows = zip(*columns.values(), strict=True) if columns else [()]
            yield from (dict(zip(columns, row, strict=True)) for row in rows)

    def columns(self, i: NDArray[numpy.int64]) -> dict[str, list[Any]]:
        """The values of each key in the variants of these numbers."""
        left, point = numpy.divmod(i, self._num_points)
        columns: dict[str, list[Any]] = {}
        for axis in reversed(self._axes):
            left, at = numpy.divmod(left, len(axis.values))
            columns[axis.key] = [axis.values[each] for each in at]
        columns = dict(reversed(columns.items()))
        return columns | {key: column[point].tolist() for key, column in self._sampled.items()}


def read_variation(key: str, value: Any, path: Path, places: Places) -> Axis | Distributed:
    """A list, a range {from, to, count, scale} or a distribution of scipy.stats."""
    if isinstance(value, list):
        if not value:
            places.refuse(path, "an empty list; give it values")
        check_differ(value, path, places)
        return Axis(key, value)
    if isinstance(value, dict) and "distribution" in value:
        return _read_distribution(key, value, path, places)
    if isinstance(value, dict) and ("from" in value or "to" in value):
        return Axis(key, _read_range(value, path, places))
    places.refuse(
        path,
        "write a list of values, a range as in {from: 1, to: 10, count: 5}, or a distribution of "
        "scipy.stats as in {distribution: uniform, loc: 1, scale: 9}",
    )


def _read_range(value: dict[str, Any], path: Path, places: Places) -> list[float]:
    check_keys(value, ("from", "to", "count", "scale"), path, places)
    for each in ("from", "to", "count"):
        if each not in value:
            places.refuse(path, f"a range needs '{each}', as in {{from: 1, to: 10, count: 5}}")
    low, high = (number(value[each], (*path, each), places) for each in ("from", "to"))
    count = whole_number(value["count"], (*path, "count"), places, 2, MAX_RUNS)
    scale = choice(value.get("scale", "linear"), ("linear", "log"), (*path, "scale"), places)
    if scale == "log" and (low <= 0 or high <= 0):
        places.refuse(path, "a range with scale log has ends > 0")
    space = numpy.geomspace if scale == "log" else numpy.linspace
    return [float(x) for x in space(low, high, count)]


def _read_distribution(key: str, value: dict[str, Any], path: Path, places: Places) -> Distributed:
    at = (*path, "distribution")
    name = choice(value["distribution"], _names(), at, places)
    family = getattr(scipy.stats, name)
    shapes = [each.strip() for each in family.shapes.split(",")] if family.shapes else []
    is_discrete = isinstance(family, scipy.stats.rv_discrete)
    known = ["distribution", *shapes, "loc", *([] if is_discrete else ["scale"])]
    check_keys(value, known, path, places)
    for each in shapes:
        if each not in value:
            places.refuse(path, f"the distribution {name} needs '{each}'; it has {', '.join(known[1:])}")
    arguments = {
        each: _numbers(x, (*path, each), places) for each, x in value.items() if each != "distribution"
    }
    sizes = {len(x) for x in arguments.values() if isinstance(x, list)}
    if len(sizes) > 1:
        places.refuse(path, f"lists of {' and '.join(map(str, sorted(sizes)))} numbers; give one length")
    frozen = family(**arguments)
    if not numpy.all(numpy.isfinite(frozen.ppf(0.5))):
        places.refuse(path, f"{name} has no distribution with these numbers")
    return Distributed(key, frozen, sizes.pop() if sizes else None, is_discrete)


def _names() -> list[str]:
    families = (scipy.stats.rv_continuous, scipy.stats.rv_discrete)
    return [name for name in dir(scipy.stats) if isinstance(getattr(scipy.stats, name), families)]


def _numbers(value: Any, path: Path, places: Places) -> Any:
    if not isinstance(value, list):
        return number(value, path, places)
    if not value:
        places.refuse(path, "an empty list")
    return [number(each, (*path, i), places) for i, each in enumerate(value)]


def check_keys(value: dict[str, Any], known: Any, path: Path, places: Places) -> None:
    """Refuses a key that is not known, with the nearest."""
    for key in value:
        if key not in known:
            places.refuse((*path, key), _civita.unknown_name("key", str(key), list(known)))


def choice(value: Any, known: Any, path: Path, places: Places) -> str:
    """One of the names."""
    if value not in known:
        places.refuse(path, _civita.unknown_name("choice", str(value), list(known)))
    return str(value)


def number(value: Any, path: Path, places: Places) -> float:
    """A finite number."""
    with contextlib.suppress(OverflowError):  # of integers beyond 1e308
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
            return float(value)
    places.refuse(path, f"not a number: {value!r}")


def whole_number(value: Any, path: Path, places: Places, least: int, most: int = 2**31 - 1) -> int:
    """A whole number within [least, most]."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        places.refuse(path, f"not a whole number from {least} to {most}: {value!r}")
    return value


def check_differ(values: list[Any], path: Path, places: Places) -> None:
    """Refuses a value that is given twice."""

    def hashable(value: Any) -> Any:
        if isinstance(value, dict):
            return frozenset((key, hashable(each)) for key, each in value.items())
        return tuple(map(hashable, value)) if isinstance(value, list) else value

    seen = set()
    for i, each in enumerate(map(hashable, values)):
        if each in seen:
            places.refuse((*path, i), f"{values[i]!r} twice")
        seen.add(each)
