"""python -m civita.bench [MODEL …]: times calls from Python, some of them also in C++. Prints a table in
Markdown.

A MODEL is chainN or treeN with N hinges, default chain7 chain20 tree20, or a URDF file, free:FILE with a
free base. Frames are those with the longest path. Times are the processor's in µs per state, on one core:
the fastest of nine runs.
"""

from __future__ import annotations

import pathlib
import re
import sys
import time
import timeit
from collections.abc import Callable
from typing import Any

import numpy

from civita import _civita

IN_CPP = ["mass_matrix", "coriolis_matrix", "rnea", "rnea_derivatives"]
# Arguments of each call: q, v or v̇, f: the frame.
ROWS = {
    "mass_matrix": "q",
    "coriolis_matrix": "qv",
    "rnea": "qvv",
    "rnea_derivatives": "qvv",
    "coriolis_product_derivatives": "qvv",
    "forward_dynamics": "qvv",
    "forward_dynamics_derivatives": "qvv",
    "constrained_dynamics": "qvv",
    "regressor": "qvvv",
    "frame_pose": "qf",
    "center_of_mass": "q",
    "kinetic_energy": "qv",
    "potential_energy": "q",
    "jacobian": "qf",
    "jacobian_derivative": "qvf",
    "frame_velocity": "qvf",
    "frame_acceleration": "qvvf",
    "frame_velocity_derivatives": "qvf",
    "frame_acceleration_derivatives": "qvvf",
    "centroidal_momentum_matrix": "q",
    "centroidal_momentum_rate_derivatives": "qvv",
}
BATCH = 10_000
# States, of results whose batch would be larger than the caches by far.
LARGE = {"jacobian": 1000, "forward_dynamics_derivatives": 1000, "regressor": 200}
ROUNDS = 4
AXES = numpy.eye(3)
OFFSET = [0.02, -0.1, 0.3]
COM = [0.01, 0.02, 0.15]
INERTIA = numpy.diag([0.03, 0.028, 0.004])
MASS = 1.3


def parents_of(name: str) -> list[int]:
    """The parent of each link of a chain or a binary tree; −1: the world."""
    found = re.fullmatch(r"(chain|tree)([1-9][0-9]{0,2})", name)
    if not found:
        sys.exit(f"civita.bench: {name}: not a model; valid: chainN, treeN, a URDF file, free:FILE")
    count = int(found[2])
    if found[1] == "chain":
        return list(range(-1, count - 1))
    parents: list[int] = []

    def add(place: int, parent: int) -> None:
        """The link at a place of a heap and all below it, depth first, as Pinocchio wants them."""
        if place <= count:
            parents.append(parent)
            link = len(parents) - 1
            add(2 * place, link)
            add(2 * place + 1, link)

    add(1, -1)
    return parents


def own_model(parents: list[int]) -> _civita.Model:
    b = _civita.ModelBuilder()
    for i, parent in enumerate(parents):
        b.add_body(f"link{i}", parent, OFFSET, None, MASS, COM, INERTIA)
        b.add_joint(i, "hinge", f"joint{i}", axis=AXES[i % 3])
    return b.build()


def time_of(call: Callable[[], Any]) -> float:
    """Processor time of a call, µs."""
    timer = timeit.Timer(call, timer=time.process_time)
    number, _ = timer.autorange()
    number = max(1, number // 10)
    return min(timer.repeat(9, number)) / number * 1e6


Calls = dict[str, Callable[[], Any]]


class Case:
    """A model with states, and the frame whose motion is computed."""

    def __init__(self, name: str) -> None:
        self.is_free, self.file = name.startswith("free:"), name.removeprefix("free:")
        self.is_file = pathlib.Path(self.file).is_file()
        self.parents = [] if self.is_file else parents_of(name)
        if self.is_file:
            self.model = _civita.Model.from_file(self.file, base="free" if self.is_free else "fixed")
        else:
            self.model = own_model(self.parents)
        model = self.model
        self.d = _civita.Dynamics(model, threads=1)
        rng = numpy.random.default_rng(1)
        self.V = rng.normal(size=(BATCH, model.nv))
        start = model.default_position
        self.Q = numpy.array([model.integrate_position(start, dq) for dq in rng.normal(size=self.V.shape)])
        self.q, self.v = self.Q[0], self.V[0]

        def size(frame: str) -> int:
            """How many coordinates move it."""
            return int(numpy.count_nonzero(self.d.jacobian(self.q, frame).any(axis=0)))

        self.frame = max(model.body_frames, key=size)
        self.held = _civita.ConstrainedDynamics(model, [{"B": self.frame}], self.q)

    def times(self, row: str) -> list[float | None]:
        """Of a call from Python and in C++, of a state of a batch in both."""
        d, is_in_cpp, is_held = self.d, row in IN_CPP, row == "constrained_dynamics"
        method: Callable[..., Any] = self.held.forward_dynamics if is_held else getattr(d, row)
        count = LARGE.get(row, BATCH)
        one = [{"q": self.q, "v": self.v, "f": self.frame}[each] for each in ROWS[row]]
        many = [{"q": self.Q[:count], "v": self.V[:count], "f": self.frame}[each] for each in ROWS[row]]
        more = {} if is_held or row.endswith("_energy") else {"out": method(*many)}
        # In turn, as the machine's speed changes meanwhile.
        batches = [
            (
                0 if is_held else time_of(lambda: method(*many, **more)) / count,
                _civita.time_in_cpp(d, row, self.Q, self.V)[1] * 1e6 if is_in_cpp else 0,
            )
            for _ in range(ROUNDS)
        ]
        in_python, in_cpp = map(min, zip(*batches, strict=True))
        return [
            time_of(lambda: method(*one)),
            _civita.time_in_cpp(d, row, self.Q[:256], self.V[:256])[0] * 1e6 if is_in_cpp else None,
            in_python or None,
            in_cpp or None,
        ]


def main(peers: dict[str, Callable[[Case], Calls]] | None = None) -> None:
    """Prints the table, with columns of peers' calls by the names of our rows."""
    names = sys.argv[1:] or ["chain7", "chain20", "tree20"]
    if "-h" in names or "--help" in names:
        print(__doc__)
        return
    titles = ["model", "call", "Python", "C++", *(peers or {}), "batch", "batch in C++"]
    print(f"| {' | '.join(titles)} |\n|{'---|' * len(titles)}")
    for name in names:
        case = Case(name)
        calls = [of_peer(case) for of_peer in (peers or {}).values()]
        for row in ROWS:
            times = case.times(row)
            times[2:2] = [time_of(each[row]) if row in each else None for each in calls]
            cells = " | ".join("–" if time is None else f"{time:.2f}" for time in times)
            print(f"| {pathlib.Path(case.file).stem} | `{row}` | {cells} |", flush=True)


if __name__ == "__main__":
    main()
