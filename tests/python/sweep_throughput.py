"""python sweep_throughput.py [RUNS]: runs a second of a sweep beside those of civita compare.

Both make the same runs on all cores, in turn, three times; the start of the workers does not count.
"""

import os
import subprocess
import sys
import time

import distributed

import civita

SCENE, DURATION = "arm7_twist", 1.0


def time_compare(runs):
    words = ["compare", SCENE, "--vary", "factorization=christoffel,t:1", "--seeds", str(runs // 2)]
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "civita", *words, "--duration", str(DURATION)],
        stdout=subprocess.DEVNULL,
        check=True,
    )
    return time.perf_counter() - start


def time_sweep(runs, client):
    study = {
        "scene": SCENE,
        "duration_s": DURATION,
        "vary": {"controller.factorization": ["christoffel", "t:1"]},
        "seeds": runs // 2,
    }
    start = time.perf_counter()
    table = civita.sweep(study, client, progress=False)
    assert list(table["status"]) == ["done"] * runs
    return time.perf_counter() - start


def main(runs=400):
    """Prints both, and their ratio."""
    cores = len(os.sched_getaffinity(0))
    print(f"{runs} runs of {SCENE}, {DURATION:g} s each, on {cores} cores")
    options = {"n_workers": cores, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        time_sweep(2 * cores, client)  # loads civita
        for _ in range(3):
            compare, sweep = time_compare(runs), time_sweep(runs, client)
            print(
                f"compare {runs / compare:6.1f} a second   sweep {runs / sweep:6.1f}   {compare / sweep:.2f}"
            )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
