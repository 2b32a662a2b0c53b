"""The figures of the page, as SVG with the same bytes each time."""

from __future__ import annotations

import pathlib

import matplotlib

matplotlib.use("Agg")
matplotlib.rcParams.update(
    {
        "svg.hashsalt": "torsion",
        "svg.fonttype": "none",
        "font.size": 9,
        "axes.grid": True,
        "grid.alpha": 0.3,
        "figure.constrained_layout.use": True,
    }
)

import matplotlib.pyplot as plt  # noqa: E402
import pandas  # noqa: E402


def save(figure: plt.Figure, file: pathlib.Path) -> None:
    file.parent.mkdir(exist_ok=True)
    figure.savefig(file, metadata={"Date": None})
    plt.close(figure)


def predicted_and_measured(table: pandas.DataFrame, file: pathlib.Path) -> None:
    figure, axes = plt.subplots(figsize=(4.6, 4.2))
    for (size, rows), color in zip(table.groupby("size"), ("C0", "C1", "C2"), strict=False):
        axes.loglog(
            rows["predicted"],
            rows["ratio"],
            ".",
            color=color,
            markersize=3,
            alpha=0.6,
            label=f"{size:g} rad/s",
            rasterized=True,
        )
    ends = table[["predicted", "ratio"]].to_numpy()
    ends = [ends.min(), ends.max()]
    axes.loglog(ends, ends, "k", linewidth=0.7)
    axes.set(xlabel="predicted ratio of the errors", ylabel="measured")
    axes.legend(frameon=False)
    save(figure, file)


def priors(table: pandas.DataFrame, file: pathlib.Path) -> None:
    """The mean errors over starts by mechanism and prior."""
    figure, axes = plt.subplots(figsize=(7, 3.6))
    names = list(dict.fromkeys(table["mechanism"]))
    for prior, color in (("joint", "C3"), ("energy", "C7"), ("impulse", "C0")):
        rows = table[table["prior"] == prior]
        x = [names.index(name) for name in rows["mechanism"]]
        axes.semilogy(x, rows["ratio"], ".", color=color, label=f"{prior}, one start")
        axes.semilogy(x, rows[prior], "_", color=color, markersize=9, label="predicted mean of all")
    axes.axhline(1, color="k", linewidth=0.7)
    axes.set_xticks(range(len(names)), names, rotation=60, ha="right")
    axes.set_ylabel("RMS error, t:1 / christoffel")
    axes.legend(frameon=False, ncols=3, fontsize=7)
    save(figure, file)


def frequencies(table: pandas.DataFrame, file: pathlib.Path) -> None:
    gains = sorted(table["K_D"].unique())
    figure, axes = plt.subplots(1, len(gains), figsize=(7, 2.8), sharey=True, squeeze=False)
    for axis, k in zip(axes[0], gains, strict=True):
        of_gain = table[table["K_D"] == k].sort_values("f").groupby("omega")
        for (omega, rows), color in zip(of_gain, ("C0", "C1", "C2", "C3"), strict=False):
            axis.loglog(rows["f"], rows["ratio"], "o", color=color, markersize=3, label=f"ω = {omega:g}")
            axis.loglog(rows["f"], rows["predicted"], color=color, linewidth=1)
        axis.set(title=f"k = {k:g} 1/s", xlabel="f, rad/s")
    axes[0][0].set_ylabel("error against Ω = 0")
    axes[0][-1].legend(frameon=False, fontsize=7)
    save(figure, file)


def limits(table: pandas.DataFrame, file: pathlib.Path) -> None:
    figure, axes = plt.subplots(1, 2, figsize=(7, 3.4), sharey=True)
    for axis, by, name in zip(
        axes, ("predicted", "closed"), ("by the held equations", "by ω_c/ω₂"), strict=True
    ):
        for (delay, rows), color in zip(table.groupby("delay_s"), ("C0", "C1", "C2", "C3"), strict=False):
            axis.loglog(rows[by], rows["measured"], ".", color=color, label=f"late by {1000 * delay:g} ms")
        ends = [table["measured"].min(), table["measured"].max()]
        axis.loglog(ends, ends, "k", linewidth=0.7)
        axis.set(xlabel=f"predicted {name}")
    axes[0].set_ylabel("largest stable t, measured")
    axes[0].legend(frameon=False)
    save(figure, file)
