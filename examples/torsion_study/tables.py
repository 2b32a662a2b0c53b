"""What is kept of the runs: a table of ratios an experiment, which numbers, figures and page are made of."""

from __future__ import annotations

import math
import pathlib
import sys

import pandas
from predictions import ANSWERS, FACTORIZATION, NAME, TORSION_FREE

# Columns by the keys that were varied.
NAMES = {
    FACTORIZATION: "C",
    "gains.K_D": "K_D",
    "initial.v_error_prior": "prior",
    "initial.v_error_size": "size",
    "initial.v_error_seed": "start",
    "physics.timestep_s": "timestep_s",
    "pushes.0.frequency_hz": "frequency_hz",
    "plant.mass_error": "mass_error",
    "control.rate_hz": "rate_hz",
    "control.delay_s": "delay_s",
}


WITH_FAILED = ("T",)  # whose failed runs are counted; they have no ratio


def read(out: pathlib.Path, letter: str) -> pandas.DataFrame:
    """All runs of an experiment that are done, with mechanism, speed and condition and what was predicted."""
    tables = []
    for file in sorted((out / letter).glob("*/table.parquet")):
        table = pandas.read_parquet(file).drop(columns=["config"])
        predicted = file.with_name(NAME)
        if letter in ANSWERS:
            if not predicted.exists():  # study.py was stopped before it
                continue
            table = table.merge(pandas.read_parquet(predicted), on="run", how="left")
        mechanism, _, rest = file.parent.name.rpartition("@")
        speed, _, condition = rest.partition("_")
        tables.append(table.assign(mechanism=mechanism, speed=float(speed), condition=condition))
    if not tables:
        sys.exit(f"report.py: {out / letter} has no runs; study.py makes them")
    table = pandas.concat(tables, ignore_index=True)
    if letter in WITH_FAILED:
        return table
    return table[table["status"] == "done"]


def with_ratios(table: pandas.DataFrame, metrics: list[str]) -> pandas.DataFrame:
    """Runs with another C, each with the ratios of its metrics to those of its torsion-free twin.

    `ratio` is that of the first, `<metric>_ratio` that of others.
    """
    same = [key for key in table.columns if key in ("mechanism", "speed", "condition", "seed") or "." in key]
    same.remove(FACTORIZATION)
    table = table.copy()
    table.loc[table["status"] != "done", metrics] = math.nan
    free = table[table[FACTORIZATION] == TORSION_FREE][[*same, *metrics]]
    others = table[table[FACTORIZATION] != TORSION_FREE]
    joined = others.merge(free, on=same, suffixes=("", "_free"))
    for metric in metrics:
        name = "ratio" if metric == metrics[0] else f"{metric}_ratio"
        joined[name] = joined[metric] / joined[f"{metric}_free"]
    return joined.rename(columns=NAMES)


# Of an experiment the metrics whose ratios are taken, and the columns that are kept.
TABLES: dict[str, tuple[list[str], list[str]]] = {
    "A": (
        ["error_rms"],
        "mechanism speed C K_D prior size start ratio predicted own_motion omega_F eta kappa joint energy "
        "impulse error_rms error_rms_free".split(),
    ),
    "P": (["error_rms"], "mechanism speed condition C ratio predicted own_motion e_start".split()),
    "N": (["error_rms"], "mechanism C timestep_s ratio".split()),
    "C": (["error_rms_after_2s"], "mechanism C K_D frequency_hz ratio error_rms_after_2s".split()),
    "D": ([], "mechanism speed rate_hz delay_s stable grows predicted closed trials".split()),
    "B": (
        ["error_rms_after_2s"],
        "mechanism speed C mass_error seed ratio predicted error_rms_after_2s_free".split(),
    ),
    "E": (
        ["error_rms_after_2s", "torque_rms", "torque_rate"],
        "mechanism condition C seed predicted error_rms_after_2s error_rms_after_2s_free torque_rms_ratio "
        "torque_rate_ratio".split(),
    ),
    "H": (["error_rms"], "mechanism speed C prior size ratio predicted".split()),
    "T": (
        ["error_rms"],
        "mechanism C prior size ratio predicted saturated_steps error_rms error_rms_free".split(),
    ),
    "F": ([], "mechanism speed way rate predicted least mean".split()),
    "G": (
        ["error_rms", "tilt_rms_rad", "torque_rms"],
        "mechanism C seed ratio tilt_rms_rad_ratio torque_rms_ratio error_rms_free".split(),
    ),
    "S": ([], "mechanism push C seed survived peak_tilt_rad".split()),
    "Z": ([], "mechanism impulse C seed ratio predicted given".split()),
}


def collect(out: pathlib.Path, folder: pathlib.Path) -> None:
    """Writes a table for each experiment that has runs."""
    for letter, (metrics, columns) in TABLES.items():
        if not (out / letter).exists():
            continue
        table = read(out, letter)
        table = with_ratios(table, metrics) if metrics else table.rename(columns=NAMES)
        table = table[[column for column in columns if column in table]]
        digits = 15 if letter == "N" else 6
        table.to_csv(folder / f"{letter}.csv", index=False, float_format=f"%.{digits}g")
