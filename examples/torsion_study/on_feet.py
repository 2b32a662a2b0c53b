"""The numbers of the page about pushes of robots on their feet."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import pandas
import statistics_by_mechanism as statistics
from scipy import stats


def holm(ps: list[float]) -> list[float]:
    """p of several comparisons, corrected for their number (S. Holm, Scand. J. Stat. 6, 1979)."""
    ranks = np.argsort(np.argsort(ps, kind="stable"), kind="stable")
    largest = np.maximum.accumulate([min(1.0, (len(ps) - i) * p) for i, p in enumerate(sorted(ps))])
    return [float(largest[rank]) for rank in ranks]


def pushes(table: pandas.DataFrame, folder: pathlib.Path) -> dict[str, Any]:
    """S: survival and largest tilt; the trial is the unit, the same pushes for each C."""
    del folder
    cells, ps = [], []
    for (scene, push), part in table.groupby(["mechanism", "push"], sort=False):
        wide = part.pivot(index="seed", columns="C", values=["survived", "peak_tilt_rad"])
        free = wide.xs("christoffel", level="C", axis=1)
        for C in part["C"].unique():
            own = wide.xs(C, level="C", axis=1)
            begin = f"| `{scene}`, {push:.0%} | `{C}` | {int(own['survived'].sum())} of {len(own)} |"
            if C == "christoffel":
                cells.append((begin, ""))
                continue
            only, other = ((a["survived"] > b["survived"]).sum() for a, b in ((own, free), (free, own)))
            logs = np.log((own["peak_tilt_rad"] / free["peak_tilt_rad"]).astype(float))
            ps.append(float(stats.binomtest(int(only), int(only + other)).pvalue) if only + other else 1.0)
            ps.append(float(stats.ttest_1samp(logs, 0).pvalue))
            cells.append((begin, "{:.3f} ({:.3f} … {:.3f})".format(*statistics.t_interval(logs))))
    corrected = iter(holm(ps))
    rows = [
        f"{begin} {next(corrected):.2g} | {tilt} | {next(corrected):.2g} |" if tilt else f"{begin} | | |"
        for begin, tilt in cells
    ]
    return {"trials": table["seed"].nunique(), "comparisons": len(ps), "rows": "\n".join(rows)}


def stands(table: pandas.DataFrame, folder: pathlib.Path) -> dict[str, Any]:
    """Z: what the error equations in the null space of the contacts tell of the largest tilt."""
    del folder
    rows = []
    for given, name in ((True, "the feet gave all"), (False, "they did not")):
        part = table[table["given"] == given]
        measured, predicted = np.log(part["ratio"]), np.log(part["predicted"])
        cells = [
            name,
            str(len(part)),
            f"{statistics.r_squared(measured, predicted):.4f}",
            f"{statistics.slope(measured, predicted):.3f}",
            f"{statistics.median_error(measured, predicted):.4%}",
            f"{measured.abs().max():.1%}",
        ]
        rows.append(f"| {' | '.join(cells)} |")
    return {"directions": table["seed"].nunique(), "rows": "\n".join(rows)}
