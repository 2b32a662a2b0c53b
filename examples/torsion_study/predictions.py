"""What `civita.advise` says of runs, kept beside their table: predicted.parquet, a row a run's hash."""

from __future__ import annotations

import math
import pathlib
import tempfile

import distributed
import pandas

import civita

TORSION_FREE = "christoffel"
FACTORIZATION = "controller.factorization"
NAME = "predicted.parquet"


def of_own_start(advice: civita.Advice) -> dict[str, float]:
    """After the run's own start, by the linear equations along the reference and by the law's motion.

    Nothing of a run that starts on its reference."""
    if advice.own is None:
        return {}
    forms, first = advice.closed_forms, advice.starts[0].parts[0]
    return {
        "predicted": advice.own.linear[0].ratio,
        "own_motion": advice.own.parts[0].ratio,
        "e_start": advice.e_start,
        "omega_F": advice.rates.omega_F,
        "eta": advice.rates.eta,
        "kappa": forms.parts[0].largest_increase if forms else math.nan,
        "joint": first.joint.ratio,
        "energy": first.energy.ratio,
        "impulse": first.impulse.ratio,
    }


def of_masses(advice: civita.Advice) -> dict[str, float]:
    """With the run's plant; the last answer is that to its own masses."""
    return {"predicted": advice.masses[-1].parts[0].ratio}


def of_noise(advice: civita.Advice) -> dict[str, float]:
    return {"predicted": advice.mean_decay[0].noise.ratio}


# Of which experiments the error is predicted, and by which of the advice's answers.
ANSWERS = {
    "A": of_own_start,
    "P": of_own_start,
    "H": of_own_start,
    "T": of_own_start,
    "B": of_masses,
    "E": of_noise,
}

ALIKE = ("E",)  # whose answer is one for all seeds


def predict(letter: str, run: str, config: str) -> dict[str, float | str]:
    """The ratio of errors to those of the torsion-free C, and numbers that may tell it."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "config.yaml")
        file.write_text(config, encoding="utf-8")
        advice = civita.advise(file, remedies=False)
    return {"run": run, **ANSWERS[letter](advice)}


def store(letter: str, folder: pathlib.Path, client: distributed.Client) -> None:
    """Adds what is not there yet."""
    if letter not in ANSWERS:
        return
    file = folder / NAME
    known = pandas.read_parquet(file) if file.exists() else pandas.DataFrame({"run": []})
    table = pandas.read_parquet(folder / "table.parquet")
    wanted = table[
        (table["status"] == "done")
        & (table[FACTORIZATION] != TORSION_FREE)
        & ~table["run"].isin(known["run"])
    ]
    if letter in ALIKE:
        told = table[table["run"].isin(known["run"])][FACTORIZATION]
        wanted = wanted[~wanted[FACTORIZATION].isin(told)].drop_duplicates(FACTORIZATION)
    tasks = [
        client.submit(predict, letter, run, config, pure=False)
        for run, config in zip(wanted["run"], wanted["config"], strict=True)
    ]
    rows = client.gather(tasks)
    if rows:
        pandas.concat([known, pandas.DataFrame(rows)], ignore_index=True).to_parquet(file)
