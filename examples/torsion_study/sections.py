"""The numbers of the page, by experiment, from its table; each draws its figures into the folder, too."""

from __future__ import annotations

import operator
import pathlib
from collections.abc import Callable
from typing import Any, NamedTuple

import figures
import numpy as np
import on_feet
import pandas
import statistics_by_mechanism as statistics


def counted(table: pandas.DataFrame) -> str:
    return f"{len(table)} runs of {table['mechanism'].nunique()} mechanisms"


def number(x: float, form: str) -> str:
    return f"{x:{form}}" if np.isfinite(x) else "–"


def with_interval(table: pandas.DataFrame, statistic: statistics.Statistic, by: str, form: str) -> str:
    value, low, high = statistics.interval(
        statistic, np.log(table["ratio"]), np.log(table[by]), table["mechanism"]
    )
    return f"{number(value, form)} ({number(low, form)} … {number(high, form)})"


HEAD = (
    "mechanisms",
    "ratios",
    "change > 5 %",
    "R² of the log ratio",
    "slope",
    "median error",
    'of "nothing changes"',
    "sign right where the change is > 1 %",
    "said < 1 %, measured > 2 %",
    "said < 1 % where the change is < 1 %",
)


def told_row(name: str, table: pandas.DataFrame, by: str) -> str:
    """How well the column `by` predicted the ratio, as a row of a table of the page."""
    measured, predicted = np.log(table["ratio"]), np.log(table[by])
    cells = [
        f"{name}: {counted(table)}",
        f"{table['ratio'].min():.2f} … {table['ratio'].max():.2f}",
        f"{(measured.abs() > np.log(1.05)).mean():.0%}",
        with_interval(table, statistics.r_squared, by, ".4f"),
        with_interval(table, statistics.slope, by, ".3f"),
        f"{statistics.median_error(measured, predicted):.2%}",
        f"{measured.abs().median():.2%}",
        number(statistics.right_sign(measured, predicted), ".1%"),
        number(statistics.missed(measured, predicted), ".1%"),
        number(statistics.said_alike(measured, predicted), ".0%"),
    ]
    return f"| {' | '.join(cells)} |"


def told_rows(parts: list[tuple[str, pandas.DataFrame]], by: str = "predicted") -> str:
    return "\n".join(told_row(name, rows, by) for name, rows in parts if len(rows))


# Of the 20 mechanisms that were drawn afterwards, errors of 0.1 rad/s: the criterion, its statistic,
# how it is written, and whether a value meets it.
CRITERIA: list[tuple[str, statistics.Statistic, str, Callable[[float], bool]]] = [
    ("R² of the log ratio ≥ 0.95", statistics.r_squared, ".4f", lambda x: x >= 0.95),
    ("slope 0.95 … 1.05", statistics.slope, ".3f", lambda x: 0.95 <= x <= 1.05),
    ("median error ≤ 1/5 of that of “nothing changes”", statistics.error_share, ".3f", lambda x: x <= 0.2),
    (
        "sign right in ≥ 95 % of the runs that change by > 1 %",
        statistics.right_sign,
        ".1%",
        lambda x: x >= 0.95,
    ),
    ("said < 1 %, measured > 2 %: ≤ 2 % of all runs", statistics.missed, ".1%", lambda x: x <= 0.02),
    (
        "said < 1 % of ≥ half of the runs that change by < 1 %",
        statistics.said_alike,
        ".0%",
        lambda x: x >= 0.5,
    ),
]


def criteria(table: pandas.DataFrame) -> str:
    rows = []
    for name, statistic, form, is_met in CRITERIA:
        value = statistic(np.log(table["ratio"].to_numpy()), np.log(table["predicted"].to_numpy()))
        text = with_interval(table, statistic, "predicted", form)
        rows.append(f"| {name} | {text} | {'yes' if is_met(value) else 'no'} |")
    return "\n".join(rows)


def kinds(table: pandas.DataFrame) -> list[tuple[str, pandas.DataFrame]]:
    is_random = table["mechanism"].str.startswith("random_")
    return [("random", table[is_random]), ("scenes", table[~is_random])]


def equivalence_text(table: pandas.DataFrame) -> str:
    mean, bound = statistics.equivalence(np.log(table["ratio"]), table["mechanism"])
    return (
        f"{number(mean, '+.2%')}, and the two one-sided tests at 5 % hold it within ±{number(bound, '.2%')}"
    )


def size_of(logs: pandas.Series) -> str:
    """The largest, of numbers that should be 0."""
    largest = logs.abs().max()
    return f"{largest:.1e}" if largest > 0 else "0"


