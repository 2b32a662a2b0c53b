"""study_door.py LIMIT SEED: damaged study files, and damaged folders of runs, into the Python package's
readers, up to the limit. Each must be read, or refused by one line. Prints the number of cases, and
the bad ones, each after `bad: `."""

import pathlib
import random
import resource
import sys
import tempfile

import limit
import outcome
import programs

import civita
from civita.sweeps import read_study
from civita.sweeps.study_file import StudyError

STUDIES = [
    "scene: planar_2r\nduration_s: 0.1\nvary:\n  controller.factorization: [christoffel, t:1]\n  gains.K_D: {from: 1, to: 10, count: 3, scale: log}\n"
    "seeds: 2\nkeep: {metrics: [error_rms], signals: [/e]}\n",
    "scene: arm7\nset: {gains.Lambda: 8}\nvary:\n  payload.mass_kg: {distribution: uniform, loc: 0, scale: 2}\n"
    "sample: {method: sobol, count: 8, seed: 1}\nseeds: [1, 2, 3]\n",
    "scene: quadruped\nsurvive: true\nvary: {push: [0.5, 1]}\nseeds: 4\n",
    "scene: &s planar_2r\nvary: {gains.K_D: {distribution: norm, loc: [10, 10], scale: 0.1}}\nsample: {count: 4}\n",
]
REFUSALS = (StudyError, ValueError)
MOST_MEMORY = 8 << 30  # bytes of address space


def main():
    allowed, rng = limit.Limit(sys.argv[1]), random.Random(int(sys.argv[2]))
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    cases = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        civita.run("planar_2r", 0.05, out=folder / "whole", progress=False)
        files, damaged = programs.files_of(folder / "whole"), folder / "damaged"
        while allowed.allows(cases):
            if rng.random() < 0.7:
                text = programs.mutate(rng.choice(STUDIES).encode(), rng)
                (folder / "study.yaml").write_bytes(text)
                _, fault = outcome.answer_of(lambda: read_study(folder / "study.yaml"), REFUSALS, one_line=True)
            else:
                text = programs.damage(files, damaged, rng)
                _, fault = outcome.answer_of(lambda: dict(civita.load_run(damaged).metrics), REFUSALS, one_line=True)
            cases += 1
            if fault:
                print(f"bad: {fault}: {text[:300]!r}", flush=True)
    print(f"{cases} inputs")


if __name__ == "__main__":
    main()
