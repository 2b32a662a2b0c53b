"""What the conversions of configurations and velocities to other libraries have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
from numpy.typing import ArrayLike, NDArray

Array = NDArray[numpy.float64]


def read(x: ArrayLike, name: str, size: int) -> Array:
    """x as an array whose last axis has this size."""
    array = numpy.asarray(x, dtype=float)
    if array.ndim < 1 or array.shape[-1] != size:
        raise ValueError(f"{name}: its shape is {array.shape}, not ({size},) or (N, {size})")
    return array


def components(x: Array) -> Any:
    """The numbers of the last axis: of one vector Python's, which for so few take a tenth of NumPy's time."""
    return x.tolist() if x.ndim == 1 else numpy.moveaxis(x, -1, 0)


def rotation(quaternion: Array) -> Array:
    """The rotation matrix of a quaternion [w, x, y, z] of any length, (..., 3, 3)."""
    w, x, y, z = components(quaternion)
    s = 2 / (w * w + x * x + y * y + z * z)
    rows = [
        [1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)],
        [s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)],
        [s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)],
    ]
    if quaternion.ndim == 1:
        return numpy.array(rows)
    return numpy.stack([numpy.stack(row, axis=-1) for row in rows], axis=-2)


def turn_by(quaternion: Array, x: Array, back: bool = False) -> None:
    """x ← R x of a quaternion [w, x, y, z] of any length, in place, or Rᵀ x."""
    (w, a, b, c), (i, j, k) = components(quaternion), components(x if x.ndim == 1 else x.copy())
    scale = 2 / (w * w + a * a + b * b + c * c)
    if back:
        w = -w
    d, e, f = scale * (b * k - c * j), scale * (c * i - a * k), scale * (a * j - b * i)
    x[..., 0] = i + w * d + (b * f - c * e)
    x[..., 1] = j + w * e + (c * d - a * f)
    x[..., 2] = k + w * f + (a * e - b * d)


def skew(x: Array) -> Array:
    """The matrix with skew(x) y = x × y, (..., 3, 3)."""
    zero = numpy.zeros_like(x[..., 0])
    a, b, c = numpy.moveaxis(x, -1, 0)
    rows = [[zero, -c, b], [c, zero, -a], [-b, a, zero]]
    return numpy.stack([numpy.stack(row, axis=-1) for row in rows], axis=-2)


def match(
    joints: list[dict[str, Any]], other: Callable[[str], dict[str, Any] | None], library: str
) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """The pairs of joints with the same name."""
    pairs = []
    for joint in joints:
        found = other(joint["name"])
        if found is None:
            raise ValueError(f"joint {joint['name']!r}: {library}'s model has none of this name")
        pairs.append((joint, found))
    return pairs
