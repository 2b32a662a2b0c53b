"""Configurations and velocities of MuJoCo: docs/from_mujoco.md."""

from __future__ import annotations

from typing import Any

import numpy
from numpy.typing import ArrayLike

from civita import _civita
from civita._conversion import Array, match, read


class Conversion:
    """Between a Model and a mujoco.MjModel with joints of the same names, in any order; where each has
    one free joint, that of the model may have another name.

    The conventions are the same, quaternions and velocities included, so that numbers only change
    places. For `Model.from_mujoco` and `Model.from_file` of the same MJCF file they do not even that.

    Parameters
    ----------
    model : civita.Model
    mj_model : mujoco.MjModel
    """

    def __init__(self, model: _civita.Model, mj_model: Any) -> None:
        import mujoco

        self._nq, self._nv = model.nq, model.nv
        if (mj_model.nq, mj_model.nv) != (model.nq, model.nv):
            raise ValueError(
                f"the models have {model.nq} and {mj_model.nq} numbers in q, {model.nv} and "
                f"{mj_model.nv} in v"
            )

        ours = [joint["name"] for joint in model.joints if joint["type"] == "free"]
        theirs = numpy.flatnonzero(mj_model.jnt_type == int(mujoco.mjtJoint.mjJNT_FREE))

        def find(name: str) -> dict[str, Any] | None:
            index = mujoco.mj_name2id(mj_model, mujoco.mjtObj.mjOBJ_JOINT, name)
            if index < 0 and [name] == ours and len(theirs) == 1:
                index = theirs[0]
            if index < 0:
                return None
            return {"iq": mj_model.jnt_qposadr[index], "iv": mj_model.jnt_dofadr[index]}

        self._q = numpy.zeros(model.nq, dtype=int)
        self._v = numpy.zeros(model.nv, dtype=int)
        for own, other in match(model.joints, find, "MuJoCo"):
            self._q[own["iq"] : own["iq"] + own["nq"]] = other["iq"] + numpy.arange(own["nq"])
            self._v[own["iv"] : own["iv"] + own["nv"]] = other["iv"] + numpy.arange(own["nv"])

    def q(self, qpos: ArrayLike) -> Array:
        """q of qpos, (nq,) or (N, nq)."""
        return read(qpos, "qpos", self._nq)[..., self._q]

    def v(self, qvel: ArrayLike) -> Array:
        """v of qvel, (nv,) or (N, nv); τ of qfrc and v̇ of qacc likewise."""
        return read(qvel, "qvel", self._nv)[..., self._v]

    def qpos(self, q: ArrayLike) -> Array:
        """qpos of q."""
        qpos = numpy.empty_like(read(q, "q", self._nq))
        qpos[..., self._q] = q
        return qpos

    def qvel(self, v: ArrayLike) -> Array:
        """qvel of v; qfrc of τ and qacc of v̇ likewise."""
        qvel = numpy.empty_like(read(v, "v", self._nv))
        qvel[..., self._v] = v
        return qvel
