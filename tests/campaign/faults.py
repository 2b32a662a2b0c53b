"""Faults between the program and the system: the k-th call fails, by faults.c."""

import os
import pathlib
import shutil
import subprocess

import outcome

SOURCE = pathlib.Path(__file__).resolve().parent / "faults.c"
KINDS = ("open", "write", "rename", "fsync", "mmap", "thread", "malloc")
# A fault in these is the end of that process at once, by the C++ runtime or MuJoCo, before main or
# after it; what it left must be whole all the same.
MAY_ABORT = ("malloc", "thread", "mmap")


def commands(program):
    return {
        "run": [program, "run", "planar_2r", "--headless", "--duration", "0.05", "--out"],
        "compare": [program, "compare", "planar_2r", "--vary", "factorization=christoffel,t:1", "--duration", "0.05", "--jobs", "2", "--out"],
        "eval": [program, "eval", "planar_2r", "--quantities", "H,C", "--out"],
    }


def target(folder, verb):
    return folder / ("out.json" if verb == "eval" else "out")


def attempt(library, command, folder, verb, kind, at, on, count=None):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    environment = {**os.environ, "LD_PRELOAD": str(library), "CIVITA_FAULT": kind, "CIVITA_FAULT_AT": str(at)}
    if on:
        environment["CIVITA_FAULT_ON"] = "1"
    if count:
        environment["CIVITA_FAULT_COUNT"] = str(count)
    return outcome.call([*command, str(target(folder, verb))], env=environment)


def run(budget):
    library = budget.folder / "faults.so"
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", library, SOURCE, "-ldl", "-lpthread"], check=True)
    folder, count = budget.folder / "case", budget.folder / "count"
    plans = []
    for verb, command in commands(budget.program).items():
        for kind in KINDS:
            attempt(library, command, folder, verb, kind, -1, False, count)
            calls = int(count.read_text())
            # All calls, in an order that covers them evenly if the time is over before.
            order = sorted(range(calls), key=lambda k: int(format(k, "020b")[::-1], 2))
            plans.append((verb, command, kind, iter(order), calls))
    cases, bad, done_plans = 0, [], 0
    counted = sum(plan[-1] for plan in plans)
    while plans and budget.left() > 0:
        for plan in list(plans):
            verb, command, kind, order, _ = plan
            at = next(order, None)
            if at is None:
                plans.remove(plan)
                continue
            for on in (False, True):
                done = attempt(library, command, folder, verb, kind, at, on)
                cases += 1
                fault = judge(done, folder, verb, kind)
                if fault:
                    bad.append(f"{verb}, {kind} {at}{' and on' if on else ''}: {fault}")
            if budget.left() < 0:
                break
    return cases, bad, f"{'all' if not plans else 'some'} of {counted:,} calls"


def judge(done, folder, verb, kind):
    aborts = done.returncode is not None and done.returncode < 0 and kind in MAY_ABORT
    fault = None if aborts else outcome.fault_of(done)
    fault = fault or outcome.fault_in(folder)
    if done.returncode == 0 and not fault and not target(folder, verb).exists():
        fault = "done, but nothing is there"
    return fault
