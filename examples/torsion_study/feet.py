"""Pushed robots on their feet: whether they survive, and how far they tilt by the error equations."""

from __future__ import annotations

import math
import pathlib
from typing import Any

import distributed
import numpy as np
import pandas
import yaml

import civita

FACTORIZATION = "controller.factorization"
PUSHED_S = 0.5  # when the robot has settled


def store_survival(
    study: dict[str, Any], folder: pathlib.Path, client: distributed.Client
) -> pandas.DataFrame:
    """The trials of civita.survive, the same pushes for each C, as far as the folder has no table of them."""
    file = folder / "table.parquet"
    if file.exists():
        return pandas.read_parquet(file)
    forms, rows = study["vary"][FACTORIZATION], []
    for push in study["push"][study["scene"]]:
        trials = {
            "trials": study["seeds"],
            "seed": study["first_seed"],
            "set": study["set"],
            "progress": False,
        }
        found = civita.survive(study["scene"], push, vary=study["vary"], **trials).attrs["trials"]
        for i, trial in enumerate(found):
            kept = {key: trial[key] for key in ("seed", "survived", "peak_tilt_rad")}
            rows.append({FACTORIZATION: forms[i // study["seeds"]], "push": push, **kept})
    return keep(rows, file)


def keep(rows: list[dict[str, Any]], file: pathlib.Path) -> pandas.DataFrame:
    table = pandas.DataFrame(rows).assign(status="done", config="")
    file.parent.mkdir(parents=True, exist_ok=True)
    table.to_parquet(file)
    return table


def pushed(scene: str, C: str, impulse: np.ndarray, settings: dict[str, Any]) -> civita.Run:
    """A stand of 1.5 s that is pushed for 0.1 s from PUSHED_S on."""
    push = {
        "start_s": PUSHED_S,
        "shape": "half_sine",
        "duration_s": 0.1,
        "impulse_Ns": [*impulse.tolist(), 0.0],
    }
    signals = ["/q", "/v", "/s", "/e", "/law/contact", "/law/unmet/force", "/law/zmp_shift"]
    settings = {**settings, FACTORIZATION: C, "pushes": [push]}
    return civita.run(scene, 1.5, set=settings, signals=signals, progress=False)


def follow(run: civita.Run, model: civita.Model, C: str, config: dict[str, Any]) -> np.ndarray:
    """What a torsion adds to the attitude's error in a run without one: H δṡ = −(C + K_D) δs − K s + Jᵀλ and
    J δs = 0 of the feet that stand, δė = −Λ δe + δs, in steps that are implicit in δs."""
    free, other = civita.Dynamics(model), civita.Dynamics(model, factorization=C)
    q, v, s, dt = run["/q"], run["/v"], run["/s"], run.dt
    K_D, Lambda, feet = config["gains"]["K_D"], config["gains"]["Lambda"], config["legs"]["feet"]
    ds, de, course = np.zeros(model.nv), np.zeros(model.nv), np.zeros((len(q), 2))
    for k in range(np.searchsorted(run.t, PUSHED_S), len(q)):
        at = v[k] + ds - Lambda * de
        H, C_LC = free.coriolis_matrix(q[k], at)
        K = other.coriolis_matrix(q[k], at)[1] - C_LC
        standing = [foot for foot, stands in zip(feet, run["/law/contact"][k], strict=True) if stands > 0.5]
        J = np.vstack([free.jacobian(q[k], foot)[3:] for foot in standing])
        A = C_LC + K + K_D * H
        system = np.block([[H + dt * A, -J.T], [J, -1e-9 * np.eye(len(J))]])
        ds = np.linalg.solve(system, np.concatenate([H @ ds - dt * (K @ s[k]), np.zeros(len(J))]))[: model.nv]
        de = de + dt * (ds - Lambda * de)
        course[k] = de[3:5]
    return course


def largest_of(run: civita.Run, tilt: np.ndarray) -> float:
    return float(np.linalg.norm(tilt[run.t >= PUSHED_S], axis=1).max())


def compare(scene: str, forms: list[str], impulse: float, seed: int, settings: dict[str, Any]) -> list[dict]:
    """Largest tilts under one push beside those of the torsion-free C, as measured and as predicted."""
    angle = np.random.default_rng(seed).uniform(0, 2 * math.pi)
    along = impulse * np.array([math.cos(angle), math.sin(angle)])
    free = pushed(scene, "christoffel", along, settings)
    config = yaml.safe_load(free.config)
    model = civita.Model.from_file(config["model"])
    largest = largest_of(free, free["/e"][:, 3:5])
    rows = []
    for C in forms:
        measured = largest_of(free, pushed(scene, C, along, settings)["/e"][:, 3:5])
        predicted = largest_of(free, free["/e"][:, 3:5] + follow(free, model, C, config))
        row = {FACTORIZATION: C, "impulse": impulse, "seed": seed, "ratio": measured / largest}
        given = free["/law/zmp_shift"].max() < 1e-6 and free["/law/unmet/force"].max() < 1
        rows.append({**row, "predicted": predicted / largest, "given": given})
    return rows


def store_tilts(study: dict[str, Any], folder: pathlib.Path, client: distributed.Client) -> pandas.DataFrame:
    file = folder / "table.parquet"
    if file.exists():
        return pandas.read_parquet(file)
    calls = [
        client.submit(compare, study["scene"], study["vary"][FACTORIZATION], impulse, seed, study["set"])
        for impulse in study["impulses"]
        for seed in range(study["first_seed"], study["first_seed"] + study["seeds"])
    ]
    return keep([row for rows in client.gather(calls) for row in rows], file)
