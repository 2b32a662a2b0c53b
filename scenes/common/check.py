#!/usr/bin/env python3
"""Compiles every scene and prints what its README states: degrees of freedom, mass, the condition
number of the mass matrix at `home`, how far each inertia is from the edge of the triangle
inequality, and whether two seconds without control stay finite.

Needs MuJoCo's Python package (pip install mujoco numpy). Exit code 1 if a scene fails.
"""

import pathlib
import sys

import mujoco
import numpy as np

SCENES = pathlib.Path(__file__).resolve().parent.parent


def LeastTriangleMargin(model):
    """min over bodies of (A + B - C) / C for principal inertias A <= B <= C; 0 is the edge."""
    principal = np.sort(model.body_inertia[model.body_mass > 0], axis=1)
    return np.min((principal[:, 0] + principal[:, 1] - principal[:, 2]) / principal[:, 2])


def StaysFinite(model, data, seconds):
    mujoco.mj_resetDataKeyframe(model, data, model.key("home").id)
    for _ in range(round(seconds / model.opt.timestep)):
        mujoco.mj_step(model, data)
    return (np.isfinite(data.qpos).all() and np.isfinite(data.qvel).all()
            and not any(warning.number for warning in data.warning))


def Check(path):
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, model.key("home").id)
    mujoco.mj_forward(model, data)
    mass_matrix = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, mass_matrix)
    margin = LeastTriangleMargin(model)
    eigenvalues = np.linalg.eigvalsh(mass_matrix)
    finite = StaysFinite(model, data, 2.0)
    speed = np.abs(data.qvel).max()
    passed = finite and margin >= 0 and eigenvalues[0] > 0
    print(f"{path.parent.name:12} nv {model.nv:2d}  nu {model.nu}  bodies {model.nbody - 1:2d}  "
          f"mass {model.body_mass.sum():8.4f} kg  "
          f"eig(H) {eigenvalues[0]:.4f}..{eigenvalues[-1]:.4f}  "
          f"cond(H) {eigenvalues[-1] / eigenvalues[0]:7.2f}  triangle {margin:.2g}  "
          f"largest speed at 2 s {speed:.2f}  {'pass' if passed else 'FAIL'}")
    return passed


def main():
    print(f"MuJoCo {mujoco.__version__}")
    results = [Check(path) for path in sorted(SCENES.glob("*/scene.xml"))]
    return 0 if results and all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
