"""python mechanisms.py DIR FIRST COUNT: random mechanisms, a folder with scene.xml and config.yaml each.

Trees of 3 to 20 joints, hinges and now and then a ball joint, with random axes, lengths, masses and
inertias; every second one with a free base, without gravity. The same seed gives the same mechanism.
"""

from __future__ import annotations

import json
import pathlib
import sys
import xml.etree.ElementTree as ET

import numpy as np

import civita


def numbers(values: np.ndarray) -> str:
    return " ".join(f"{x:.6g}" for x in values)


def unit(random: np.random.Generator) -> np.ndarray:
    x = random.normal(size=3)
    return x / np.linalg.norm(x)


def add_link(
    parent: ET.Element,
    name: str,
    position: np.ndarray,
    end: np.ndarray,
    mass: float,
    random: np.random.Generator,
    friction: float,
) -> ET.Element:
    """A slender link from `position` to its end, both relative to the frames of parent and link."""
    body = ET.SubElement(parent, "body", name=name, pos=numbers(position))
    if random.random() < 0.1:
        ET.SubElement(
            body, "joint", name=f"{name}_ball", type="ball", armature=numbers(random.uniform(0.005, 0.03, 1))
        )
    else:
        ET.SubElement(
            body,
            "joint",
            name=f"{name}_hinge",
            axis=numbers(unit(random)),
            armature=numbers(random.uniform(0.005, 0.03, 1)),
        )
    if friction > 0:
        body[-1].set("frictionloss", f"{friction:g}")
    inertia = np.sort(mass * (end @ end) / 12 * random.uniform(0.3, 1, 3))
    inertia[2] = min(inertia[2], 0.95 * (inertia[0] + inertia[1]))  # a rigid body's
    ET.SubElement(
        body,
        "inertial",
        pos=numbers(end / 2 + random.normal(scale=0.02, size=3)),
        mass=numbers([mass]),
        diaginertia=numbers(inertia),
    )
    return body


def write(folder: pathlib.Path, seed: int, friction: float = 0) -> pathlib.Path:
    """The mechanism of a seed, with that dry friction (N·m) in all joints; returns its config."""
    random = np.random.default_rng([seed, 2026])
    count, free = int(random.integers(3, 21)), seed % 2 == 1
    root = ET.Element("mujoco", model=f"random_{seed}")
    ET.SubElement(root, "option", timestep="0.001", gravity="0 0 0" if free else "0 0 -9.81")
    tip: list[tuple[ET.Element, np.ndarray]] = []
    base = ET.SubElement(root, "worldbody")
    if free:
        base = ET.SubElement(base, "body", name="base", pos="0 0 1")
        ET.SubElement(base, "freejoint")
        ET.SubElement(
            base, "inertial", pos="0 0 0", mass=numbers(random.uniform(2, 8, 1)), diaginertia="0.06 0.08 0.05"
        )
    for i in range(count):
        mass = random.uniform(0.5, 3) * (1 - 0.5 * i / count)
        end = random.uniform(0.2, 0.5) * unit(random)
        parent, position = (base, np.zeros(3)) if i == 0 else tip[i - 1]
        if i > 0 and random.random() < 0.25:  # a branch
            parent, position = tip[int(random.integers(0, i))]
        tip.append((add_link(parent, f"link{i}", position, end, mass, random, friction), end))
    velocities = 6 * free + sum(3 if joint.get("type") == "ball" else 1 for joint in root.iter("joint"))
    joints = velocities - 6 * free
    config = {
        "model": "scene.xml",
        "title": f"Random mechanism {seed}, {velocities} velocities",
        "duration_s": 1.5,
        "control": {"mode": "every_stage"},
        "physics": {"timestep_s": 0.001, "contacts": False},
        "gains": {"Lambda": 5, "K_D": 10},
        "reference": {
            "type": "sinusoid",
            "amplitude": [0.1] * 3 * free + [0.3] * 3 * free + [0.4] * joints,
            "frequency_hz": 0.5,
            "phase": [round(float(x), 4) for x in random.uniform(-1, 1, velocities)],
            "fade_s": 0,
        },
    }
    folder = folder / (f"dry_{seed}" if friction > 0 else f"random_{seed}")
    folder.mkdir(parents=True, exist_ok=True)
    ET.indent(root)
    ET.ElementTree(root).write(folder / "scene.xml", encoding="unicode")
    (folder / "config.yaml").write_text(json.dumps(config, indent=1) + "\n", encoding="utf-8")
    return folder / "config.yaml"


def write_limited(folder: pathlib.Path, seed: int, share: float) -> pathlib.Path:
    """The mechanism of a seed whose hinges bear `share` times the largest torque that its reference needs.

    A MuJoCo joint's limit is actuatorfrcrange, which ball joints do not have.
    """
    config = write(folder, seed)
    on_it = {"initial.v_error_prior": "energy", "initial.v_error_size": 1e-6}
    needed = np.abs(civita.run(config, set=on_it, signals=["/tau"], progress=False)["/tau"]).max(axis=0)
    tree = ET.parse(config.with_name("scene.xml"))
    column = 6 * (seed % 2)
    for joint in tree.iter("joint"):
        if joint.get("type") != "ball":
            limit = share * needed[column]
            joint.set("actuatorfrcrange", numbers(np.array([-limit, limit])))
        column += 3 if joint.get("type") == "ball" else 1
    limited = folder / f"limited_{seed}"
    limited.mkdir(exist_ok=True)
    tree.write(limited / "scene.xml", encoding="unicode")
    (limited / "config.yaml").write_text(config.read_text(encoding="utf-8"), encoding="utf-8")
    return limited / "config.yaml"


if __name__ == "__main__":
    target, first, number = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    for one in range(first, first + number):
        print(write(target, one))