def throws(table: pandas.DataFrame, folder: pathlib.Path) -> dict[str, Any]:
    """A: the error after a velocity error."""
    turning = table[table["mechanism"] != "planar_2r"]
    planar = table[table["mechanism"] == "planar_2r"]
    parts = [(kind, size, rows) for kind, of in kinds(turning) for size, rows in of.groupby("size")]
    small = turning[turning["size"] == turning["size"].min()]
    drawn = dict(kinds(small))["random"]
    drawn = drawn if len(drawn) else small  # the smallest size has none
    said_alike = small[np.abs(np.log(small["predicted"])) < np.log(1.01)]
    of_one = turning[turning["C"] == "t:1"]
    means = {prior: f"{np.exp(np.log(rows['ratio']).mean()):.3f}" for prior, rows in of_one.groupby("prior")}
    worst = small.assign(off=np.abs(np.log(small["ratio"] / small["predicted"]))).nlargest(3, "off")
    own = [statistics.r_squared(np.log(r["ratio"]), np.log(r["own_motion"])) for _, _, r in parts]
    figures.predicted_and_measured(turning, folder / "throws.svg")
    figures.priors(small[small["C"] == "t:1"], folder / "priors.svg")
    return {
        "counted": counted(table),
        "forms": ", ".join(f"`{form}`" for form in sorted(table["C"].unique())),
        "rows": told_rows([(f"{kind}, {size:g} rad/s", rows) for kind, size, rows in parts]),
        "drawn": counted(drawn),
        "criteria": criteria(drawn),
        "own_r2": f"{np.floor(1e4 * min(own)) / 1e4:.4f}",
        "own_largest": f"{np.expm1(np.abs(np.log(turning['ratio'] / turning['own_motion'])).max()):.2%}",
        "alike": counted(said_alike),
        "alike_test": equivalence_text(said_alike),
        "worst": "; ".join(
            f"`{row.mechanism}`, `{row.C}`, `{row.prior}`: {row.ratio:.3f}, predicted {row.predicted:.3f}"
            for row in worst.itertuples()
        ),
        "ranks": ", ".join(
            f"{number(small[by].corr(np.log(small['ratio']).abs(), method='spearman'), '.2f')} with {name}"
            for by, name in (("omega_F", "ω_F"), ("eta", "η"))
        ),
        "planar": size_of(np.log(planar["ratio"])),
        **means,
    }


def positions(table: pandas.DataFrame, folder: pathlib.Path) -> dict[str, Any]:
    """P: starts off the reference."""
    del folder
    on_it = table["predicted"].isna()
    alike = ", ".join(f"`{name}`" for name in dict.fromkeys(table[on_it]["mechanism"]))
    table = table[~on_it]
    parts = [
        (f"{kind}, ‖e(0)‖ {of['e_start'].min():.2g} … {of['e_start'].max():.2g}, × {share:g}", of)
        for share, part in sorted(table.groupby(table["condition"].fillna(1)), reverse=True)
        for kind, of in kinds(part)
    ]
    own = np.abs(np.log(table["ratio"] / table["own_motion"]))
    return {
        "counted": counted(table),
        "on_it": alike,
        "rows": told_rows(parts),
        "own_largest": f"{np.expm1(own.max()):.2%}",
    }


def controls(table: pandas.DataFrame, folder: pathlib.Path) -> dict[str, Any]:
    """N: what must not change anything."""
    del folder
    zero = table[table["C"] != "t:1"]
    steps = table[table["C"] == "t:1"].pivot(index="mechanism", columns="timestep_s", values="ratio")
    change = np.abs(np.log(steps.iloc[:, 0] / steps.iloc[:, 1]))
    return {
        "zero_runs": len(zero),
        "zero": size_of(np.log(zero["ratio"])),
        "mechanisms": len(change),
        "step": size_of(change),
        "step_of": change.idxmax(),
    }


class Uniform(NamedTuple):
    """A body in uniform motion, with H = 1."""

    name: str
    Lambda: float  # 1/s
    frame: float  # rad/s, at which errors without torsion turn in the coordinates of the disturbance


# A ball joint's coordinates turn with the body at 1 rad/s, C_LC is half of that: C(v) w = ½ v × w.
UNIFORM = {
    "point_mass_uniform": Uniform("point", 4, 0),
    "ball_joint_uniform": Uniform("ball", 400, 0.5),
}


def turned(form: str) -> float:
    return -float(form.removeprefix("joint:"))


