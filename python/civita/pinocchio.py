"""Configurations, velocities and matrices of Pinocchio: docs/from_pinocchio.md."""

from __future__ import annotations

from typing import Any

import numpy
from numpy.typing import ArrayLike

from civita import _civita
from civita._conversion import Array, match, read, rotation, skew, turn, turn_back

# Numbers in q and v of a joint of Pinocchio by civita's type. A hinge without limits is there the
# cosine and sine of its angle.
_SIZES = {
    "hinge": {(1, 1), (2, 1)},
    "slide": {(1, 1)},
    "helical": {(1, 1)},
    "ball": {(4, 3)},
    "free": {(7, 6)},
}


class Conversion:
    """Between a Model and a pinocchio.Model with joints of the same names, in any order.

    Pinocchio's quaternions are [x, y, z, w], and the velocity of a free joint is [linear; angular] in
    the body's axes; civita's are [w, x, y, z] and [linear in the world's axes; angular in the body's].
    With Pinocchio's velocity w, v = A(q) w, and

        H_pinocchio = AᵀHA,  C_pinocchio = AᵀCA + AᵀHȦ,  τ_pinocchio = Aᵀτ.

    Parameters
    ----------
    model : civita.Model
    pin_model : pinocchio.Model
    """

    def __init__(self, model: _civita.Model, pin_model: Any) -> None:
        self._nq, self._nv = model.nq, model.nv
        self._pin_nq = pin_model.nq

        def find(name: str) -> dict[str, Any] | None:
            if not pin_model.existJointName(name):
                return None
            joint = pin_model.joints[pin_model.getJointId(name)]
            return {"iq": joint.idx_q, "iv": joint.idx_v, "nq": joint.nq, "nv": joint.nv}

        self._pairs = match(model.joints, find, "Pinocchio")
        for own, other in self._pairs:
            if (other["nq"], other["nv"]) not in _SIZES.get(own["type"], set()):
                raise ValueError(
                    f"joint {own['name']!r} is of type {own['type']} and has {other['nq']} and "
                    f"{other['nv']} numbers in Pinocchio; valid: hinges, slides, helical, ball and "
                    "free joints"
                )
        if pin_model.nv != model.nv:
            raise ValueError(f"the models have {model.nv} and {pin_model.nv} numbers in v")

    def q_to_pinocchio(self, q: ArrayLike) -> Array:
        """Pinocchio's configuration of q, (nq,) or (N, nq)."""
        own = read(q, "q", self._nq)
        result = numpy.empty((*own.shape[:-1], self._pin_nq))
        for joint, other in self._pairs:
            x = own[..., joint["iq"] : joint["iq"] + joint["nq"]]
            to = result[..., other["iq"] : other["iq"] + other["nq"]]
            if joint["nq"] == 1 and other["nq"] == 2:
                to[..., 0], to[..., 1] = numpy.cos(x[..., 0]), numpy.sin(x[..., 0])
            elif joint["nq"] == 1:
                to[...] = x
            else:
                to[..., :-4] = x[..., :-4]
                to[..., -4:-1], to[..., -1] = x[..., -3:], x[..., -4]
        return result

    def q_from_pinocchio(self, q: ArrayLike) -> Array:
        """q of Pinocchio's configuration."""
        pin = read(q, "q", self._pin_nq)
        result = numpy.empty((*pin.shape[:-1], self._nq))
        for joint, other in self._pairs:
            x = pin[..., other["iq"] : other["iq"] + other["nq"]]
            to = result[..., joint["iq"] : joint["iq"] + joint["nq"]]
            if joint["nq"] == 1 and other["nq"] == 2:
                to[..., 0] = numpy.arctan2(x[..., 1], x[..., 0])
            elif joint["nq"] == 1:
                to[...] = x
            else:
                to[..., :-4] = x[..., :-4]
                to[..., -3:], to[..., -4] = x[..., -4:-1], x[..., -1]
        return result

    def A(self, q: ArrayLike) -> Array:
        """A of v = A(q) w, with v civita's and w Pinocchio's velocity, (nv, nv) or (N, nv, nv)."""
        own = read(q, "q", self._nq)
        A = numpy.zeros((*own.shape[:-1], self._nv, self._nv))
        for joint, other in self._pairs:
            for k in range(joint["nv"]):
                A[..., joint["iv"] + k, other["iv"] + k] = 1
            if joint["type"] == "free":
                rows = slice(joint["iv"], joint["iv"] + 3)
                A[..., rows, other["iv"] : other["iv"] + 3] = self._rotation(own, joint)
        return A

    def A_derivative(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Ȧ along civita's velocity v, for v̇ = A ẇ + Ȧ w."""
        own, velocity = read(q, "q", self._nq), read(v, "v", self._nv)
        Adot = numpy.zeros((*own.shape[:-1], self._nv, self._nv))
        for joint, other in self._pairs:
            if joint["type"] == "free":
                omega = velocity[..., joint["iv"] + 3 : joint["iv"] + 6]
                rows = slice(joint["iv"], joint["iv"] + 3)
                rate = self._rotation(own, joint) @ skew(omega)
                Adot[..., rows, other["iv"] : other["iv"] + 3] = rate
        return Adot

    def v_to_pinocchio(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Pinocchio's velocity of civita's v at civita's q."""
        # A is orthogonal.
        return turn_back(self.A(q), read(v, "v", self._nv))

    def v_from_pinocchio(self, q: ArrayLike, w: ArrayLike) -> Array:
        """v of Pinocchio's velocity w at civita's q."""
        return turn(self.A(q), read(w, "w", self._nv))

    def vdot_to_pinocchio(self, q: ArrayLike, v: ArrayLike, vdot: ArrayLike) -> Array:
        """Pinocchio's acceleration ẇ = Aᵀ(v̇ − Ȧ w) of civita's v̇ at civita's q and v."""
        w = self.v_to_pinocchio(q, v)
        return turn_back(self.A(q), read(vdot, "vdot", self._nv) - turn(self.A_derivative(q, v), w))

    def tau_to_pinocchio(self, q: ArrayLike, tau: ArrayLike) -> Array:
        """Pinocchio's joint forces Aᵀτ at civita's q."""
        return self.v_to_pinocchio(q, tau)

    def tau_from_pinocchio(self, q: ArrayLike, tau: ArrayLike) -> Array:
        """τ of Pinocchio's joint forces at civita's q."""
        return self.v_from_pinocchio(q, tau)

    @staticmethod
    def _rotation(q: Array, joint: dict[str, Any]) -> Array:
        return rotation(q[..., joint["iq"] + 3 : joint["iq"] + 7])
