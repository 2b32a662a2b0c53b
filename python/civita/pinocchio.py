"""Configurations, velocities and matrices of Pinocchio: docs/from_pinocchio.md."""

from __future__ import annotations

from typing import Any

import numpy
from numpy.typing import ArrayLike

from civita import _civita
from civita._conversion import Array, components, match, read, rotation, skew, turn_by

# Numbers in q and v of a joint of Pinocchio by civita's type. A hinge without limits is there the
# cosine and sine of its angle.
_SIZES = {
    "hinge": {(1, 1), (2, 1)},
    "slide": {(1, 1)},
    "helical": {(1, 1)},
    "ball": {(4, 3)},
    "free": {(7, 6)},
}

# Where Pinocchio's ten parameters of a body are among civita's.
_PINOCCHIO_ORDER = [0, 1, 2, 3, 4, 7, 5, 8, 9, 6]
_MOMENTS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))


def _pseudo_inertia(parameters: Array) -> Array:
    """∫ [r; 1][r; 1]ᵀ dm of civita's ten parameters, (..., 4, 4), which a pose T makes T J Tᵀ."""
    inertia = numpy.empty((*parameters.shape[:-1], 3, 3))
    for k, (i, j) in enumerate(_MOMENTS):
        inertia[..., i, j] = inertia[..., j, i] = parameters[..., 4 + k]
    J = numpy.empty((*parameters.shape[:-1], 4, 4))
    half = 0.5 * numpy.trace(inertia, axis1=-2, axis2=-1)[..., None, None]
    J[..., :3, :3] = half * numpy.eye(3) - inertia
    J[..., :3, 3] = J[..., 3, :3] = parameters[..., 1:4]
    J[..., 3, 3] = parameters[..., 0]
    return J