def response(f: np.ndarray, omega: np.ndarray, k: np.ndarray) -> np.ndarray:
    """Of a linearly polarised disturbance of frequency f (rad/s) in the plane that turns, against Ω = 0."""
    here = k**2 + f**2
    return np.sqrt(0.5 * (here / (k**2 + (f + omega) ** 2) + here / (k**2 + (f - omega) ** 2)))


def peak(f: pandas.Series, s: pandas.Series) -> float:
    """Where the parabola through the largest s and its neighbours, in logarithms, is largest."""
    order = np.argsort(f.to_numpy())
    x, y = np.log(f.to_numpy()[order]), np.log(s.to_numpy()[order])
    i = int(np.clip(y.argmax(), 1, len(y) - 2))
    a, b, _ = np.polyfit(x[i - 1 : i + 2] - x[i], y[i - 1 : i + 2], 2)
    return float(np.exp(x[i] - b / (2 * a)))


def frequencies(table: pandas.DataFrame, folder: pathlib.Path) -> dict[str, Any]:
    """C: the answers of a point mass and of a ball joint to a lateral sine."""
    f, uniform = 2 * np.pi * table["frequency_hz"], table["mechanism"].map(UNIFORM)
    frame, Lambda = (uniform.map(operator.attrgetter(name)) for name in ("frame", "Lambda"))
    omega = np.abs(table["C"].map(turned) - frame)
    table = table.assign(f=f, omega=omega)
    table["predicted"] = response(f, omega, table["K_D"]) / response(f, frame, table["K_D"])
    # s answers as e does times |jf + Λ|.
    table["s"] = table["error_rms_after_2s"] * np.hypot(f, Lambda)
    told = {}
    for mechanism, runs in table.groupby("mechanism"):
        errors = np.abs(np.log(runs["ratio"] / runs["predicted"]))
        off, cases = 0.0, 0
        for (turning, k), rows in runs.groupby(["omega", "K_D"]):
            root = np.hypot(k, turning)
            if turning > 1.18 * k:  # there the peak is within 5 % of ω; below it is flat, then none
                expected = np.sqrt(root * (2 * turning - root))
                cases, off = cases + 1, max(off, abs(np.log(peak(rows["f"], rows["s"]) / expected)))
        name = UNIFORM[mechanism].name
        figures.frequencies(runs, folder / f"frequencies_{name}.svg")
        told |= {
            f"{name}_runs": len(runs),
            f"{name}_median": f"{errors.median():.1%}",
            f"{name}_largest": f"{errors.max():.1%}",
            f"{name}_peaks": cases,
            f"{name}_peak_error": f"{off:.1%}",
        }
    return told


def limits(table: pandas.DataFrame, folder: pathlib.Path) -> dict[str, Any]:
    """D: the largest stable multiple of t:1, held and late."""
    grow_anyway = table["grows"] == 0
    bounded = table[~grow_anyway & np.isfinite(table["grows"])]
    measured = np.sqrt(bounded["stable"] * bounded["grows"])
    linear, closed = np.log(bounded["predicted"] / measured), np.log(bounded["closed"] / measured)
    near = (linear.abs() <= np.log(1.15)).groupby(bounded["mechanism"]).mean()
    rough = (closed.abs() <= np.log(1.5)).groupby(bounded["mechanism"]).mean()
    figures.limits(bounded.assign(measured=measured), folder / "limits.svg")
    rows = []
    for (rate, delay), part in bounded.groupby(["rate_hz", "delay_s"]):
        off = linear[part.index].abs()
        cells = [
            f"{rate:g} Hz, {1000 * delay:g} ms",
            len(part),
            f"{measured[part.index].median():.1f}",
            f"{np.expm1(off.median()):.1%}",
            f"{(off <= np.log(1.15)).mean():.0%}",
            f"{np.exp(closed[part.index].abs().median()):.2f}",
            f"{(closed[part.index].abs() <= np.log(1.5)).mean():.0%}",
        ]
        rows.append(f"| {' | '.join(map(str, cells))} |")
    return {
        "cases": len(table),
        "mechanisms": table["mechanism"].nunique(),
        "trials": int(table["trials"].sum()),
        "grow_anyway": int(grow_anyway.sum()),
        "which": ", ".join(
            f"`{row.mechanism}` at {row.rate_hz:g} Hz, {1000 * row.delay_s:g} ms"
            for row in table[grow_anyway].itertuples()
        ),
        "near_all": f"{(linear.abs() <= np.log(1.15)).sum() / len(table):.0%}",
        "never": int((~np.isfinite(table["grows"])).sum()),
        "bounded": len(bounded),
        "rows": "\n".join(rows),
        "near": share_text(near),
        "near_met": "met" if (linear.abs() <= np.log(1.15)).mean() >= 0.9 else "not met",
        "rough": share_text(rough),
        "rough_met": "met" if (closed.abs() <= np.log(1.5)).mean() >= 0.8 else "not met",
        "worst": "; ".join(
            f"`{row.mechanism}` at {row.rate_hz:g} Hz, {1000 * row.delay_s:g} ms: {measured[row.Index]:.3g}, "
            f"predicted {row.predicted:.3g}"
            for row in bounded.loc[linear.abs().nlargest(3).index].itertuples()
        ),
    }


