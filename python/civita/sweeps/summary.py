"""The means of a sweep's metrics over the seeds and samples of each variant."""

from __future__ import annotations

import functools
import itertools
import json
import math
from typing import Any

import numpy
import pyarrow
import scipy.stats
from numpy.typing import NDArray

from civita import _civita
from civita.sweeps.study import Study

MOST_VARIANTS = 1000


def summarize(study: Study, table: pyarrow.Table, indices: NDArray[numpy.int64]) -> dict[str, Any]:
    """What summary.json holds, in the schema of civita compare's: for each combination of the study's
    lists and ranges, up to MOST_VARIANTS, the mean of each metric over the runs that are done, those
    aside whose robot nothing holds, and where there are several, the ends of its 95 % confidence interval
    (Student's t). `indices` are the numbers of the rows' runs in the study."""
    statuses, reasons = table["status"].to_pylist(), table["reason"].to_pylist()
    others = _others(study)
    metrics = [name for name in table.column_names if name not in others]
    columns = {name: table[name].to_numpy() for name in metrics}
    combinations = list(
        itertools.islice(itertools.product(*(axis.values for axis in study.axes)), MOST_VARIANTS)
    )
    runs_of_each = len(study) // math.prod(len(axis.values) for axis in study.axes)
    ends_of_rows = numpy.searchsorted(indices, runs_of_each * numpy.arange(len(combinations) + 1))
    counts = {status: statuses.count(status) for status in ("done", "failed", "error") if status in statuses}
    text = ", ".join(f"{count} {status}" for status, count in counts.items()) or "none yet"
    counted = [status == "done" and not reason for status, reason in zip(statuses, reasons, strict=True)]
    fell = counts.get("done", 0) - sum(counted)
    ends = [
        "fell" if status == "done" and reason else status
        for status, reason in zip(statuses, reasons, strict=True)
    ]
    if fell > 0:
        text += f"; of those done, {fell} fell, as nothing holds the robot, and count for no mean"
    return {
        "runs": len(study),
        **counts,
        "text": f"{len(study)} runs: {text}",
        "summary": "",
        "units": {name: study.units.get(name, "") for name in metrics},
        "variants": [
            _variant(_name(study, values), counted[first:end], ends[first:end], columns, first)
            for values, (first, end) in zip(combinations, itertools.pairwise(ends_of_rows), strict=True)
        ],
    }


def results_table(summary: dict[str, Any]) -> str:
    """What table.json holds: the summary as the window shows it."""
    variants = summary["variants"]
    metrics = [
        (name, unit, [_estimate(variant, name) for variant in variants])
        for name, unit in summary["units"].items()
    ]
    names = [variant["name"] for variant in variants]
    statuses = [variant["status"] for variant in variants]
    return str(_civita.metric_table(names, statuses, metrics, summary["summary"] or summary["text"]))


def _estimate(variant: dict[str, Any], metric: str) -> tuple[float, float]:
    mean, (low, high) = variant["metrics"][metric], variant["intervals"][metric]
    return math.nan if mean is None else mean, math.nan if low is None else (high - low) / 2


def _others(study: Study) -> set[str]:
    """Columns that are no metrics."""
    return {"run", "seed", "status", "reason", "t_end_s", "wall_s", "config", "civita", "mujoco", *study.keys}


def _name(study: Study, values: Any) -> str:
    """As civita compare names variants: "t:1", "K_D=20", "plain, K_D=20"."""
    parts = [
        x if isinstance(x, str) else f"{axis.key.rpartition('.')[2]}={json.dumps(x)}"
        for axis, x in zip(study.axes, values, strict=True)
    ]
    return ", ".join(parts) or "as the study says"


def _variant(
    name: str,
    counted: list[bool],
    statuses: list[str],
    columns: dict[str, NDArray[numpy.float64]],
    first: int,
) -> dict[str, Any]:
    means: dict[str, float | None] = {}
    intervals: dict[str, list[float | None]] = {}
    for metric, column in columns.items():
        values = column[first : first + len(counted)][counted]
        known = values[numpy.isfinite(values)]
        mean = math.fsum(known) / len(known) if len(known) else None
        means[metric] = mean
        intervals[metric] = [None, None]
        if mean is not None and len(known) > 1:
            variance = math.fsum((known - mean) ** 2) / (len(known) - 1)
            half = _student(len(known) - 1) * math.sqrt(variance / len(known))
            intervals[metric] = [mean - half, mean + half]
    ended = len(statuses)
    status = statuses[0] if ended == 1 else f"{sum(counted)} of {ended} whole"
    return {
        "name": name,
        "ended": ended,
        "done": sum(counted),
        "status": status,
        "metrics": means,
        "intervals": intervals,
    }


@functools.cache
def _student(freedom: int) -> float:
    return float(scipy.stats.t.ppf(0.975, freedom))
