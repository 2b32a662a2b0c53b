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


def rotation(quaternion: Array) -> Array:
    """The rotation matrix of a quaternion [w, x, y, z] of any length, (..., 3, 3)."""
    w, x, y, z = numpy.moveaxis(quaternion / numpy.linalg.norm(quaternion, axis=-1)[..., None], -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return numpy.stack([numpy.stack(row, axis=-1) for row in rows], axis=-2)


def turn(R: Array, x: Array) -> Array:
    """R x for each of a stack."""
    result: Array = numpy.einsum("...ij,...j->...i", R, x)
    return result


def turn_back(R: Array, x: Array) -> Array:
    """Rᵀ x for each of a stack."""
    return turn(numpy.swapaxes(R, -1, -2), x)


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
