"""The largest stable multiple of a torsion, measured by runs, beside what is predicted of it."""

from __future__ import annotations

import itertools
import math
import pathlib
from typing import Any

import distributed
import pandas

import civita


def measure(scene: str, settings: dict[str, Any]) -> dict[str, float]:
    """Of t:1. `predicted` is by the discrete error equations, `closed` the closed first line."""
    advice = civita.advise(scene, factorization="t:1", set=settings, remedies=False, measure_limit=True)
    limit = advice.measured_limit
    assert limit is not None
    return {
        "stable": limit.stable,
        "grows": limit.grows,
        "predicted": limit.predicted,
        "closed": advice.closed_forms.largest_factor if advice.closed_forms else math.nan,
        "omega_2": advice.rates.omega_2,
        "trials": limit.runs,
    }


def store(study: dict[str, Any], folder: pathlib.Path, client: distributed.Client) -> pandas.DataFrame:
    """Measures each combination of what is varied that is not in the folder's table yet."""
    file, keys = folder / "table.parquet", list(study["vary"])
    fixed = {**study["set"], "duration_s": study["duration_s"]}
    table = pandas.read_parquet(file) if file.exists() else pandas.DataFrame(columns=keys)
    known = set(table[keys].astype(float).itertuples(index=False, name=None))
    for values in itertools.product(*study["vary"].values()):
        if tuple(map(float, values)) in known:
            continue
        varied = dict(zip(keys, map(float, values), strict=True))
        found = client.submit(measure, study["scene"], {**fixed, **varied}, pure=False).result()
        row = pandas.DataFrame([{**varied, **found, "status": "done", "config": ""}])
        table = row if table.empty else pandas.concat([table, row], ignore_index=True)
        folder.mkdir(parents=True, exist_ok=True)
        table.to_parquet(file)
    return table
