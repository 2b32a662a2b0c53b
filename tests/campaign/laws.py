"""Random models through every law: a run is whole and finite, says why it failed, or is refused."""

import json
import random
import re
import shutil
import subprocess
import threading

import fork_server
import outcome
import programs

MODELS_AT_ONCE = 50
LARGEST_SEED = 2**31
NOT_FINITE = re.compile(rb"\b(nan|inf)", re.IGNORECASE)
# Settings that a law takes or refuses.
SETTINGS = [
    "controller.factorization=t:0.5", "controller.factorization=alpha:0.3", "controller.gain_form=diagonal", "control.mode=every_stage",
    "observer={gain: 20, compensate: true}", "control.delay_s=0.004", "noise.joint_position=1e-3", "plant.mass_scale=1.3", "gains.Lambda=20",
]  # fmt: skip


class Models:
    """Files of random models with the laws that are tried on each, made as they are asked for."""

    def __init__(self, budget, laws):
        self.generator = (budget.build / "release" / "bin" / "civita_random_models").resolve()
        self.folder, self.laws, self.budget = budget.folder / "models", laws, budget
        self.folder.mkdir()
        self.seed = random.Random(budget.seed).randrange(LARGEST_SEED // 2)
        self.plans, self.lock, self.cases = [], threading.Lock(), 0

    def next(self):
        """A number, a file and a law; None when the limit is reached."""
        with self.lock:
            if not self.budget.goes_on(self.cases):
                return None
            if not self.plans:
                subprocess.run([self.generator, str(self.seed), str(MODELS_AT_ONCE)], cwd=self.folder, check=True)
                seeds = range(self.seed, self.seed + MODELS_AT_ONCE)
                self.plans = [(self.folder / f"model{seed}.xml", law) for seed in seeds for law in self.laws]
                random.Random(self.seed).shuffle(self.plans)
                self.seed += MODELS_AT_ONCE
            self.cases += 1
            return self.cases, *self.plans.pop()


def run(budget):
    laws = programs.keys(budget.program)["controller.type"].split(" | ")
    models, lock, bad, ends = Models(budget, laws), threading.Lock(), [], {}
    library = fork_server.build(budget.folder)
    budget.bad.mkdir(parents=True, exist_ok=True)

    def work(worker):
        folder = budget.folder / str(worker)
        folder.mkdir()
        with fork_server.ForkServer(library, budget.program, budget.folder / f"of_{worker}", outcome.without_display()) as server:
            while (plan := models.next()) is not None:
                number, file, law = plan
                rng = random.Random(f"{budget.seed} {number}")
                settings = [f"controller.type={law}", *rng.sample(SETTINGS, rng.choice([0, 0, 1, 2]))]
                words = ["run", str(file), "--headless", "--duration", "0.02", "--out", "out"]
                words += [word for each in settings for word in ("--set", each)]
                shutil.rmtree(folder / "out", ignore_errors=True)
                done = server.call(words, 600, folder)
                fault = outcome.fault_of(done) or fault_of_run(done, folder / "out")
                with lock:
                    ends[done.returncode] = ends.get(done.returncode, 0) + 1
                    if fault:
                        shutil.copy(file, budget.bad)
                        bad.append(f"{file.name}, {' '.join(words[2:])}: {fault}"[:700])

    outcome.on_all_cores(work)
    return models.cases, bad, f"{len(laws)} laws; {ends.get(0, 0):,} end well, {ends.get(1, 0):,} fail, {ends.get(2, 0):,} do not fit"


def fault_of_run(done, out):
    """Why the files of a run contradict how it ended, or None."""
    if done.returncode == 2:
        return "refused, but it left files" if out.exists() and any(out.iterdir()) else None
    fault = outcome.fault_in(out)
    if fault:
        return fault
    record = json.loads((out / "run.json").read_text())
    if (record["status"] == "done") != (done.returncode == 0):
        return f"status {record['status']}, exit code {done.returncode}"
    numbers = (out / "signals.csv").read_bytes().partition(b"\n")[2]
    if record["status"] == "done" and NOT_FINITE.search(numbers):
        return "done, with numbers that are not finite"
    return None
