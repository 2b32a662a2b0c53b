"""The functions of Modern Robotics (Lynch and Park), chapter 8, by their names: docs/poe.md.

    τ = M(θ) θ̈ + c(θ, θ̇) + g(θ) + J_tip(θ)ᵀ F_tip

theta, dtheta, ddtheta and tau have n numbers, F_tip 6: the wrench [moment; force] that the tip exerts,
in its own frame. All of them may have a row for each instant. What is left out is zero.
"""

from __future__ import annotations

from typing import Any

import numpy
from numpy.typing import ArrayLike, NDArray

from civita import _civita
from civita._civita import PoeRobot

Array = NDArray[numpy.float64]


def _call(name: str, robot: PoeRobot | None, dt: float = 1.0, resolution: int = 1, **inputs: Any) -> Any:
    return _civita.call_poe(name, robot, inputs, dt, resolution)


def _array(name: str, robot: PoeRobot | None, **inputs: Any) -> Array:
    result: Array = _call(name, robot, **inputs)
    return result


def ad(V: ArrayLike) -> Array:
    """The matrix [ad_V] of the Lie bracket of a twist [angular; linear], (6, 6)."""
    return _array("ad", None, V=V)


def inverse_dynamics_rnea(
    robot: PoeRobot, theta: ArrayLike, dtheta: ArrayLike, ddtheta: ArrayLike, F_tip: ArrayLike | None = None
) -> Array:
    """Joint forces τ of a motion under F_tip."""
    return _array("inverse_dynamics_rnea", robot, theta=theta, dtheta=dtheta, ddtheta=ddtheta, F_tip=F_tip)


def inverse_dynamics_trajectory(
    robot: PoeRobot, theta: ArrayLike, dtheta: ArrayLike, ddtheta: ArrayLike, F_tip: ArrayLike | None = None
) -> Array:
    """The same at each instant of a trajectory."""
    return _array(
        "inverse_dynamics_trajectory", robot, theta=theta, dtheta=dtheta, ddtheta=ddtheta, F_tip=F_tip
    )


def mass_matrix_crba(robot: PoeRobot, theta: ArrayLike) -> Array:
    """Mass matrix M(θ), by composite rigid bodies."""
    return _array("mass_matrix_crba", robot, theta=theta)


def mass_matrix_rnea(robot: PoeRobot, theta: ArrayLike) -> Array:
    """Mass matrix M(θ), by n inverse dynamics."""
    return _array("mass_matrix_rnea", robot, theta=theta)


def velocity_quadratic_forces(robot: PoeRobot, theta: ArrayLike, dtheta: ArrayLike) -> Array:
    """Coriolis and centripetal forces c(θ, θ̇)."""
    return _array("velocity_quadratic_forces", robot, theta=theta, dtheta=dtheta)


def gravity_forces(robot: PoeRobot, theta: ArrayLike) -> Array:
    """Joint forces g(θ) that hold it against gravity."""
    return _array("gravity_forces", robot, theta=theta)


def end_effector_forces(robot: PoeRobot, theta: ArrayLike, F_tip: ArrayLike) -> Array:
    """Joint forces J_tipᵀ F_tip."""
    return _array("end_effector_forces", robot, theta=theta, F_tip=F_tip)


def forward_dynamics_aba(
    robot: PoeRobot, theta: ArrayLike, dtheta: ArrayLike, tau: ArrayLike, F_tip: ArrayLike | None = None
) -> Array:
    """Accelerations θ̈, by articulated bodies."""
    return _array("forward_dynamics_aba", robot, theta=theta, dtheta=dtheta, tau=tau, F_tip=F_tip)


def forward_dynamics_crba(
    robot: PoeRobot, theta: ArrayLike, dtheta: ArrayLike, tau: ArrayLike, F_tip: ArrayLike | None = None
) -> Array:
    """Accelerations θ̈, by a factor of M; NaN where it is singular."""
    return _array("forward_dynamics_crba", robot, theta=theta, dtheta=dtheta, tau=tau, F_tip=F_tip)


def forward_dynamics_rnea(
    robot: PoeRobot, theta: ArrayLike, dtheta: ArrayLike, tau: ArrayLike, F_tip: ArrayLike | None = None
) -> Array:
    """Accelerations θ̈ as M⁻¹(τ − c − g − J_tipᵀ F_tip)."""
    return _array("forward_dynamics_rnea", robot, theta=theta, dtheta=dtheta, tau=tau, F_tip=F_tip)


def forward_dynamics_trajectory(
    robot: PoeRobot,
    theta: ArrayLike,
    dtheta: ArrayLike,
    tau: ArrayLike,
    F_tip: ArrayLike | None = None,
    dt: float = 0.01,
    resolution: int = 1,
) -> tuple[Array, Array]:
    """θ and θ̇ at each instant, from theta and dtheta, (n,), under the rows of tau and F_tip, each held
    for dt seconds in `resolution` Euler steps."""
    forces = numpy.asarray(tau, dtype=float)
    start = [numpy.broadcast_to(numpy.asarray(x, dtype=float), forces.shape) for x in (theta, dtheta)]
    result: tuple[Array, Array] = _call(
        "forward_dynamics_trajectory",
        robot,
        dt,
        resolution,
        theta=start[0],
        dtheta=start[1],
        tau=forces,
        F_tip=F_tip,
    )
    return result


def euler_step(
    robot: PoeRobot, theta: ArrayLike, dtheta: ArrayLike, ddtheta: ArrayLike, dt: float
) -> tuple[Array, Array]:
    """One explicit Euler step: θ + θ̇ dt, θ̇ + θ̈ dt."""
    result: tuple[Array, Array] = _call("euler_step", robot, dt, theta=theta, dtheta=dtheta, ddtheta=ddtheta)
    return result