def share_text(by_mechanism: pandas.Series) -> str:
    """A share of cases, alike many of each mechanism, with its bootstrap interval."""
    values = by_mechanism.to_numpy()
    value, low, high = statistics.interval(
        lambda y, _: float(y.mean()),
        pandas.Series(values),
        pandas.Series(values),
        pandas.Series(by_mechanism.index),
    )
    return f"{value:.0%} ({low:.0%} … {high:.0%})"


def masses(table: pandas.DataFrame, folder: pathlib.Path) -> dict[str, Any]:
    """B: plants with other masses."""
    del folder
    turning = table[table["mechanism"] != "planar_2r"]
    parts = [
        (f"{kind}, each body ± {error:.0%}" if error else f"{kind}, all × 1.1", of)
        for error, part in turning.groupby("mass_error")
        for kind, of in kinds(part)
    ]
    worst = turning.assign(off=np.abs(np.log(turning["ratio"] / turning["predicted"]))).nlargest(4, "off")
    size = turning["error_rms_after_2s_free"]
    each = turning["mass_error"] > 0
    middle = size[each].median()
    return {
        "counted": counted(table),
        "rows": told_rows(parts),
        "worst": ratio_list(worst),
        "middle": f"{middle:.2f}",
        "largest": f"{size.max():.2f}",
        "halves": told_rows(
            [
                ("below the median", turning[each & (size <= middle)]),
                ("above it", turning[each & (size > middle)]),
            ]
        ),
    }


def ratio_list(table: pandas.DataFrame) -> str:
    return "; ".join(
        f"`{row.mechanism}`, `{row.C}`: {row.ratio:.3f}, predicted {row.predicted:.3f}"
        for row in table.itertuples()
    )


def spread(ratios: pandas.Series) -> str:
    return f"{np.exp(np.log(ratios).mean()):.3f} ({ratios.min():.2f} … {ratios.max():.2f})"


def measurements(table: pandas.DataFrame, folder: pathlib.Path) -> dict[str, Any]:
    """E: noise of the velocities, and encoders."""
    del folder
    error = "error_rms_after_2s"
    squares = table.assign(own=table[error] ** 2, free=table[f"{error}_free"] ** 2)
    # Of all seeds, and the error of holding alone, which is there without noise, too, taken away.
    mean = squares.groupby(["condition", "mechanism", "C"])[["own", "free", "predicted"]].mean()
    made = mean.loc["noise"] - mean.loc["exact"]
    noise = mean.loc["noise"].assign(ratio=np.sqrt(made["own"] / made["free"])).dropna().reset_index()
    encoders = table[table["condition"] == "encoders"]
    rates = table[table["condition"] == "noise"]
    coarse = encoders[error] / encoders[f"{error}_free"]
    rows = []
    for C, part in noise.groupby("C"):
        here = encoders["C"] == C
        cells = [
            f"`{C}`",
            spread(part["ratio"]),
            spread(rates[rates["C"] == C]["torque_rate_ratio"]),
            spread(coarse[here]),
            spread(encoders[here]["torque_rate_ratio"]),
        ]
        rows.append(f"| {' | '.join(cells)} |")
    seeds = rates["seed"].nunique()
    pairs = {name: set(zip(of["mechanism"], of["C"], strict=True)) for name, of in table.groupby("condition")}
    failed = sorted(pairs["exact"] - pairs["encoders"])
    return {
        "counted": counted(table),
        "seeds": f"{seeds} seeds" if seeds > 1 else "one seed",
        "failed": ", ".join(f"`{mechanism}` with `{C}`" for mechanism, C in failed) or "none",
        "told": told_rows(kinds(noise)),
        "rows": "\n".join(rows),
    }