def _parameters(J: Array) -> Array:
    """The inverse of _pseudo_inertia."""
    second = J[..., :3, :3]
    inertia = numpy.trace(second, axis1=-2, axis2=-1)[..., None, None] * numpy.eye(3) - second
    moments = [inertia[..., i, j] for i, j in _MOMENTS]
    return numpy.concatenate([J[..., 3, 3, None], J[..., :3, 3], numpy.stack(moments, axis=-1)], axis=-1)


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
        self._body_frames = model.body_frames
        self._pin_model = pin_model

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
        # Where each number is in the other's v and q, and where there are a cosine and sine of an angle.
        self._v, self._v_back = numpy.empty((2, self._nv), dtype=int)
        self._q, self._q_back = numpy.empty(self._pin_nq, dtype=int), numpy.empty(self._nq, dtype=int)
        angles = []
        for own, other in self._pairs:
            self._v[other["iv"] : other["iv"] + other["nv"]] = range(own["iv"], own["iv"] + own["nv"])
            self._v_back[own["iv"] : own["iv"] + own["nv"]] = range(other["iv"], other["iv"] + other["nv"])
            order = [*range(own["nq"])]
            if own["nq"] >= 4:  # the real part of a quaternion comes last there
                order = [*order[:-4], *order[-3:], order[-4]]
            for k, i in enumerate(order):
                self._q[other["iq"] + k] = own["iq"] + i
                self._q_back[own["iq"] + i] = other["iq"] + k
            if (own["nq"], other["nq"]) == (1, 2):
                self._q[other["iq"] + 1] = own["iq"]
                angles.append((own["iq"], other["iq"]))
        self._angles, self._cosines = numpy.array(angles, dtype=int).reshape(-1, 2).T
        self._free = [
            (own["iq"] + 3, own["iv"], other["iv"]) for own, other in self._pairs if own["type"] == "free"
        ]

    def q_to_pinocchio(self, q: ArrayLike) -> Array:
        """Pinocchio's configuration of q, (nq,) or (N, nq)."""
        result: Array = read(q, "q", self._nq).take(self._q, axis=-1)
        if self._angles.size > 0:
            angles = result[..., self._cosines]
            result[..., self._cosines] = numpy.cos(angles)
            result[..., self._cosines + 1] = numpy.sin(angles)
        return result

    def q_from_pinocchio(self, q: ArrayLike) -> Array:
        """q of Pinocchio's configuration."""
        pin = read(q, "q", self._pin_nq)
        result: Array = pin.take(self._q_back, axis=-1)
        if self._angles.size > 0:
            result[..., self._angles] = numpy.arctan2(pin[..., self._cosines + 1], pin[..., self._cosines])
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
        result: Array = read(v, "v", self._nv).take(self._v, axis=-1)
        own = read(q, "q", self._nq)
        for iq, _, iv in self._free:
            turn_by(own[..., iq : iq + 4], result[..., iv : iv + 3], back=True)  # A is orthogonal
        return result

    def v_from_pinocchio(self, q: ArrayLike, w: ArrayLike) -> Array:
        """v of Pinocchio's velocity w at civita's q."""
        result: Array = read(w, "w", self._nv).take(self._v_back, axis=-1)
        own = read(q, "q", self._nq)
        for iq, iv, _ in self._free:
            turn_by(own[..., iq : iq + 4], result[..., iv : iv + 3])
        return result

    def vdot_to_pinocchio(self, q: ArrayLike, v: ArrayLike, vdot: ArrayLike) -> Array:
        """Pinocchio's acceleration ẇ = Aᵀ(v̇ − Ȧ w) of civita's v̇ at civita's q and v."""
        result = self.v_to_pinocchio(q, vdot)
        self._add_turning(q, v, -1, result)
        return result

    def vdot_from_pinocchio(self, q: ArrayLike, v: ArrayLike, wdot: ArrayLike) -> Array:
        """v̇ = A ẇ + Ȧ w of Pinocchio's acceleration ẇ at civita's q and v."""
        pin = read(wdot, "wdot", self._nv)
        if self._free:
            pin = pin.copy()
            self._add_turning(q, v, 1, pin)
        return self.v_from_pinocchio(q, pin)

    def _add_turning(self, q: ArrayLike, v: ArrayLike, sign: int, to: Array) -> None:
        """Adds AᵀȦ w: ω × the linear velocity of each free joint, in the body's axes."""
        w = self.v_to_pinocchio(q, v) if self._free else to
        for _, _, iv in self._free:
            x, y, z, a, b, c = components(w[..., iv : iv + 6])
            to[..., iv] += sign * (b * z - c * y)
            to[..., iv + 1] += sign * (c * x - a * z)
            to[..., iv + 2] += sign * (a * y - b * x)

    def jacobian_to_pinocchio(self, q: ArrayLike, J: ArrayLike) -> Array:
        """J A, (..., m, nv), of J v = (J A) w: by Pinocchio's velocities at civita's q."""
        result: Array = read(J, "J", self._nv).take(self._v, axis=-1)
        own = read(q, "q", self._nq)
        for iq, _, iv in self._free:
            result[..., iv : iv + 3] = result[..., iv : iv + 3] @ rotation(own[..., iq : iq + 4])
        return result

    def jacobian_from_pinocchio(self, q: ArrayLike, J: ArrayLike) -> Array:
        """The same back: J of Pinocchio's, by civita's velocities."""
        result: Array = read(J, "J", self._nv).take(self._v_back, axis=-1)
        own = read(q, "q", self._nq)
        for iq, iv, _ in self._free:
            back = rotation(own[..., iq : iq + 4]).swapaxes(-1, -2)
            result[..., iv : iv + 3] = result[..., iv : iv + 3] @ back
        return result

    def tau_to_pinocchio(self, q: ArrayLike, tau: ArrayLike) -> Array:
        """Pinocchio's joint forces Aᵀτ at civita's q."""
        return self.v_to_pinocchio(q, tau)

    def tau_from_pinocchio(self, q: ArrayLike, tau: ArrayLike) -> Array:
        """τ of Pinocchio's joint forces at civita's q."""
        return self.v_from_pinocchio(q, tau)

    def parameters_to_pinocchio(self, parameters: ArrayLike) -> Array:
        """Pinocchio's inertial parameters of π, ten for each of `Model.body_frames`, (10·nb,) or (N, 10·nb).

        The result has ten for each joint of Pinocchio from 1 on, as `toDynamicParameters` of `inertias` and
        the columns of `computeJointTorqueRegressor` have them: in the joint's axes about its origin, in the
        order m, mc, I_xx, I_xy, I_yy, I_xz, I_yz, I_zz. Joints without a body have zeros.
        """
        own = read(parameters, "parameters", 10 * len(self._body_frames))
        result = numpy.zeros((*own.shape[:-1], 10 * (self._pin_model.njoints - 1)))
        for k, (joint, T) in enumerate(self._carriers()):
            J = T @ _pseudo_inertia(own[..., 10 * k : 10 * k + 10]) @ T.T
            result[..., 10 * joint : 10 * joint + 10] = _parameters(J)[..., _PINOCCHIO_ORDER]
        return result

    def parameters_from_pinocchio(self, parameters: ArrayLike) -> Array:
        """π of Pinocchio's inertial parameters, as `Model.with_parameters` takes it."""
        pin = read(parameters, "parameters", 10 * (self._pin_model.njoints - 1))
        result = numpy.empty((*pin.shape[:-1], 10 * len(self._body_frames)))
        for k, (joint, T) in enumerate(self._carriers()):
            block = numpy.empty_like(pin[..., :10])
            block[..., _PINOCCHIO_ORDER] = pin[..., 10 * joint : 10 * joint + 10]
            back = numpy.linalg.inv(T)
            result[..., 10 * k : 10 * k + 10] = _parameters(back @ _pseudo_inertia(block) @ back.T)
        return result

    def _carriers(self) -> list[tuple[int, Array]]:
        """Of each body frame the place of its joint in Pinocchio, from 0, and its pose there, (4, 4)."""
        carriers = []
        for name in self._body_frames:
            if not self._pin_model.existBodyName(name):
                raise ValueError(f"body {name!r}: Pinocchio's model has none of this name")
            frame = self._pin_model.frames[self._pin_model.getBodyId(name)]
            carriers.append((frame.parentJoint - 1, frame.placement.homogeneous))
        return carriers

    @staticmethod
    def _rotation(q: Array, joint: dict[str, Any]) -> Array:
        return rotation(q[..., joint["iq"] + 3 : joint["iq"] + 7])
