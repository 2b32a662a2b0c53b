"""python plot_torsion.py DIR FILE: the twist of torsion.yaml over t, from the sweep in DIR."""

import pathlib
import sys

import matplotlib
import pandas

matplotlib.use("Agg")
matplotlib.rcParams["svg.hashsalt"] = "torsion"  # the same file each time

import matplotlib.pyplot  # noqa: E402

directory, file = sys.argv[1:]
table = pandas.read_parquet(pathlib.Path(directory) / "table.parquet")
forms = table["controller.factorization"].str.replace("christoffel", "t:0")
table["t"] = forms.str.removeprefix("t:").astype(float)

figure, axes = matplotlib.pyplot.subplots(figsize=(6, 3.2), layout="constrained")
for gain, of_gain in table.groupby("gains.K_D"):
    twist = of_gain.groupby("t")["twist_rad"]
    axes.plot(twist.median(), marker="o", markersize=4, label=f"K_D = {gain:g} 1/s, median")
    axes.fill_between(sorted(twist.groups), twist.quantile(0.1), twist.quantile(0.9), alpha=0.2)
axes.set_xlabel("torsion t")
axes.set_ylabel("twist of s (rad)")
axes.legend(frameon=False)
axes.grid(alpha=0.3)
figure.savefig(file, metadata={"Date": None})