def feet(table: pandas.DataFrame, folder: pathlib.Path) -> dict[str, Any]:
    """G: robots on their feet; the seed is the unit, of each scene by itself."""
    del folder
    rows = []
    for (scene, C), part in table.groupby(["mechanism", "C"]):
        cells = [
            f"`{scene}`, `{C}`",
            str(len(part)),
            "{:.3f} ({:.3f} … {:.3f})".format(*statistics.t_interval(np.log(part["ratio"]))),
            f"{part['ratio'].min():.2f} … {part['ratio'].max():.2f}",
            spread(part["tilt_rms_rad_ratio"]),
            spread(part["torque_rms_ratio"]),
        ]
        rows.append(f"| {' | '.join(cells)} |")
    return {"runs": len(table), "rows": "\n".join(rows)}


WAYS = ("christoffel", "t:1", "t:-1", "t:-3", "G", "two-form")


def gains(table: pandas.DataFrame, folder: pathlib.Path) -> dict[str, Any]:
    """F: the slowest error's rate of decay with gains that are not a multiple of H."""
    del folder
    whole = table.groupby("mechanism")["way"].transform("nunique") == len(WAYS)
    table, rows = table[whole], []
    for name, part in table.groupby("mechanism", sort=False):
        by_way = part.set_index("way")
        cells = [f"`{name}`", *(f"{by_way.loc[way, 'rate']:.2f}" for way in WAYS)]
        first = by_way.loc[WAYS[0]]
        rows.append(f"| {' | '.join(cells)} | {first['least']:.2f}, {first['mean']:.1f} |")
    off = np.abs(np.log(table["predicted"] / table["rate"])).dropna()
    rates = table.pivot(index="mechanism", columns="way", values="rate")
    against = rates[list(WAYS[1:])].div(rates["christoffel"], axis=0)
    return {
        "mechanisms": table["mechanism"].nunique(),
        "rows": "\n".join(rows),
        "cases": len(off),
        "median": f"{off.median():.2%}",
        "largest": f"{np.expm1(off.max()):.1%}",
        "torsion": spread(against[["t:1", "t:-1", "t:-3"]].stack()),
        "slower": int((against[["t:1", "t:-1", "t:-3"]] < 1).sum().sum()),
        "of": 3 * len(against),
        "G": spread(against["G"]),
        "two": spread(against["two-form"]),
    }


STEPS = 1500  # of a throw


def friction(table: pandas.DataFrame, folder: pathlib.Path) -> dict[str, Any]:
    """H: throws of mechanisms with dry friction."""
    del folder
    shares = {
        size: np.abs(np.log(rows["ratio"])).mean() / np.abs(np.log(rows["predicted"])).mean()
        for size, rows in table.groupby("size")
    }
    return {
        "counted": counted(table),
        "rows": told_rows([(f"{size:g} rad/s", rows) for size, rows in table.groupby("size")]),
        "small": f"{shares[min(shares)]:.0%}",
        "large": f"{shares[max(shares)]:.0%}",
    }


def torque_limits(table: pandas.DataFrame, folder: pathlib.Path) -> dict[str, Any]:
    """T: throws of mechanisms whose torques are limited."""
    del folder
    fails = table["ratio"].isna()
    by_C = table.groupby("C")
    free = by_C["error_rms_free"].apply(lambda errors: errors.isna().sum()).iloc[0]
    own = by_C["error_rms"].apply(lambda errors: errors.isna().sum())
    failed = [f"{free} of {by_C.size().iloc[0]} with `christoffel`"]
    failed += [f"{number} with `{C}`" for C, number in own.items()]
    table = table[~fails]
    table = table.assign(cut=table["saturated_steps"] > 0)
    cut = table[table["cut"]]
    return {
        "counted": counted(table),
        "failed": ", ".join(failed),
        "cut": len(cut),
        "rows": told_rows(
            [
                (f"{size:g} rad/s, {kind}", rows)
                for (size, is_cut), rows in table.groupby(["size", "cut"])
                for kind in ("cut by limits" if is_cut else "never at a limit",)
            ]
        ),
        "steps": f"{cut['saturated_steps'].median() / STEPS:.0%}",
    }


SECTIONS: dict[str, Callable[[pandas.DataFrame, pathlib.Path], dict[str, Any]]] = {
    "A": throws,
    "P": positions,
    "N": controls,
    "C": frequencies,
    "D": limits,
    "B": masses,
    "E": measurements,
    "H": friction,
    "T": torque_limits,
    "F": gains,
    "G": feet,
    "S": on_feet.pushes,
    "Z": on_feet.stands,
}
